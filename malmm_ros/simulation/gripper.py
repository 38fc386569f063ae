"""The gripper's controller: to a width, or until the fingers stall on something."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from malmm_ros.errors import ConfigurationError, MotionError
from malmm_ros.scene import MAX_GRIPPER_WIDTH

# Ahead of the fingers while they give way, metres of the full opening.
_SLIP_OPENING = 0.01
GripperMotion = Literal["idle", "moving", "reached", "stalled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperConfig:
    """How the fingers move.

    Attributes:
        speed: Of the full opening, m/s.
        tolerance: How near to the commanded width counts as reached, metres.
        stall_speed: Slower than this is standing, m/s of the full opening.
        stall_time_s: Standing this long, short of the width, is a stall.
        timeout_s: Longest time for one command.
        max_force: Of each finger, N.
        slip_time_s: How long the fingers give way when a grasp slips.
    """

    speed: float = 0.16
    tolerance: float = 0.0015
    stall_speed: float = 0.002
    stall_time_s: float = 0.12
    timeout_s: float = 3.0
    max_force: float = 40.0
    slip_time_s: float = 0.3

    def __post_init__(self) -> None:
        for name in ("speed", "tolerance", "stall_speed", "stall_time_s", "max_force"):
            if getattr(self, name) <= 0.0:
                raise ConfigurationError(f"gripper: {name}", "must be positive")
        if self.slip_time_s <= 0.0:
            raise ConfigurationError("gripper: slip_time_s", "must be positive")


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperStatus:
    """Where the present (or last) command stands.

    Attributes:
        goal: Counts the commands since the reset.
        width: Full opening now, metres.
        target: Commanded.
        force: Greatest force of each finger, N.
    """

    state: GripperMotion
    goal: int
    width: float
    target: float
    force: float

    @property
    def is_active(self) -> bool:
        """Whether the fingers are being moved."""
        return self.state == "moving"

    @property
    def is_stalled(self) -> bool:
        """Whether the fingers stopped on something before the commanded width."""
        return self.state == "stalled"


class GripperController:
    """Moves the fingers to one width at a time; the force stays on afterwards.

    ``command`` may be called from any thread; ``update`` belongs to the one that steps.
    """

    def __init__(
        self, *, width: float, period_s: float, config: GripperConfig | None = None
    ) -> None:
        self.config = config or GripperConfig()
        self.period_s = period_s
        self._width = self._setpoint = self._target = width
        self._force = self.config.max_force
        self._state: GripperMotion = "idle"
        self._goal = 0
        self._standing_s = self._elapsed_s = self._slip_s = 0.0

    def command(self, width: float, max_force: float | None = None) -> int:
        """Drive to a full opening.

        Args:
            width: Metres, 0 to 0.08.
            max_force: Of each finger, N; ``None`` or 0 for the most there is.

        Returns:
            The command's number, as in the status.

        Raises:
            MotionError: Width or force is out of range (category ``limits``).
        """
        if not math.isfinite(width) or not -1e-6 <= width <= MAX_GRIPPER_WIDTH + 1e-6:
            raise MotionError(
                "limits", f"gripper width {width:g} m is outside 0 to {MAX_GRIPPER_WIDTH:g} m"
            )
        force = max_force or self.config.max_force
        if not math.isfinite(force) or force < 0.0:
            raise MotionError("limits", f"gripper force {force:g} N must be positive")
        self._force = min(force, self.config.max_force)
        self._target = min(max(width, 0.0), MAX_GRIPPER_WIDTH)
        self._setpoint = self._width
        self._standing_s = self._elapsed_s = 0.0
        self._goal += 1
        self._state = "moving"
        return self._goal

    def give_way(self) -> None:
        """Open a little for a moment, as when something slips, and close again."""
        self._slip_s = self.config.slip_time_s

    def cancel(self) -> None:
        """Stop the fingers where they are; what is held stays held."""
        if self._state == "moving":
            self._target = self._setpoint
            self._state = "idle"

    @property
    def status(self) -> GripperStatus:
        """A snapshot of the present command."""
        return GripperStatus(
            state=self._state,
            goal=self._goal,
            width=self._width,
            target=self._target,
            force=self._force,
        )

    @property
    def is_active(self) -> bool:
        """Whether the fingers are being moved."""
        return self._state == "moving" or self._slip_s > 0.0

    def update(self, width: float, speed: float) -> tuple[float, float]:
        """Advance by one control period.

        Args:
            width: Full opening now, metres.
            speed: Its rate, m/s.

        Returns:
            Full opening to command, and the force limit of each finger.
        """
        self._width = width
        if self._slip_s > 0.0:
            self._slip_s -= self.period_s
            return min(width + _SLIP_OPENING, MAX_GRIPPER_WIDTH), self._force
        if self._state == "moving":
            self._advance(width, speed)
        return self._setpoint, self._force

    def _advance(self, width: float, speed: float) -> None:
        step = self.config.speed * self.period_s
        self._setpoint += min(max(self._target - self._setpoint, -step), step)
        self._elapsed_s += self.period_s
        is_standing = abs(speed) < self.config.stall_speed
        self._standing_s = self._standing_s + self.period_s if is_standing else 0.0
        if abs(width - self._target) <= self.config.tolerance and is_standing:
            self._state = "reached"
        elif (
            self._standing_s >= self.config.stall_time_s
            or self._elapsed_s >= self.config.timeout_s
        ):
            # Fingers that close on something keep pressing with the full force.
            self._setpoint = self._target
            self._state = "stalled"
