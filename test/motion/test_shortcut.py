from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from malmm_ros.motion.shortcut import shorten


def length(path: list[NDArray[np.float64]]) -> float:
    return float(np.linalg.norm(np.diff(np.array(path), axis=0), axis=1).sum())


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 8))
def test_a_shortened_path_keeps_its_ends_and_is_never_longer(seed: int, count: int) -> None:
    generator = np.random.default_rng(seed)
    path = list(generator.uniform(-2.0, 2.0, (count, 7)))
    before = [point.copy() for point in path]
    # Some motions are blocked, always the same ones.
    shorter = shorten(path, lambda a, b: bool((a.sum() + b.sum()) > 0.0), generator, iterations=20)
    assert np.array_equal(shorter[0], before[0])
    assert np.array_equal(shorter[-1], before[-1])
    assert length(shorter) <= length(before) + 1e-9


def test_only_free_cuts_are_made() -> None:
    path = [np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0])]
    generator = np.random.default_rng(0)
    assert shorten(path, lambda _a, _b: False, generator, iterations=50) == path
    free = shorten(path, lambda _a, _b: True, generator, iterations=50)
    assert length(free) == pytest.approx(np.sqrt(2.0), abs=0.1)


def test_a_straight_path_needs_no_checks() -> None:
    def refuse(_a: NDArray[np.float64], _b: NDArray[np.float64]) -> bool:
        raise AssertionError

    path = [np.zeros(7), np.ones(7)]
    assert shorten(path, refuse, np.random.default_rng(0), iterations=10) == path
