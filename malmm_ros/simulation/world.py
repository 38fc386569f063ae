"""The contract of a physical world with robots, objects, cameras and a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.models.description import BASE_POSE
from malmm_ros.scene import GripperState, Scene
from malmm_ros.simulation.controllers import ArmController
from malmm_ros.simulation.gripper import GripperController
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMount:
    """Where a camera sits.

    Attributes:
        parent: Frame that it moves with: the world, or a robot's link.
        pose: ``parent_from_optical``.
    """

    parent: str
    pose: Pose


class Arm(Protocol):
    """One robot of a world: its controllers and what its joints tell."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Arm joints from base to hand."""
        ...

    @property
    def controller(self) -> ArmController:
        """Follows joint trajectories."""
        ...

    @property
    def gripper(self) -> GripperController:
        """Moves the fingers."""
        ...

    @property
    def is_active(self) -> bool:
        """Whether anything of it is being moved."""
        ...

    @property
    def joint_state(self) -> JointState:
        """Arm joints now."""
        ...

    @property
    def finger_state(self) -> JointState:
        """Finger joints now, metres."""
        ...

    @property
    def gripper_width(self) -> float:
        """Full opening now, metres."""
        ...

    @property
    def gripper_state(self) -> GripperState:
        """Hand as it is; what it holds is not decided here."""
        ...


class World(Protocol):
    """Physics with a task in it. Not thread-safe: one thread steps and reads."""

    @property
    def time_step_s(self) -> float:
        """Simulated time of one step."""
        ...

    @property
    def generation(self) -> int:
        """Counts the resets that built a world; another number, and all in it is another."""
        ...

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

    def arm(self, robot_name: str = "panda") -> Arm:
        """A robot's controllers and readings; to be fetched anew after a reset.

        Raises:
            UnknownNameError: No robot of that name.
        """
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

    def camera_mount(self, camera: str) -> CameraMount:
        """Where a camera sits."""
        ...

    def render(self, camera: str = "front", *, with_labels: bool = False) -> RgbdImage:
        """What a camera sees now; with labels, also which body each pixel shows.

        Raises:
            SimulationError: This world has no labels.
        """
        ...

    def close(self) -> None:
        """Let go of what the world took from the machine; it may be reset again."""
        ...
