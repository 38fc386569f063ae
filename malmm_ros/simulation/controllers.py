"""The joint trajectory controller that a real arm would have, stepping with the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError, MotionError
from malmm_ros.models.description import MAX_ACCELERATION
from malmm_ros.simulation.reference import Reference, blend, brake, hold, sample
from malmm_ros.trajectory import Trajectory

ControllerState = Literal["idle", "moving", "braking", "succeeded", "cancelled", "aborted"]

# A trajectory that ends no faster than this ends at rest (rad/s).
_END_SPEED = 0.02
# A cubic between two waypoints at full speed swings a little beyond it.
_SPEED_MARGIN = 1.02


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmControllerConfig:
    """Tolerances and limits of the arm's controller.

    Attributes:
        start_tolerance: How far a trajectory may start from the measured joints, radians.
        path_tolerance: Deviation at which it gives up: something is in the way.
        goal_tolerance: Largest deviation at the end.
        settle_timeout_s: How long after the end the goal may take.
        acceleration_limit: For braking and for taking over, rad/s² of joints 1 to 7.
        acceleration_margin: What a goal may take, as a multiple of that limit. A cubic between
            two waypoints around a switch from one acceleration to another peaks at 1.5 times
            what was planned.
    """

    start_tolerance: float = 0.05
    path_tolerance: float = 0.1
    goal_tolerance: float = 0.004
    settle_timeout_s: float = 1.0
    # The hand's maker gives these for the Panda (libfranka, joint acceleration limits).
    acceleration_limit: tuple[float, ...] = MAX_ACCELERATION
    acceleration_margin: float = 1.6

    def __post_init__(self) -> None:
        if len(self.acceleration_limit) != 7 or min(self.acceleration_limit) <= 0.0:
            raise ConfigurationError(
                "arm controller: acceleration_limit", "must be seven positive numbers"
            )
        if self.acceleration_margin < 1.0:
            raise ConfigurationError("arm controller: acceleration_margin", "must be at least 1")
        for name in ("start_tolerance", "path_tolerance", "goal_tolerance", "settle_timeout_s"):
            if getattr(self, name) <= 0.0:
                raise ConfigurationError(f"arm controller: {name}", "must be positive")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointLimits:
    """What the joints can do.

    Attributes:
        low: ``(J,)``, radians.
        high: ``(J,)``.
        speed: ``(J,)``, rad/s.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    speed: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GoalTolerances:
    """What one goal asks for, where it differs from the controller's own.

    Attributes:
        path: ``(J,)``, largest deviation on the way, radians; infinity allows any.
        goal: ``(J,)``, at the end.
        settle_timeout_s: How long after the end the goal may take.
    """

    path: NDArray[np.float64]
    goal: NDArray[np.float64]
    settle_timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmStatus:
    """Where the present (or last) goal stands.

    Attributes:
        goal: Counts the goals taken since the reset; 0 before the first.
        reason: For ``aborted``: ``path_tolerance`` or ``goal_tolerance``.
        time_s: Since the goal's start.
        duration_s: Of its reference, the blend at its start included.
        desired: ``(J,)``, commanded positions now.
        actual: ``(J,)``, measured.
        velocity: ``(J,)``, commanded.
    """

    state: ControllerState
    goal: int
    time_s: float
    duration_s: float
    desired: NDArray[np.float64]
    actual: NDArray[np.float64]
    velocity: NDArray[np.float64]
    reason: str = ""
    message: str = ""

    @property
    def error(self) -> NDArray[np.float64]:
        """Actual minus desired, radians."""
        return self.actual - self.desired

    @property
    def is_active(self) -> bool:
        """Whether the arm is being moved."""
        return self.state in ("moving", "braking")


