"""The contract between a planned robot and what moves its joints, and what sees the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from malmm_ros.cancellation import CancelToken
from malmm_ros.scene import Scene
from malmm_ros.trajectory import JointState, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveResult:
    """How following a trajectory ended.

    Attributes:
        reason: Empty, or ``rejected``, ``tolerance``, ``cancelled``, ``controller_lost`` ...
    """

    is_success: bool
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GripReading:
    """What the hand reports after a command.

    Attributes:
        width: Full opening, metres.
        is_stalled: The fingers stopped on something before the commanded width.
    """

    width: float
    is_stalled: bool
    is_success: bool = True
    reason: str = ""
    message: str = ""


class Driver(Protocol):
    """Moves the joints: in-process simulation, or ROS controllers. Calls block until done."""

    def joint_state(self) -> JointState:
        """Arm joints now."""
        ...

    def gripper_width(self) -> float:
        """Full opening now, metres."""
        ...

    def follow(self, trajectory: Trajectory, cancel: CancelToken) -> DriveResult:
        """Track a trajectory to its end; nothing moves when ``cancel`` was set before."""
        ...

    def grip(self, width: float, cancel: CancelToken) -> GripReading:
        """Drive the fingers to a full opening (metres) or until they stall."""
        ...

    def stop(self) -> None:
        """Brake what moves, at once; from any thread, after ``cancel`` was set."""
        ...


class SceneSource(Protocol):
    """Where scenes come from: simulator state or perception."""

    def observe(self) -> Scene:
        """Sense now, after things have settled."""
        ...


@runtime_checkable
class HandAware(Protocol):
    """A scene source that is told what the hand holds, to let it move with the hand."""

    def hold(self, name: str) -> None:
        """The object of that name is held from now on; empty: nothing is."""
        ...
