"""Sampled joint references: what the servos are told, period by period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from malmm_ros.trajectory import Trajectory

_SHORTEST_BLEND_S, _LONGEST_BLEND_S = 0.1, 2.0
# Share of the braking time in which the deceleration rises, and falls.
_BRAKE_RAMP = 1.0 / 6.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """Positions and their derivatives at each control period, held after the last.

    Attributes:
        positions: ``(K, J)``, radians; K ≥ 1.
        velocities: ``(K, J)``.
        accelerations: ``(K, J)``.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    accelerations: NDArray[np.float64]

    @property
    def last(self) -> int:
        """Index of the last sample."""
        return len(self.positions) - 1

    def at(self, index: int) -> Reference:
        """The one sample at an index, as a reference that starts there."""
        index = min(index, self.last)
        part = slice(index, index + 1)
        return Reference(
            positions=self.positions[part],
            velocities=self.velocities[part],
            accelerations=self.accelerations[part],
        )


def hold(positions: NDArray[np.float64]) -> Reference:
    """Stand still."""
    row = positions[None, :].copy()
    return Reference(
        positions=row, velocities=np.zeros_like(row), accelerations=np.zeros_like(row)
    )


def sample(trajectory: Trajectory, *, period_s: float) -> Reference:
    """Evaluate a trajectory at each control period; it ends at rest."""
    count = int(np.ceil(trajectory.duration / period_s - 1e-9)) + 1
    if len(trajectory.times) == 1:
        return hold(trajectory.positions[0])
    times = np.minimum(np.arange(count) * period_s, trajectory.duration)
    spline = CubicHermiteSpline(trajectory.times, trajectory.positions, trajectory.velocities)
    velocities = spline(times, 1)
    accelerations = spline(times, 2)
    velocities[-1], accelerations[-1] = 0.0, 0.0
    return Reference(positions=spline(times), velocities=velocities, accelerations=accelerations)


def blend(
    present: Reference,
    wanted: Reference,
    *,
    period_s: float,
    acceleration_limit: NDArray[np.float64],
    speed_limit: NDArray[np.float64],
) -> Reference:
    """Go over smoothly from one commanded state into a new reference.

    The difference at the start decays as a quintic to nothing, over the shortest time whose
    accelerations leave the new reference its own. Where both together would be too fast, the
    new reference waits at its start for the decay to end.

    Args:
        present: One sample: what was commanded until now.
        wanted: The new reference.
        period_s: Of both.
        acceleration_limit: ``(J,)``.
        speed_limit: ``(J,)``.
    """
    offset = present.positions[0] - wanted.positions[0]
    speed = present.velocities[0] - wanted.velocities[0]
    if max(np.abs(offset).max(), np.abs(speed).max()) < 1e-9:
        return wanted
    decay = _shortest_decay(
        present, wanted, period_s=period_s, acceleration_limit=acceleration_limit
    )
    together = _add(wanted, decay)
    is_too_fast = bool((np.abs(together.velocities) > speed_limit * 1.001).any())
    if is_too_fast and np.abs(wanted.velocities[0]).max() < 1e-9:
        return _add(_delayed(wanted, decay.last), decay)
    return together


def _shortest_decay(
    present: Reference,
    wanted: Reference,
    *,
    period_s: float,
    acceleration_limit: NDArray[np.float64],
) -> Reference:
    offset = present.positions[0] - wanted.positions[0]
    speed = present.velocities[0] - wanted.velocities[0]
    push = present.accelerations[0] - wanted.accelerations[0]
    own = np.abs(wanted.accelerations).max(axis=0)
    room = np.maximum(acceleration_limit - own, 0.4 * acceleration_limit)
    # The present acceleration ends at once when continuing it would break the limit.
    push = np.clip(push, -room, room)
    duration = _SHORTEST_BLEND_S
    while True:
        decay = _decay(offset, speed, push, duration=duration, period_s=period_s)
        if duration >= _LONGEST_BLEND_S or (np.abs(decay.accelerations) <= room * 1.001).all():
            return decay
        duration *= 1.2


