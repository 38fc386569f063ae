"""Joint states and timed joint trajectories; shared by planners, controllers and nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import MotionError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointState:
    """Positions and velocities of named joints.

    Attributes:
        positions: ``(J,)``, radians (metres for prismatic joints).
        velocities: ``(J,)``, per second.
    """

    names: tuple[str, ...]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]

    @classmethod
    def at_rest(cls, names: tuple[str, ...], positions: NDArray[np.float64]) -> JointState:
        """A state without motion."""
        array = np.asarray(positions, dtype=np.float64).copy()
        return cls(names=names, positions=array, velocities=np.zeros_like(array))

    def select(self, names: tuple[str, ...]) -> JointState:
        """The same joints in another order, extra ones left out.

        Raises:
            MotionError: A name is missing.
        """
        missing = [name for name in names if name not in self.names]
        if missing:
            raise MotionError("wrong_joints", f"joint state lacks {', '.join(missing)}")
        index = [self.names.index(name) for name in names]
        return JointState(
            names=names, positions=self.positions[index], velocities=self.velocities[index]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trajectory:
    """Waypoints of named joints over time, cubic Hermite between them.

    Attributes:
        times: ``(N,)``, seconds from the start, strictly increasing from 0; N ≥ 1.
        positions: ``(N, J)``, radians.
        velocities: ``(N, J)``, radians per second.

    Raises:
        MotionError: Shapes, times or numbers are wrong (category ``invalid_trajectory``).
    """

    names: tuple[str, ...]
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]

    def __post_init__(self) -> None:
        count, joints = len(self.times), len(self.names)
        expected = (count, joints)
        problem = ""
        if count == 0:
            problem = "it has no points"
        elif self.positions.shape != expected or self.velocities.shape != expected:
            problem = (
                f"positions {self.positions.shape} and velocities {self.velocities.shape} "
                f"must both be {expected}"
            )
        elif not all(
            np.isfinite(array).all() for array in (self.times, self.positions, self.velocities)
        ):
            problem = "it holds numbers that are not finite"
        elif self.times[0] < 0.0 or (np.diff(self.times) <= 0.0).any():
            problem = "times must increase strictly from 0 or later"
        if problem:
            raise MotionError("invalid_trajectory", f"trajectory refused: {problem}")

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return float(self.times[-1])

    @property
    def start(self) -> JointState:
        """The first waypoint."""
        return JointState(
            names=self.names, positions=self.positions[0], velocities=self.velocities[0]
        )

    @property
    def end(self) -> JointState:
        """The last waypoint."""
        return JointState(
            names=self.names, positions=self.positions[-1], velocities=self.velocities[-1]
        )

    def sample(self, time_s: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position and velocity ``(J,)`` at a time, held at both ends."""
        if time_s <= self.times[0]:
            return self.positions[0], self._end_velocity(0, time_s)
        if time_s >= self.times[-1]:
            return self.positions[-1], np.zeros(len(self.names))
        index = int(np.searchsorted(self.times, time_s, side="right")) - 1
        step = self.times[index + 1] - self.times[index]
        u = (time_s - self.times[index]) / step
        p0, p1 = self.positions[index], self.positions[index + 1]
        m0, m1 = self.velocities[index] * step, self.velocities[index + 1] * step
        # Cubic Hermite basis and its derivative.
        position = (
            (1 + 2 * u) * (1 - u) ** 2 * p0
            + u * (1 - u) ** 2 * m0
            + u**2 * (3 - 2 * u) * p1
            + u**2 * (u - 1) * m1
        )
        velocity = (
            6 * u * (u - 1) * (p0 - p1) + (1 - u) * (1 - 3 * u) * m0 + u * (3 * u - 2) * m1
        ) / step
        return position, velocity

    def _end_velocity(self, index: int, time_s: float) -> NDArray[np.float64]:
        return self.velocities[index] if time_s == self.times[index] else np.zeros(len(self.names))
