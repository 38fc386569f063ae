from __future__ import annotations

from collections.abc import Iterator

import pytest

from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots import PlannedRobot
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.simulation import MujocoWorld


@pytest.fixture(scope="session")
def planner() -> RoboplanPlanner:
    return RoboplanPlanner()


@pytest.fixture
def world() -> Iterator[MujocoWorld]:
    made = MujocoWorld()
    made.reset("stack_blocks", seed=3, options={"color": "red", "count": 3})
    yield made
    made.close()


@pytest.fixture
def robot(world: MujocoWorld, planner: RoboplanPlanner) -> PlannedRobot:
    return PlannedRobot(planner, SimulationDriver(world), StateScenes(world))
