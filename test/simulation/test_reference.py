"""References join smoothly, whatever the moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from malmm_ros.simulation.controllers import ArmControllerConfig
from malmm_ros.simulation.reference import Reference, blend, brake, hold, sample
from malmm_ros.trajectory import Trajectory

PERIOD_S = 0.004
LIMIT = np.asarray(ArmControllerConfig().acceleration_limit)
SPEED = np.array([2.175] * 4 + [2.61] * 3)
seeds = st.integers(0, 2**32 - 1)


def present_state(rng: np.random.Generator, *, speed: float, push: float) -> Reference:
    return Reference(
        positions=rng.uniform(-1.0, 1.0, (1, 7)),
        velocities=rng.uniform(-speed, speed, (1, 7)) * SPEED,
        accelerations=rng.uniform(-push, push, (1, 7)) * LIMIT,
    )


def from_rest(rng: np.random.Generator, start: NDArray[np.float64]) -> Trajectory:
    times = np.linspace(0.0, 1.5, 60)
    s = times / 1.5
    move = rng.uniform(-1.0, 1.0, 7)
    return Trajectory(
        names=tuple("abcdefg"),
        times=times,
        positions=start + (s**3 * (10 - 15 * s + 6 * s**2))[:, None] * move,
        velocities=(30 * s**2 * (1 - s) ** 2 / 1.5)[:, None] * move,
    )


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_blend_starts_from_the_present_and_ends_at_the_goal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    present = present_state(rng, speed=0.9, push=0.4)
    trajectory = from_rest(rng, present.positions[0] + rng.uniform(-0.05, 0.05, 7))
    joined = blend(
        present,
        sample(trajectory, period_s=PERIOD_S),
        period_s=PERIOD_S,
        acceleration_limit=LIMIT,
        speed_limit=SPEED,
    )
    assert np.abs(joined.positions[0] - present.positions[0]).max() < 1e-9
    assert np.abs(joined.velocities[0] - present.velocities[0]).max() < 1e-9
    assert np.abs(joined.positions[-1] - trajectory.positions[-1]).max() < 1e-9
    assert np.abs(joined.velocities[-1]).max() < 1e-9
    assert (np.abs(joined.accelerations) <= LIMIT * 1.01).all()
    assert (np.abs(joined.velocities) <= SPEED * 1.1).all()
    slope = np.diff(joined.positions, axis=0) / PERIOD_S
    assert np.abs(slope - joined.velocities[1:]).max() < LIMIT.max() * PERIOD_S


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_brake_stops_within_the_limits(seed: int) -> None:
    present = present_state(np.random.default_rng(seed), speed=1.0, push=0.0)
    stop = brake(present, period_s=PERIOD_S, acceleration_limit=LIMIT)
    assert np.abs(stop.positions[0] - present.positions[0]).max() < 1e-12
    assert np.abs(stop.velocities[-1]).max() < 1e-9
    assert (np.abs(stop.accelerations) <= LIMIT * 1.001).all()
    assert stop.last * PERIOD_S < 0.6


def test_standing_still_blends_into_a_reference_from_there_unchanged() -> None:
    rng = np.random.default_rng(1)
    wanted = sample(from_rest(rng, np.zeros(7)), period_s=PERIOD_S)
    joined = blend(
        hold(np.zeros(7)),
        wanted,
        period_s=PERIOD_S,
        acceleration_limit=LIMIT,
        speed_limit=SPEED,
    )
    assert joined is wanted
