"""The contract between the agents' code and an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from malmm_ros.geometry import Pose
from malmm_ros.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionResult:
    """How a motion ended.

    Attributes:
        reason: Empty when it succeeded, else a category: ``unreachable``, ``in_collision``,
            ``outside_workspace``, ``no_path``, ``dropped``, ``cancelled``, ``controller`` ...
        message: What went wrong and by how much, for people and agents.
        tcp: Where the tool point ended (or, rehearsing, would end); world frame.
        duration_s: Of robot time.
    """

    is_success: bool
    reason: str = ""
    message: str = ""
    tcp: Pose | None = None
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GripResult:
    """How opening or closing the hand ended.

    Attributes:
        width: Full opening reached, metres.
        held_object: Name in the scene; empty when nothing is held.
        reason: Empty when as expected, else ``closed_on_nothing``, ``holds_other``,
            ``unknown_object``, ``cancelled``, ``controller``.
    """

    is_success: bool
    width: float
    held_object: str = ""
    reason: str = ""
    message: str = ""

    @property
    def is_holding(self) -> bool:
        """Whether something is between the fingers."""
        return bool(self.held_object)


class Robot(Protocol):
    """An arm with a two-finger hand, commanded by the agents' code."""

    def observe(self) -> Scene:
        """Sense the scene after the last motion has ended and things have settled."""
        ...

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Move the tool point, hand pointing down.

        Args:
            position: ``(3,)``, world frame, metres.
            yaw: About world z, radians; 0 lets the fingers close along world y.
        """
        ...

    def open_gripper(self) -> GripResult:
        """Open the hand fully; what was held stays where it is."""
        ...

    def close_gripper(self, object_name: str) -> GripResult:
        """Close the hand on the object that should be between the fingers."""
        ...

    def rehearse(self) -> Robot:
        """A planning-only twin at the present state: same checks, moves nothing.

        Motions that it planned are reused when the same commands follow for real.
        """
        ...

    def stop(self) -> None:
        """Brake at once and hold; safe to call from any thread."""
        ...
