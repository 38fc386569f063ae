from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.errors import MotionError
from malmm_ros.trajectory import JointState, Trajectory

NAMES = ("a", "b")


def make(times: list[float], positions: list[list[float]]) -> Trajectory:
    array = np.array(positions, dtype=float)
    return Trajectory(
        names=NAMES,
        times=np.array(times, dtype=float),
        positions=array,
        velocities=np.zeros_like(array),
    )


@pytest.mark.parametrize(
    ("times", "positions", "words"),
    [
        ([], [], "no points"),
        ([0.0, 0.0], [[0, 0], [1, 1]], "increase strictly"),
        ([1.0, 0.5], [[0, 0], [1, 1]], "increase strictly"),
        ([-1.0, 0.5], [[0, 0], [1, 1]], "increase strictly"),
        ([0.0], [[0, 0, 0]], "must both be"),
        ([0.0], [[0, float("nan")]], "not finite"),
    ],
)
def test_a_bad_trajectory_is_refused_with_its_reason(
    times: list[float], positions: list[list[float]], words: str
) -> None:
    with pytest.raises(MotionError, match=words) as caught:
        make(times, positions)
    assert caught.value.category == "invalid_trajectory"


@given(st.floats(-1.0, 3.0))
def test_samples_stay_between_waypoints_at_rest(time_s: float) -> None:
    trajectory = make([0.0, 1.0, 2.0], [[0, 0], [1, -1], [2, -3]])
    position, _ = trajectory.sample(time_s)
    assert 0.0 <= position[0] <= 2.0
    assert -3.0 <= position[1] <= 0.0


def test_velocity_is_the_slope_of_the_position() -> None:
    trajectory = make([0.0, 1.0], [[0, 0], [1, 2]])
    step = 1e-6
    before, _ = trajectory.sample(0.4 - step)
    after, _ = trajectory.sample(0.4 + step)
    _, velocity = trajectory.sample(0.4)
    np.testing.assert_allclose(velocity, (after - before) / (2 * step), rtol=1e-5)


def test_a_joint_state_is_reordered_by_name_and_extra_joints_left_out() -> None:
    state = JointState.at_rest(("x", "b", "a"), np.array([9.0, 2.0, 1.0]))
    np.testing.assert_array_equal(state.select(NAMES).positions, [1.0, 2.0])


def test_a_missing_joint_is_named() -> None:
    state = JointState.at_rest(("a",), np.array([1.0]))
    with pytest.raises(MotionError, match="lacks b"):
        state.select(NAMES)
