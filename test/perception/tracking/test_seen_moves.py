"""The history rule on rendered images with sensor noise, through the whole pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.perception.pipeline import PipelineConfig, ScenePipeline
from malmm_ros.perception.tracking import HistoryConfig, TrackingConfig
from malmm_ros.perception.tracking.history import HistoryMode
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 7))]
SETTLED = 4  # frames


class Stage:
    """A block that is put anywhere before a noisy camera looks."""

    def __init__(self, world: MujocoWorld, block: SceneObject) -> None:
        self._world, self._block = world, block
        self._images: dict[tuple[float, float], RgbdImage] = {}

    def image(self, x: float, yaw: float) -> RgbdImage:
        """Without noise, the block ``x`` metres away from where it was and turned."""
        if (x, yaw) not in self._images:
            px, py, pz = self._block.pose.position
            pose = Pose.from_yaw((px + x, py, pz), self._block.pose.yaw + yaw)
            self._world.physics.place(self._block.name, pose)
            self._images[x, yaw] = self._world.render("front")
        return self._images[x, yaw]


class Eyes:
    """A pipeline that looks at the stage, and the block's published pose."""

    def __init__(self, stage: Stage, world: MujocoWorld, *, seed: int, mode: HistoryMode) -> None:
        tracking = TrackingConfig(history=HistoryConfig(mode=mode))
        self._pipeline = ScenePipeline(PipelineConfig(tracking=tracking))
        self._noise = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
        self._stage, self._world = stage, world
        self._stamp_s = 0.0
        self.look(*[(0.0, 0.0)] * SETTLED)
        self.first = self.pose

    def look(self, *places: tuple[float, float]) -> list[float]:
        """See the block there, one frame each; how far its published position moved each time."""
        steps = []
        for x, yaw in places:
            image = self._noise.apply(self._stage.image(x, yaw))
            self._stamp_s += 0.1
            before = self.pose if self._stamp_s > 0.15 else None
            self._scene = self._pipeline.update(
                [replace(image, stamp_s=self._stamp_s)],
                joints=self._world.joint_state(),
                gripper=self._world.arm().gripper_state,
            )
            if before is not None:
                steps.append(_distance(before, self.pose))
        return steps

    @property
    def pose(self) -> Pose:
        return next(item.pose for item in self._scene.objects if item.category == "block")

    def error(self, x: float) -> float:
        """By how much its published move misses ``x``, metres; the camera's own error aside."""
        px, py, pz = self.first.position
        return _distance(Pose((px + x, py, pz)), self.pose)


def _distance(first: Pose, second: Pose) -> float:
    return float(np.linalg.norm(np.subtract(first.position, second.position)))


@pytest.fixture(scope="module")
def world() -> Iterator[MujocoWorld]:
    made = MujocoWorld()
    made.reset("put_block", 3)
    made.settle()
    yield made
    made.close()


@pytest.fixture(scope="module")
def stage(world: MujocoWorld) -> Stage:
    objects = world.ground_truth().objects
    return Stage(world, next(item for item in objects if item.category == "block"))


def eyes(stage: Stage, world: MujocoWorld, seed: int, mode: HistoryMode = "and") -> Eyes:
    return Eyes(stage, world, seed=seed, mode=mode)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_still_block_rests_and_an_outlier_does_not_move_it(
    stage: Stage, world: MujocoWorld, seed: int
) -> None:
    seen = eyes(stage, world, seed)
    assert max(seen.look(*[(0.0, 0.0)] * 4)) < 0.001
    # One frame in which it seems to be elsewhere.
    assert max(seen.look((0.0075, 0.0), (0.0, 0.0), (0.0, 0.0))) < 0.001
    assert max(seen.look((-0.0075, 0.0), (0.0, 0.0))) < 0.001
    assert seen.error(0.0) < 0.002


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "moves", [(0.009,), (0.004, 0.008, 0.012, 0.016, 0.02)], ids=["one of 9 mm", "five of 4 mm"]
)
def test_small_moves_are_followed_within_three_frames(
    stage: Stage, world: MujocoWorld, seed: int, moves: Sequence[float]
) -> None:
    seen = eyes(stage, world, seed)
    seen.look(*[(move, 0.0) for move in moves])
    seen.look(*[(moves[-1], 0.0)] * 2)
    assert seen.error(moves[-1]) <= 0.005


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "frames"), [("and", 1), ("or", 2)])
def test_a_pure_translation_of_2_cm_is_followed(
    stage: Stage, world: MujocoWorld, mode: HistoryMode, frames: int
) -> None:
    """By *and* at once, by *or* when a second measurement agrees."""
    seen = eyes(stage, world, 3, mode)
    for frame in range(1, 4):
        seen.look((0.02, 0.0))
        assert (seen.error(0.02) < 0.005) == (frame >= frames)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "frames"), [("and", 1), ("or", 2)])
def test_a_turn_of_45_degrees_in_place_is_followed(
    stage: Stage, world: MujocoWorld, mode: HistoryMode, frames: int
) -> None:
    turn = float(np.radians(45.0))
    seen = eyes(stage, world, 4, mode)
    for frame in range(1, 4):
        seen.look((0.0, turn))
        miss = yaw_difference(seen.first.yaw + turn, seen.pose.yaw, symmetry=4)
        assert (miss < np.radians(5.0)) == (frame >= frames)
