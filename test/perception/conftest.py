"""Worlds to look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.simulation import MujocoWorld


@pytest.fixture(scope="module")
def block_world() -> Iterator[MujocoWorld]:
    """The world of put_block, at rest."""
    world = MujocoWorld()
    world.reset("put_block", 3)
    world.settle()
    yield world
    world.close()


@pytest.fixture(scope="session")
def robot_mask() -> RobotMask:
    """Of the one Panda."""
    return RobotMask()
