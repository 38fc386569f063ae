from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malmm_ros.cooperation.transport.collision import Obstacles, disc_gap, segment_distances
from malmm_ros.cooperation.transport.episode import load_episodes

coordinates = st.floats(-3.0, 3.0, allow_nan=False)
points = st.tuples(coordinates, coordinates)
BOX = np.array([[-1.0, -0.5, 1.0, 0.5]])


def sampled(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Distance by brute force: many points of the segment."""
    share = np.linspace(0.0, 1.0, 400)
    xs = start[0] + share * (end[0] - start[0])
    ys = start[1] + share * (end[1] - start[1])
    dx = np.maximum(np.maximum(-1.0 - xs, xs - 1.0), 0.0)
    dy = np.maximum(np.maximum(-0.5 - ys, ys - 0.5), 0.0)
    return float(np.hypot(dx, dy).min())


@settings(max_examples=200, deadline=None)
@given(points, points)
def test_the_distance_of_a_segment_from_a_box_is_exact(
    start: tuple[float, float], end: tuple[float, float]
) -> None:
    step = math.dist(start, end) / 399
    exact = float(segment_distances(start, end, BOX)[0])
    assert exact <= sampled(start, end) + 1e-9
    assert exact >= sampled(start, end) - step


def test_a_long_step_cannot_jump_over_a_thin_wall() -> None:
    wall = np.array([[0.0, -5.0, 0.01, 5.0]])
    assert segment_distances((-2.0, 0.0), (2.0, 0.0), wall)[0] == 0.0


@pytest.mark.parametrize(
    ("other", "gap"), [((1.0, 0.5), 0.5), ((-1.0, 0.0), 1.0), ((3.0, 4.0), math.hypot(1, 4))]
)
def test_the_gap_of_a_moved_disc(other: tuple[float, float], gap: float) -> None:
    assert disc_gap((0.0, 0.0), (2.0, 0.0), other) == pytest.approx(gap)
    assert disc_gap((0.0, 0.0), (0.0, 0.0), (0.0, 2.0)) == pytest.approx(2.0)


def test_what_is_hit_has_a_name() -> None:
    layout = load_episodes("test")[0].layout
    obstacles = Obstacles.of(layout)
    bed = layout.bed
    x, y = bed.area.centre
    assert obstacles.hit((x, y), (x, y), 0.1) == f"bed ({bed.id})"
