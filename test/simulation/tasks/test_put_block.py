"""One block into the area, judged by physics."""

from __future__ import annotations

import pytest

from malmm_ros.geometry import Pose
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld

BLOCK, AREA = "blue block", "green target area"


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("put_block", seed=2, options={"color": "blue"})
    return new


def put(world: MujocoWorld, dx: float, *, height: float = 0.031) -> None:
    x, y, _ = world.physics.pose(AREA).position
    world.physics.place(BLOCK, Pose((x + dx, y, TABLE_TOP_Z + height)))


def test_is_not_done_at_the_start(world: MujocoWorld) -> None:
    is_success, message = world.success()
    assert not is_success
    assert "m from the middle of green target area" in message


def test_is_done_when_the_block_rests_in_the_area(world: MujocoWorld) -> None:
    put(world, 0.01)
    world.settle()
    assert world.success() == (True, "blue block rests in green target area")


def test_beside_the_area_is_not_in_it(world: MujocoWorld) -> None:
    put(world, 0.15)
    world.settle()
    assert not world.success()[0]


def test_over_the_area_is_not_in_it(world: MujocoWorld) -> None:
    put(world, 0.0, height=0.2)
    assert not world.success()[0]


def test_sizes_are_the_references() -> None:
    world = MujocoWorld()
    for seed in range(10):
        world.reset("put_block", seed)
        block, area = world.ground_truth().objects
        assert 0.056 <= block.size[0] <= 0.061
        assert 0.10 <= area.size[0] <= 0.173
