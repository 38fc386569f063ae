"""Intervals for success rates and means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

_Z_95 = 1.959963984540054  # the normal distribution's 97.5 % quantile


def wilson_interval(successes: int, trials: int, *, z: float = _Z_95) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927).

    Args:
        successes: 0 to ``trials``.
        trials: At least 0; with none, nothing is known: (0, 1).
        z: Quantile of the normal distribution; 95 % by default.

    Raises:
        ValueError: Counts do not fit.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be 0 to {trials}, got {successes}")
    if trials == 0:
        return (0.0, 1.0)
    rate = successes / trials
    scale = 1.0 + z**2 / trials
    centre = (rate + z**2 / (2 * trials)) / scale
    spread = z / scale * math.sqrt(rate * (1 - rate) / trials + z**2 / (4 * trials**2))
    return (max(0.0, centre - spread), min(1.0, centre + spread))


def paired_interval(
    both: int, first_only: int, second_only: int, neither: int
) -> tuple[float, float]:
    """95 % interval of the difference of two success rates on the same episodes.

    Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions
    based on paired data", method 10: both Wilson intervals, joined by the pairs' correlation.

    Args:
        both: Episodes in which both succeeded.
        first_only: Only the first one did.
        second_only: Only the second one did.
        neither: None did.

    Returns:
        Of the first rate minus the second; (-1, 1) without episodes.
    """
    count = both + first_only + second_only + neither
    if count == 0:
        return (-1.0, 1.0)
    first, second = (both + first_only) / count, (both + second_only) / count
    low1, high1 = wilson_interval(both + first_only, count)
    low2, high2 = wilson_interval(both + second_only, count)
    phi = _correlation(both, first_only, second_only, neither)
    below = _joined(first - low1, high2 - second, phi)
    above = _joined(high1 - first, second - low2, phi)
    difference = first - second
    return (max(-1.0, difference - below), min(1.0, difference + above))


def _correlation(both: int, first_only: int, second_only: int, neither: int) -> float:
    """Newcombe's phi with continuity correction; 0 when a margin is empty."""
    count = both + first_only + second_only + neither
    product = (
        (both + first_only)
        * (second_only + neither)
        * (both + second_only)
        * (first_only + neither)
    )
    if product == 0:
        return 0.0
    excess = both * neither - first_only * second_only
    corrected = max(excess - count / 2, 0.0) if excess > 0 else float(excess)
    return corrected / math.sqrt(product)


def _joined(own: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, own**2 - 2.0 * phi * own * other + other**2))


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % interval of a mean by Student's t; without bounds for fewer than two values.

    Args:
        values: Independent; differences between pairs for a paired comparison.
    """
    if len(values) < 2:
        return (-math.inf, math.inf)
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = float(stats.t.ppf(0.975, len(values) - 1)) * math.sqrt(variance / len(values))
    return (mean - half, mean + half)
