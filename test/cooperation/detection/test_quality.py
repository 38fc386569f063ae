"""Average precision, overlap and calibration."""

import pytest

from malmm_ros.cooperation.detection.quality import (
    Boxed,
    Judge,
    average_precision,
    calibration_error,
    overlap,
)


def test_equal_boxes_overlap_wholly_and_separate_ones_not_at_all() -> None:
    assert overlap((0, 0, 4, 4), (0, 0, 4, 4)) == 1.0
    assert overlap((0, 0, 4, 4), (4, 0, 8, 4)) == 0.0
    assert overlap((0, 0, 4, 4), (2, 0, 6, 4)) == pytest.approx(8 / 24)


def test_average_precision_is_the_area_under_all_points_of_a_falling_curve() -> None:
    # Precision 1, 1/2, 2/3 at recalls 1/4, 1/4, 2/4: by hand 1/4 · 1 + 1/4 · 2/3.
    hits = [(0.9, True), (0.8, False), (0.7, True)]
    assert average_precision(hits, 4) == pytest.approx(0.25 + 0.25 * 2 / 3)


def test_finding_everything_without_mistakes_is_one_and_nothing_is_zero() -> None:
    assert average_precision([(0.5, True), (0.6, True)], 2) == 1.0
    assert average_precision([], 2) == 0.0


def test_a_true_box_is_found_once() -> None:
    judge = Judge()
    true = [Boxed(kind="apple", box=(0, 0, 10, 10))]
    twice = [
        Boxed(kind="apple", box=(0, 0, 10, 10), score=0.9),
        Boxed(kind="apple", box=(0, 0, 10, 9), score=0.8),
    ]
    judge.add(twice, true)
    assert judge.hits["apple"] == [(0.9, True), (0.8, False)]


def test_another_class_at_the_same_place_is_a_miss() -> None:
    judge = Judge()
    judge.add(
        [Boxed(kind="orange", box=(0, 0, 10, 10), score=0.9)],
        [Boxed(kind="apple", box=(0, 0, 10, 10))],
    )
    assert judge.by_class() == {"apple": 0.0}
    assert judge.report()["map_50_things"] == 0.0


def test_scores_that_are_shares_of_hits_have_no_calibration_error() -> None:
    assert calibration_error([(0.5, True), (0.5, False)]) == pytest.approx(0.0)
    assert calibration_error([(0.9, False)]) == pytest.approx(0.9)
    assert calibration_error([]) is None
