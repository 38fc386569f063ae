"""Worlds to look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld


def _block_world() -> Iterator[MujocoWorld]:
    world = MujocoWorld()
    world.reset("put_block", 3)
    world.settle()
    yield world
    world.close()


@pytest.fixture(scope="module")
def block_world() -> Iterator[MujocoWorld]:
    """The world of put_block, at rest."""
    yield from _block_world()


@pytest.fixture
def fresh_block_world() -> Iterator[MujocoWorld]:
    """The same for one test alone, which may move things."""
    yield from _block_world()


@pytest.fixture
def block(fresh_block_world: MujocoWorld) -> SceneObject:
    """The block in it."""
    objects = fresh_block_world.ground_truth().objects
    return next(item for item in objects if item.category == "block")


@pytest.fixture(scope="session")
def robot_mask() -> RobotMask:
    """Of the one Panda."""
    return RobotMask()
