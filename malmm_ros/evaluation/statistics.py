"""Intervals for success rates."""

from __future__ import annotations

import math

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
