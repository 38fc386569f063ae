"""What one call of a program came to, for agents and for the transcript."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from malmm_ros.geometry import Vector3
from malmm_ros.robots.robot import GripResult, MotionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call and its result.

    Attributes:
        call: As the program could have written it.
        line: In the program, from 1.
        reason: The failure's category; empty on success.
        message: The robot's own words.
        position: Of the tool point afterwards, world frame; ``None`` for the hand's commands.
        yaw: Of the tool point afterwards.
        width: Opening afterwards, metres; ``None`` for motions.
        holding: Name of what is held, for the hand's commands.
        duration_s: Of robot time.
    """

    call: str
    line: int
    is_success: bool
    reason: str = ""
    message: str = ""
    position: Vector3 | None = None
    yaw: float | None = None
    width: float | None = None
    holding: str = ""
    duration_s: float = 0.0

    @classmethod
    def of_motion(
        cls, result: MotionResult, *, position: Vector3, yaw: float, line: int
    ) -> CallRecord:
        """Record a motion."""
        x, y, z = position
        return cls(
            call=f"execute_trajectory([{x:.3f}, {y:.3f}, {z:.3f}], {yaw:.3f})",
            line=line,
            is_success=result.is_success,
            reason=result.reason,
            message=result.message,
            position=None if result.tcp is None else result.tcp.position,
            yaw=None if result.tcp is None else result.tcp.yaw,
            duration_s=result.duration_s,
        )

    @classmethod
    def of_grip(cls, result: GripResult, *, call: str, line: int) -> CallRecord:
        """Record an opening or closing of the hand."""
        return cls(
            call=call,
            line=line,
            is_success=result.is_success,
            reason=result.reason,
            message=result.message,
            width=result.width,
            holding=result.held_object,
        )

    @property
    def is_motion(self) -> bool:
        """Whether the arm was to move, not the hand."""
        return self.width is None

    def describe(self) -> str:
        """One line for agents."""
        parts = ["ok" if self.is_success else f"FAILED, {self.reason or 'no reason given'}"]
        if self.message:
            parts.append(" ".join(self.message.split()))
        elif self.position is not None:
            x, y, z = self.position
            parts.append(f"tool point at ({x:.3f}, {y:.3f}, {z:.3f})")
        if self.width is not None:
            holding = json.dumps(self.holding, ensure_ascii=False) if self.holding else "nothing"
            parts.append(f"opening {self.width:.3f}, holding {holding}")
        return f"line {self.line}: {self.call}: " + "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def describe_calls(records: Iterable[CallRecord]) -> str:
    """One line a call."""
    return "\n".join(item.describe() for item in records)
