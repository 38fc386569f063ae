from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.geometry import Pose, top_down, vector3, wrap_angle, yaw_difference

ANGLES = st.floats(-20.0, 20.0)
COORDINATES = st.floats(-2.0, 2.0)
POINTS = st.tuples(COORDINATES, COORDINATES, COORDINATES)


@given(POINTS, ANGLES, POINTS, ANGLES)
def test_chained_transforms_equal_the_product_of_their_matrices(
    first: tuple[float, float, float],
    first_yaw: float,
    second: tuple[float, float, float],
    second_yaw: float,
) -> None:
    a, b = Pose.from_yaw(first, first_yaw), top_down(second, second_yaw)
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-9)


@given(POINTS, ANGLES)
def test_a_pose_chained_with_its_inverse_is_the_identity(
    position: tuple[float, float, float], yaw: float
) -> None:
    pose = top_down(position, yaw)
    np.testing.assert_allclose((pose @ pose.inverse()).matrix(), np.eye(4), atol=1e-9)


@given(POINTS, ANGLES)
def test_a_pose_survives_its_matrix(position: tuple[float, float, float], yaw: float) -> None:
    pose = top_down(position, yaw)
    np.testing.assert_allclose(Pose.from_matrix(pose.matrix()).matrix(), pose.matrix(), atol=1e-9)


@given(ANGLES)
def test_a_top_down_hand_points_down_and_keeps_its_yaw(yaw: float) -> None:
    matrix = top_down((0.0, 0.0, 0.0), yaw).matrix()
    np.testing.assert_allclose(matrix[:3, 2], [0.0, 0.0, -1.0], atol=1e-12)
    assert abs(wrap_angle(top_down((0.0, 0.0, 0.0), yaw).yaw - yaw)) < 1e-9


def test_fingers_close_along_world_y_at_yaw_zero() -> None:
    hand_y = top_down((0.0, 0.0, 0.0), 0.0).matrix()[:3, 1]
    np.testing.assert_allclose(np.abs(hand_y), [0.0, 1.0, 0.0], atol=1e-12)


@given(ANGLES, st.integers(1, 8), st.integers(-5, 5))
def test_yaws_a_symmetry_step_apart_look_alike(yaw: float, symmetry: int, steps: int) -> None:
    turned = yaw + steps * 2.0 * math.pi / symmetry
    assert yaw_difference(yaw, turned, symmetry=symmetry) < 1e-6


@given(ANGLES, ANGLES)
def test_round_objects_have_no_yaw_difference(first: float, second: float) -> None:
    assert yaw_difference(first, second, symmetry=0) == 0.0


@pytest.mark.parametrize("values", [(1.0, 2.0), (1.0, 2.0, math.nan), (1.0, 2.0, 3.0, 4.0)])
def test_vectors_of_wrong_length_or_not_finite_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="three finite numbers"):
        vector3(values)
