"""The history rule: still things rest, moved things are followed, small moves included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.perception.tracking import HistoryConfig, PoseHistory

SIGMA = 0.0007  # m on each axis, a little more than what cameras were measured to leave


class Bench:
    """A measured object: noise on what it is, and how far the published pose is off."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.x, self.yaw = 0.3, 0.2
        self.history = PoseHistory(self.measured(), symmetry=4, config=HistoryConfig())

    def measured(self) -> Pose:
        x, y, z = np.add((self.x, 0.0, 0.78), self.rng.normal(0.0, SIGMA, 3))
        return Pose.from_yaw((x, y, z), self.yaw + self.rng.normal(0.0, math.radians(1.0)))

    def frames(self, count: int) -> list[float]:
        """How far the published position moves, frame after frame, metres."""
        steps = []
        for _ in range(count):
            before = self.history.pose.position
            self.history.update(self.measured())
            steps.append(float(np.linalg.norm(np.subtract(self.history.pose.position, before))))
        return steps

    @property
    def error(self) -> float:
        """Of the published position, metres."""
        position = self.history.pose.position
        return float(np.linalg.norm(np.subtract(position, (self.x, 0.0, 0.78))))


@pytest.mark.parametrize("seed", range(8))
def test_a_still_object_rests(seed: int) -> None:
    bench = Bench(seed)
    assert max(bench.frames(40)) < 0.001
    assert bench.error < 0.001


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("moves", [(0.009,), (0.004,) * 5, (0.03,)])
def test_moves_are_followed_within_three_frames(seed: int, moves: Sequence[float]) -> None:
    bench = Bench(seed)
    bench.frames(12)
    for move in moves:
        bench.x += move
        bench.frames(1)
    bench.frames(2)
    assert bench.error <= 0.005


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("outlier", [0.005, 0.0075, 0.0085])
def test_one_outlier_moves_nothing(seed: int, outlier: float) -> None:
    bench = Bench(seed)
    bench.frames(12)
    for _ in range(5):
        bench.x += outlier
        steps = bench.frames(1)
        bench.x -= outlier
        assert max(steps + bench.frames(4)) < 0.001
        assert bench.error < 0.002


@pytest.mark.parametrize("seed", range(8))
def test_outliers_on_both_sides_agree_on_nothing(seed: int) -> None:
    bench = Bench(seed)
    bench.frames(12)
    for sign in (1.0, -1.0, 1.0, -1.0):
        bench.x += sign * 0.0075
        bench.frames(1)
        bench.x -= sign * 0.0075
        assert bench.error < 0.002


def test_a_turned_outlier_turns_nothing() -> None:
    bench = Bench(3)
    bench.frames(12)
    bench.yaw += math.radians(20.0)
    bench.frames(1)
    bench.yaw -= math.radians(20.0)
    bench.frames(1)
    assert abs(bench.history.pose.yaw - bench.yaw) < math.radians(2.0)


def test_a_first_error_is_averaged_away() -> None:
    bench = Bench(1)
    bench.x += 0.003  # as if the first image had been that wrong
    bench.frames(30)
    assert bench.error < 0.001


def test_yaw_is_followed_modulo_symmetry() -> None:
    bench = Bench(2)
    bench.frames(10)
    bench.yaw += 0.5 * math.pi  # looks the same
    assert max(bench.frames(5)) < 0.001
    bench.yaw += math.radians(12.0)
    bench.frames(3)
    turn = (bench.history.pose.yaw - bench.yaw + math.pi / 4) % (math.pi / 2) - math.pi / 4
    assert abs(turn) < math.radians(4.0)


@pytest.mark.parametrize(("mode", "is_followed"), [("and", True), ("or", False)])
def test_the_papers_or_alone_does_not_follow_a_translation(
    mode: Literal["and", "or"], is_followed: bool
) -> None:
    # No looking at the mean of the latest measurements: only the rule itself.
    config = HistoryConfig(mode=mode, shift=1.0, turn=3.0)
    history = PoseHistory(Pose((0.3, 0.0, 0.78)), symmetry=4, config=config)
    history.update(Pose((0.33, 0.0, 0.78)))
    assert (abs(history.pose.position[0] - 0.33) < 0.001) == is_followed
