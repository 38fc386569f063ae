"""The contract of a physical world with robots, objects, cameras and a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.models.description import BASE_POSE
from malmm_ros.scene import Scene
from malmm_ros.trajectory import JointState


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotPlacement:
    """One robot of a world.

    Attributes:
        name: Prefix of its joints and links.
        base: ``world_from_link0``.
    """

    name: str = "panda"
    base: Pose = BASE_POSE


class World(Protocol):
    """Physics with a task in it. Not thread-safe: one thread steps and reads."""

    @property
    def time_s(self) -> float:
        """Simulated time since the reset."""
        ...

    @property
    def instruction(self) -> str:
        """One phrasing of what to do in this world."""
        ...

    @property
    def robot_names(self) -> tuple[str, ...]:
        """Robots in it."""
        ...

    def reset(
        self,
        task: str,
        seed: int,
        *,
        options: Mapping[str, Any] | None = None,
        robots: Sequence[RobotPlacement] = (RobotPlacement(),),
    ) -> None:
        """Build a task's world anew; equal arguments give bit-equal worlds."""
        ...

    def step(self, count: int = 1) -> None:
        """Advance by time steps, controllers included."""
        ...

    def step_until(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Advance until something holds; false when the simulated time ran out."""
        ...

    def settle(self, timeout_s: float = 3.0) -> bool:
        """Advance until arms and objects rest; false when they did not in time."""
        ...

    def joint_state(self, robot_name: str = "panda") -> JointState:
        """Arm joints."""
        ...

    def gripper_width(self, robot_name: str = "panda") -> float:
        """Full opening, metres."""
        ...

    def ground_truth(self, robot_name: str = "panda") -> Scene:
        """All objects and one robot's hand as they are."""
        ...

    def success(self) -> tuple[bool, str]:
        """Whether physics says that the task is done, and what holds or is missing."""
        ...

    def disturb(self, kind: str, object_name: str, rng: np.random.Generator) -> str:
        """Knock or shift an object; says what was done."""
        ...

    @property
    def camera_names(self) -> tuple[str, ...]:
        """Cameras that can be rendered."""
        ...

    def render(self, camera: str = "front") -> RgbdImage:
        """What a camera sees now."""
        ...