class ArmController:
    """Follows one trajectory at a time.

    ``start`` and ``cancel`` may be called from any thread: they are handed over at the next
    control period. ``update`` belongs to the thread that steps the world.
    """

    def __init__(
        self,
        *,
        joint_names: tuple[str, ...],
        limits: JointLimits,
        period_s: float,
        positions: NDArray[np.float64],
        config: ArmControllerConfig | None = None,
    ) -> None:
        self.joint_names = joint_names
        self.limits = limits
        self.period_s = period_s
        self.config = config or ArmControllerConfig()
        self._acceleration = np.asarray(self.config.acceleration_limit)
        self._tolerances = self.own_tolerances
        self._measured = positions.copy()
        self._reference = hold(positions)
        self._index = self._measured_index = 0
        self._state: ControllerState = "idle"
        self._goal = 0
        self._reason = self._message = ""
        self._pending: tuple[Reference, GoalTolerances] | None = None
        self._is_cancel_wanted = False

    @property
    def own_tolerances(self) -> GoalTolerances:
        """Those of goals that ask for none."""
        count, config = len(self.joint_names), self.config
        return GoalTolerances(
            path=np.full(count, config.path_tolerance),
            goal=np.full(count, config.goal_tolerance),
            settle_timeout_s=config.settle_timeout_s,
        )

    def start(self, trajectory: Trajectory, *, tolerances: GoalTolerances | None = None) -> int:
        """Take a new goal; one that is under way is taken over smoothly.

        Args:
            trajectory: From where the arm is, or from some time later.
            tolerances: Of this goal; the controller's own when left out.

        Returns:
            The goal's number, as in the status.

        Raises:
            MotionError: Refused; nothing changes. The category is ``wrong_joints``,
                ``start_too_far`` or ``limits``.
        """
        reference = self._checked(trajectory)
        self._is_cancel_wanted = False
        self._goal += 1
        self._reason = self._message = ""
        self._pending = reference, tolerances or self.own_tolerances
        self._state = "moving"
        return self._goal

    def cancel(self) -> None:
        """Brake at once within the acceleration limits and hold."""
        if self._state == "moving":
            self._is_cancel_wanted = True

    @property
    def status(self) -> ArmStatus:
        """A snapshot of the present goal."""
        index = min(self._measured_index, self._reference.last)
        return ArmStatus(
            state=self._state,
            goal=self._goal,
            time_s=self._measured_index * self.period_s,
            duration_s=self._reference.last * self.period_s,
            desired=self._reference.positions[index],
            actual=self._measured,
            velocity=self._reference.velocities[index],
            reason=self._reason,
            message=self._message,
        )

    @property
    def is_active(self) -> bool:
        """Whether the arm is being moved or has something to take up."""
        return self._state in ("moving", "braking")

    def update(
        self, positions: NDArray[np.float64], velocities: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Advance by one control period.

        Args:
            positions: ``(J,)``, measured now; kept, so give a copy.
            velocities: ``(J,)``, measured.

        Returns:
            Desired positions, velocities and accelerations ``(J,)`` in the middle of the period.
        """
        self._measured = positions
        self._take_over()
        if self.is_active:
            self._judge(positions, velocities)
        # Desired and actual are reported of the same moment: the period's start.
        self._measured_index = self._index
        index = min(self._index, self._reference.last)
        following = min(index + 1, self._reference.last)
        reference = self._reference
        if self.is_active:
            self._index += 1
        return (
            0.5 * (reference.positions[index] + reference.positions[following]),
            0.5 * (reference.velocities[index] + reference.velocities[following]),
            0.5 * (reference.accelerations[index] + reference.accelerations[following]),
        )

    def _take_over(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            reference, self._tolerances = pending
            self._follow(self._blended(reference), "moving")
        if self._is_cancel_wanted:
            self._is_cancel_wanted = False
            if self._state == "moving":
                self._brake("cancelled", "the motion was cancelled")

    def _blended(self, wanted: Reference) -> Reference:
        """A new reference, led into from what is commanded now."""
        return blend(
            self._reference.at(self._index),
            wanted,
            period_s=self.period_s,
            acceleration_limit=self._acceleration,
            speed_limit=self.limits.speed,
        )

    def _follow(self, reference: Reference, state: ControllerState) -> None:
        self._reference, self._index, self._state = reference, 0, state

    def _brake(self, reason: str, message: str) -> None:
        present = self._reference.at(self._index)
        self._follow(
            brake(present, period_s=self.period_s, acceleration_limit=self._acceleration),
            "braking",
        )
        self._reason, self._message = reason, message

    def _judge(self, positions: NDArray[np.float64], velocities: NDArray[np.float64]) -> None:
        """Find out whether the goal is reached, lost or still under way."""
        last = self._reference.last
        deviation = np.abs(positions - self._reference.positions[min(self._index, last)])
        beyond = deviation - self._tolerances.path
        if self._state == "moving" and beyond.max() > 0.0:
            worst = int(beyond.argmax())
            self._brake(
                "path_tolerance",
                f"{self.joint_names[worst]} is {deviation[worst]:.3f} rad off its path (allowed "
                f"{self._tolerances.path[worst]:.3f}): something is in the way",
            )
            return
        if self._index < last:
            return
        beyond = deviation - self._tolerances.goal
        if self._state == "braking":
            self._give_up(
                "cancelled" if self._reason == "cancelled" else "aborted",
                positions,
                is_off=float(deviation.max()) > self.config.goal_tolerance,
            )
        elif beyond.max() <= 0.0 and np.abs(velocities).max() < 0.02:
            self._state = "succeeded"
        elif (self._index - last) * self.period_s > self._tolerances.settle_timeout_s:
            worst = int(beyond.argmax())
            self._reason = "goal_tolerance"
            self._message = (
                f"{self.joint_names[worst]} stayed {deviation[worst]:.4f} rad off its goal "
                f"(allowed {self._tolerances.goal[worst]:.4f}) for "
                f"{self._tolerances.settle_timeout_s:g} s"
            )
            self._give_up("aborted", positions, is_off=True)

    def _give_up(
        self, state: ControllerState, positions: NDArray[np.float64], *, is_off: bool
    ) -> None:
        """End a goal short of its end; an arm that was kept off its path holds where it is."""
        if is_off:
            # Pressing on against an obstacle would only load it.
            self._follow(hold(positions), state)
        self._state = state

    def _checked(self, trajectory: Trajectory) -> Reference:
        trajectory = self._reordered(trajectory)
        present = self._measured
        if trajectory.times[0] == 0.0:
            distance = np.abs(trajectory.positions[0] - present)
            if distance.max() > self.config.start_tolerance:
                joint = self.joint_names[int(distance.argmax())]
                raise MotionError(
                    "start_too_far",
                    f"trajectory refused: it starts {distance.max():.3f} rad from where {joint} "
                    f"is (allowed {self.config.start_tolerance:.3f})",
                )
        else:
            trajectory = self._from_present(trajectory)
        _check_end(trajectory)
        reference = sample(trajectory, period_s=self.period_s)
        self._check_limits(reference)
        # Leading into it may overshoot what the trajectory itself keeps.
        self._check_limits(self._blended(reference))
        return reference

    def _reordered(self, trajectory: Trajectory) -> Trajectory:
        if trajectory.names == self.joint_names:
            return trajectory
        if sorted(trajectory.names) != sorted(self.joint_names):
            raise MotionError(
                "wrong_joints",
                f"trajectory refused: it moves {', '.join(trajectory.names)}; needed are exactly "
                f"{', '.join(self.joint_names)}",
            )
        order = [trajectory.names.index(name) for name in self.joint_names]
        return Trajectory(
            names=self.joint_names,
            times=trajectory.times,
            positions=trajectory.positions[:, order],
            velocities=trajectory.velocities[:, order],
        )

    def _from_present(self, trajectory: Trajectory) -> Trajectory:
        """Lead from the commanded state to a first waypoint that lies in the future."""
        present = self._reference.at(self._index)
        return Trajectory(
            names=trajectory.names,
            times=np.concatenate(([0.0], trajectory.times)),
            positions=np.concatenate((present.positions, trajectory.positions)),
            velocities=np.concatenate((present.velocities, trajectory.velocities)),
        )

    def _check_limits(self, reference: Reference) -> None:
        """Refuse what leaves the joints' ranges, speeds or accelerations anywhere on the way."""
        limits = self.limits
        speed = _SPEED_MARGIN * limits.speed
        pull = self.config.acceleration_margin * self._acceleration
        for values, low, high, unit in (
            (reference.positions, limits.low, limits.high, "rad"),
            (reference.velocities, -speed, speed, "rad/s"),
            (reference.accelerations, -pull, pull, "rad/s²"),
        ):
            excess = np.maximum(values - high, low - values)
            if excess.max() > 1e-3:
                row, column = np.unravel_index(int(excess.argmax()), excess.shape)
                raise MotionError(
                    "limits",
                    f"trajectory refused: {self.joint_names[column]} would reach "
                    f"{values[row, column]:.3f} {unit}, {excess.max():.3f} beyond its limit, "
                    f"at {row * self.period_s:.2f} s",
                )


def _check_end(trajectory: Trajectory) -> None:
    """Refuse what does not end at rest: stopping dead is beyond every arm."""
    speed = np.abs(trajectory.velocities[-1])
    if speed.max() > _END_SPEED:
        raise MotionError(
            "limits",
            f"trajectory refused: {trajectory.names[int(speed.argmax())]} would end at "
            f"{speed.max():.3f} rad/s; a trajectory must end at rest",
        )
