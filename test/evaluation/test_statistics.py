from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.evaluation.statistics import paired_interval, wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Newcombe 1998, two-sided confidence intervals for the single proportion, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_wilson_agrees_with_the_published_examples(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_without_trials_nothing_is_known() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert paired_interval(0, 0, 0, 0) == (-1.0, 1.0)


def test_counts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="0 to 3"):
        wilson_interval(4, 3)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    # Newcombe 1998, paired data, table II: method 10.
    [((36, 12, 2, 0), 0.0569, 0.3404), ((20, 12, 2, 16), 0.0562, 0.3292),
     ((54, 0, 0, 0), -0.0664, 0.0664)],
)  # fmt: skip
def test_paired_differences_agree_with_the_published_examples(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert paired_interval(*counts) == pytest.approx((low, high), abs=1e-4)


def test_the_paired_interval_turns_with_the_pair() -> None:
    low, high = paired_interval(30, 9, 3, 8)
    assert paired_interval(30, 3, 9, 8) == pytest.approx((-high, -low))


def test_paired_intervals_cover_the_true_difference_in_95_of_100_runs() -> None:
    rng = np.random.default_rng(1)
    first = rng.random((2000, 60)) < 0.85
    second = np.where(rng.random(first.shape) < 0.5, first, rng.random(first.shape) < 0.5)
    truth = 0.85 - (0.5 * 0.85 + 0.25)
    hits = 0
    for a, b in zip(first, second, strict=True):
        counts = (a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()
        low, high = paired_interval(*map(int, counts))
        hits += low <= truth <= high
    assert 0.93 < hits / len(first) < 0.98
