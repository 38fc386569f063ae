"""The history rule on rendered images with sensor noise, through the whole pipeline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest

from malmm_ros.bench.seen_moves import BlockStage, BlockWatcher, Place
from malmm_ros.perception.tracking import HistoryConfig
from malmm_ros.perception.tracking.history import HistoryMode

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 7))]
REST: Place = (0.0, 0.0)


@pytest.fixture(scope="module")
def stage() -> Iterator[BlockStage]:
    made = BlockStage()
    yield made
    made.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_still_block_rests_and_an_outlier_does_not_move_it(stage: BlockStage, seed: int) -> None:
    watcher = BlockWatcher(stage, seed=seed)
    assert max(watcher.look(*[REST] * 4)) < 0.001
    # One frame in which it seems to be elsewhere.
    assert max(watcher.look((0.0075, 0.0), REST, REST)) < 0.001
    assert max(watcher.look((-0.0075, 0.0), REST)) < 0.001
    assert watcher.error(REST) < 0.002


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "moves", [(0.009,), (0.004, 0.008, 0.012, 0.016, 0.02)], ids=["one of 9 mm", "five of 4 mm"]
)
def test_small_moves_are_followed_within_three_frames(
    stage: BlockStage, seed: int, moves: Sequence[float]
) -> None:
    watcher = BlockWatcher(stage, seed=seed)
    watcher.look(*[(move, 0.0) for move in moves])
    watcher.look(*[(moves[-1], 0.0)] * 2)
    assert watcher.error((moves[-1], 0.0)) <= 0.005


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "frames"), [("and", 1), ("or", 2)])
def test_a_pure_translation_of_2_cm_is_followed(
    stage: BlockStage, mode: HistoryMode, frames: int
) -> None:
    """By *and* at once, by *or* when a second measurement agrees."""
    watcher, place = BlockWatcher(stage, seed=3, history=HistoryConfig(mode=mode)), (0.02, 0.0)
    for frame in range(1, 4):
        watcher.look(place)
        assert (watcher.error(place) < 0.005) == (frame >= frames)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "frames"), [("and", 1), ("or", 2)])
def test_a_turn_of_45_degrees_in_place_is_followed(
    stage: BlockStage, mode: HistoryMode, frames: int
) -> None:
    place = (0.0, math.radians(45.0))
    watcher = BlockWatcher(stage, seed=4, history=HistoryConfig(mode=mode))
    for frame in range(1, 4):
        watcher.look(place)
        assert (watcher.yaw_error(place) < math.radians(5.0)) == (frame >= frames)
