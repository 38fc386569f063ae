"""What every task is: a sampled arrangement, words for it, and a physical condition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import mujoco
import numpy as np

from malmm_ros.configuration import from_mapping
from malmm_ros.geometry import Pose
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import Prop, add_props
from malmm_ros.simulation.physics import Physics, Speed


class Evidence(Protocol):
    """What a success condition may look at: the truth, contacts included."""

    def pose(self, name: str) -> Pose:
        """``world_from_object``."""
        ...

    def speed(self, name: str) -> Speed:
        """How fast an object moves."""
        ...

    def touching(self, name: str) -> frozenset[str]:
        """Bodies that press on an object now."""
        ...

    def is_touched_by_robot(self, name: str) -> bool:
        """Whether fingers, hand or arm are in contact with an object."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the task is done.

    Attributes:
        message: What holds, or what is missing.
    """

    is_success: bool
    message: str


class Task(ABC):
    """One episode of one task.

    The world calls, in this order:

    1. the constructor with the options (checks them, samples nothing);
    2. :meth:`arrange` once: draw colours, counts and places, in this order only from the given
       generator, so that equal seeds give equal worlds; fills :attr:`props` and
       :attr:`instructions`;
    3. :meth:`build`: put the props into the model; override to add welds, joints or hollow
       things;
    4. :meth:`start` once the model runs;
    5. :meth:`after_step` after each batch of physics steps, e.g. to break a weld on a pull;
    6. :meth:`success` whenever somebody asks.

    Object names say what a person would call a thing and reveal nothing about its part in the
    task.

    Attributes:
        name: In the registry.
        options_type: Frozen dataclass of the task's options, all with defaults.
        props: Every object, in the scene's order.
        instructions: Several phrasings of what to do here.
        target: Name of what an object is meant to go to, which a disturbance may move; empty
            when it cannot be moved. For evaluation only: no scene shows it.
        groups: Names of things that are fixed to each other and move together.
    """

    name: ClassVar[str]
    options_type: ClassVar[type]
    # Tasks that watch the physics between steps say so; the others may run in long batches.
    watches_steps: ClassVar[bool] = False

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.options: Any = from_mapping(
            self.options_type, options or {}, where=f"task {self.name}"
        )
        self.props: tuple[Prop, ...] = ()
        self.instructions: tuple[str, ...] = ()
        self.target = ""
        self.groups: tuple[tuple[str, ...], ...] = ()

    @abstractmethod
    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        """Draw this episode's objects and words."""

    @abstractmethod
    def success(self, evidence: Evidence) -> Verdict:
        """Judge the present state by physics alone."""

    def build(self, spec: mujoco.MjSpec) -> None:
        """Add the objects to the model."""
        add_props(spec, self.props)

    def start(self, physics: Physics) -> None:  # noqa: B027  # an optional hook
        """Look up what later hooks need."""

    def after_step(self, physics: Physics) -> None:  # noqa: B027  # an optional hook
        """Act on the physics between steps."""
