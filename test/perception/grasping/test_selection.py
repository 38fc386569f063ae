from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.perception.grasping import Grasp, SelectionConfig, choose_grasp, select_grasp


def grasp(x: float, y: float, yaw: float, score: float) -> Grasp:
    return Grasp(tcp=top_down((x, y, 0.8), yaw), width=0.05, score=score)


def cluster(
    rng: np.random.Generator, middle: tuple[float, float, float], score: float, count: int
) -> list[Grasp]:
    x, y, yaw = middle
    return [
        grasp(
            x + rng.uniform(-0.004, 0.004),
            y + rng.uniform(-0.004, 0.004),
            # The hand turned round is the same grasp.
            yaw + rng.uniform(-0.08, 0.08) + math.pi * int(rng.integers(2)),
            score + rng.uniform(-0.02, 0.02),
        )
        for _ in range(count)
    ]


@settings(deadline=None, max_examples=120)
@given(
    seed=st.integers(0, 10**6),
    distance=st.floats(0.05, 0.2),
    direction=st.floats(-math.pi, math.pi),
    yaw=st.floats(-math.pi, math.pi),
    turn=st.floats(-math.pi, math.pi),
    counts=st.tuples(st.integers(6, 25), st.integers(6, 25)),
    outliers=st.integers(0, 5),
    between=st.integers(0, 3),
)
def test_two_clusters_and_outliers_end_in_the_better_cluster(
    seed: int,
    distance: float,
    direction: float,
    yaw: float,
    turn: float,
    counts: tuple[int, int],
    outliers: int,
    between: int,
) -> None:
    """Outliers of the best scores lie far from all else, and between the two clusters."""
    rng = np.random.default_rng(seed)
    good = (0.2, 0.1, yaw)
    bad = (
        0.2 + distance * math.cos(direction),
        0.1 + distance * math.sin(direction),
        yaw + turn,
    )
    lone = [grasp(0.6 + 0.1 * index, -0.4, yaw, 0.99) for index in range(outliers)]
    for index in range(between):
        share = (index + 1) / (between + 1) + rng.uniform(-0.04, 0.04)
        x, y = (a + share * (b - a) for a, b in zip(good[:2], bad[:2], strict=True))
        lone.append(grasp(x, y, yaw + share * turn, 0.99))
    best = cluster(rng, good, 0.8, counts[0])
    grasps = [*best, *cluster(rng, bad, 0.6, counts[1]), *lone]
    rng.shuffle(grasps)
    chosen = choose_grasp(grasps)
    assert chosen is not None
    assert any(
        np.allclose(chosen.tcp.position, item.tcp.position)
        and yaw_difference(chosen.tcp.yaw, item.tcp.yaw, symmetry=2) < 1e-6
        for item in best
    )


def test_clusters_at_one_place_differ_by_their_yaw() -> None:
    rng = np.random.default_rng(0)
    grasps = cluster(rng, (0.2, 0.0, 0.0), 0.8, 20)
    grasps += cluster(rng, (0.2, 0.0, 0.5 * math.pi), 0.6, 20)
    selection = select_grasp(grasps)
    assert selection is not None
    assert selection.clusters == 2
    assert selection.members == 20
    assert yaw_difference(selection.grasp.tcp.yaw, 0.0, symmetry=2) < 0.1


def test_the_chosen_one_is_a_proposal_and_central() -> None:
    grasps = [grasp(0.002 * index, 0.0, 0.0, 0.7) for index in range(21)]
    chosen = choose_grasp(grasps)
    assert chosen == grasps[10]


def test_better_scores_pull_the_centre() -> None:
    grasps = [grasp(0.002 * index, 0.0, 0.0, 0.2 + 0.03 * index) for index in range(21)]
    chosen = choose_grasp(grasps)
    assert chosen is not None
    assert chosen.tcp.position[0] > 0.024


def test_a_round_thing_is_taken_with_the_least_turn_of_the_hand() -> None:
    grasps = [grasp(0.2, 0.0, yaw, 0.7) for yaw in np.linspace(-1.5, 1.5, 48)]
    chosen = choose_grasp(grasps)
    assert chosen is not None
    assert abs(chosen.tcp.yaw) < 0.3


def test_without_a_cluster_the_best_proposal_is_taken() -> None:
    grasps = [grasp(0.1 * index, 0.0, 0.0, score) for index, score in enumerate((0.3, 0.9, 0.5))]
    selection = select_grasp(grasps)
    assert selection is not None
    assert (selection.clusters, selection.members) == (0, 1)
    assert selection.grasp.tcp.position[0] == pytest.approx(0.1)


def test_what_does_not_come_from_above_is_left_out() -> None:
    half = math.radians(165.0 / 2.0)
    leaning = Pose((0.2, 0.0, 0.8), (math.sin(half), 0.0, 0.0, math.cos(half)))
    tilted = Grasp(tcp=leaning, width=0.05, score=0.9)
    assert choose_grasp([tilted], SelectionConfig(tilt_limit=math.radians(14.0))) is None
    chosen = choose_grasp([tilted], SelectionConfig(tilt_limit=math.radians(16.0)))
    assert chosen is not None
    # It is handed over as the arm takes it.
    assert math.pi - chosen.tcp.tilt < 1e-6
    assert choose_grasp([]) is None


@pytest.mark.parametrize(
    "values", [{"eps": 0.0}, {"min_samples": 0}, {"tilt_limit": 2.0}, {"rotation_scale": -1.0}]
)
def test_settings_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        SelectionConfig(**values)  # type: ignore[arg-type]  # wrong on purpose