def _delayed(wanted: Reference, count: int) -> Reference:
    """Wait at the start for some periods."""
    start = hold(wanted.positions[0])
    return Reference(
        positions=np.concatenate((np.repeat(start.positions, count, axis=0), wanted.positions)),
        velocities=np.concatenate((np.repeat(start.velocities, count, axis=0), wanted.velocities)),
        accelerations=np.concatenate(
            (np.repeat(start.accelerations, count, axis=0), wanted.accelerations)
        ),
    )


def brake(
    present: Reference, *, period_s: float, acceleration_limit: NDArray[np.float64]
) -> Reference:
    """Come to rest from one commanded state, all joints at once; gentle at both ends.

    The deceleration is a trapezium over time whose ramps take a sixth of it each, so that its
    height is 1.2 times the mean.
    """
    speed = present.velocities[0]
    height = 1.0 / (1.0 - _BRAKE_RAMP)
    # A hundredth of room: sampled speeds are rounded.
    duration = max(0.03, 1.01 * height * float((np.abs(speed) / acceleration_limit).max()))
    count = int(np.ceil(duration / period_s)) + 1
    s = np.minimum(np.arange(count) * period_s / duration, 1.0)[:, None]
    pull, share, way = _trapezium(s, ramp=_BRAKE_RAMP, height=height)
    return Reference(
        positions=present.positions[0] + speed * duration * way,
        velocities=speed * share,
        accelerations=-speed / duration * pull,
    )


def _trapezium(
    s: NDArray[np.float64], *, ramp: float, height: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Deceleration, speed and way at times ``s`` of 0 to 1, from speed 1 to rest."""
    left = 1.0 - s
    pull = height * np.minimum(np.minimum(s, left) / ramp, 1.0)
    is_first, is_last = s < ramp, left < ramp
    share = np.where(
        is_first,
        1.0 - height * s**2 / (2.0 * ramp),
        np.where(is_last, height * left**2 / (2.0 * ramp), 1.0 - height * (s - 0.5 * ramp)),
    )
    middle = s - height * (0.5 * s**2 - 0.5 * ramp * s + ramp**2 / 6.0)
    way = np.where(
        is_first,
        s - height * s**3 / (6.0 * ramp),
        np.where(is_last, 0.5 - height * left**3 / (6.0 * ramp), middle),
    )
    return pull, share, way


def _decay(
    offset: NDArray[np.float64],
    speed: NDArray[np.float64],
    push: NDArray[np.float64],
    *,
    duration: float,
    period_s: float,
) -> Reference:
    """Quintic from a position, velocity and acceleration to zero, at the control periods."""
    d, v, a = offset, speed * duration, push * duration**2
    terms = np.stack(
        (
            d,
            v,
            0.5 * a,
            -10.0 * d - 6.0 * v - 1.5 * a,
            15.0 * d + 8.0 * v + 1.5 * a,
            -6.0 * d - 3.0 * v - 0.5 * a,
        )
    )
    count = int(np.ceil(duration / period_s)) + 1
    s = np.minimum(np.arange(count) * period_s / duration, 1.0)[:, None]
    powers = np.arange(6)
    first = powers * s ** np.maximum(powers - 1, 0)
    second = powers * (powers - 1) * s ** np.maximum(powers - 2, 0)
    return Reference(
        positions=s**powers @ terms,
        velocities=first @ terms / duration,
        accelerations=second @ terms / duration**2,
    )


def _add(wanted: Reference, decay: Reference) -> Reference:
    """Sum of two references; the shorter one is held at its end."""
    count = max(wanted.last, decay.last) + 1

    def padded(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate((rows, np.repeat(rows[-1:], count - len(rows), axis=0)))

    return Reference(
        positions=padded(wanted.positions) + padded(decay.positions),
        velocities=padded(wanted.velocities) + padded(decay.velocities),
        accelerations=padded(wanted.accelerations) + padded(decay.accelerations),
    )
