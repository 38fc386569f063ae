"""Least squares on signed distances to a surface, robust to what lies far from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_ITERATIONS = 12
_CLOSE = 5e-5  # m and radians: steps so small change nothing that matters
_HUBER = 0.004  # m
LEAST_HALF = 0.003  # m
# Points farther from the surface count as if they were this far, metres.
_MOST = 0.02


def box_distance(
    beyond: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Signed distance ``(N,)`` and normal ``(N, K)`` from how far each axis is exceeded."""
    outside = np.maximum(beyond, 0.0)
    distance = np.sqrt((outside * outside).sum(axis=1))
    is_outside = distance > 0.0
    nearest = beyond.argmax(axis=1)
    value = np.where(is_outside, distance, beyond[np.arange(len(beyond)), nearest])
    normal = np.zeros_like(beyond)
    normal[np.arange(len(beyond)), nearest] = 1.0
    normal[is_outside] = outside[is_outside] / distance[is_outside, None]
    return value, normal


def solve(
    state: NDArray[np.float64],
    residuals: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]],
    priors: Callable[[NDArray[np.float64]], list[tuple[float, NDArray[np.float64]]]],
    *,
    least: int,
) -> NDArray[np.float64]:
    """Damped Gauss-Newton with Huber's weights; extents from index ``least`` stay positive."""
    sigma = 0.002
    for _ in range(_ITERATIONS):
        value, jacobian = residuals(state)
        weight = np.minimum(1.0, _HUBER / np.maximum(np.abs(value), 1e-9)) / sigma**2
        # 100 points' worth, so that a prior means the same for few and many points.
        weight *= min(1.0, 100.0 / len(value))
        normal = (jacobian * weight[:, None]).T @ jacobian
        gradient = (jacobian * weight[:, None]).T @ value
        for offset, row in priors(state):
            normal += np.outer(row, row)
            gradient += row * offset
        normal += np.diag(1e-3 * np.diag(normal) + 1e-6)
        step = np.linalg.solve(normal, gradient)
        step = np.clip(step, -0.05, 0.05)
        state = state - step
        state[least:] = np.maximum(state[least:], LEAST_HALF)
        if float(np.abs(step).max()) < _CLOSE:
            break
    return state


def score(value: NDArray[np.float64]) -> float:
    """Mean absolute distance, metres, each counted at most 2 cm."""
    return float(np.minimum(np.abs(value), _MOST).mean())
