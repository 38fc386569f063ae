"""Disturbances fire by chance, once a kind, and are recorded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.disturbing import (
    DISTURBANCE_KINDS,
    DisturbedRobot,
    checked_probabilities,
)
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots import PlannedRobot
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld

BLOCK = "blue block"


@pytest.fixture(scope="module")
def planner() -> RoboplanPlanner:
    return RoboplanPlanner()


def disturbed(
    planner: RoboplanPlanner, probabilities: Mapping[str, float], seed: int = 0
) -> DisturbedRobot:
    world = MujocoWorld()
    world.reset("put_block", 2, options={"color": "blue"})
    robot = PlannedRobot(planner, SimulationDriver(world), StateScenes(world))
    rng = np.random.default_rng(seed)
    return DisturbedRobot(robot, world, probabilities=probabilities, rng=rng)


def block_pose(scene: Scene) -> tuple[float, float, float, float]:
    item = scene.find(BLOCK)
    assert item is not None
    return (*item.pose.position, item.yaw)


def pick(robot: DisturbedRobot) -> None:
    x, y, z, yaw = block_pose(robot.observe())
    assert robot.execute_trajectory((x, y, z + 0.12), yaw).is_success
    assert robot.execute_trajectory((x, y, z), yaw).is_success
    assert robot.close_gripper(BLOCK).is_success
    assert robot.execute_trajectory((x, y, z + 0.12), yaw).is_success


def put_back(robot: DisturbedRobot) -> None:
    tcp = robot.observe().gripper.tcp
    x, y, z = tcp.position
    assert robot.execute_trajectory((x, y, z - 0.118), tcp.yaw).is_success
    assert robot.open_gripper().is_success
    assert robot.execute_trajectory((x, y, z), tcp.yaw).is_success


def test_without_probabilities_nothing_happens(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {})
    pick(robot)
    put_back(robot)
    assert robot.events == []


def test_a_certain_slip_empties_the_hand_after_the_lift(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"slip": 1.0})
    pick(robot)
    assert [(event.kind, event.object, event.step) for event in robot.events] == [
        ("slip", BLOCK, 1)
    ]
    assert not robot.observe().gripper.is_holding


def test_each_kind_happens_at_most_once(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"slip": 1.0})
    pick(robot)
    robot.open_gripper()
    pick(robot)
    assert len(robot.events) == 1
    assert robot.observe().gripper.held_object == BLOCK


def test_a_placed_object_is_knocked_away_once_the_hand_has_gone(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"knock": 1.0})
    pick(robot)
    assert robot.events == []
    before = block_pose(robot.observe())
    put_back(robot)
    assert [event.kind for event in robot.events] == ["knock"]
    after = block_pose(robot.observe())
    assert np.linalg.norm(np.subtract(after, before)[:2]) >= 0.06


def test_the_target_moves_after_a_lift(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"move_target": 1.0})
    before = robot.observe().find("green target area")
    pick(robot)
    after = robot.observe().find("green target area")
    assert [event.object for event in robot.events] == ["green target area"]
    assert before is not None
    assert after is not None
    shift = np.subtract(after.pose.position, before.pose.position)
    assert np.linalg.norm(shift) >= 0.03


def test_noise_is_in_one_observation_only_and_in_no_furniture(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"noise": 1.0})
    noisy, exact = robot.observe(), robot.observe()
    offset = np.abs(np.subtract(block_pose(noisy), block_pose(exact)))
    assert 1e-5 < offset.max() < 0.05
    assert noisy.find("green target area") == exact.find("green target area")
    assert [event.kind for event in robot.events] == ["noise"]


def test_an_object_is_missed_once(planner: RoboplanPlanner) -> None:
    robot = disturbed(planner, {"miss": 1.0})
    assert robot.observe().find(BLOCK) is None
    assert robot.observe().find(BLOCK) is not None


def test_equal_seeds_give_equal_events(planner: RoboplanPlanner) -> None:
    robots = [disturbed(planner, {"all": 0.5}, seed=5) for _ in range(2)]
    for robot in robots:
        for _ in range(6):
            robot.observe()
    assert robots[0].events == robots[1].events


def test_all_stands_for_every_kind_that_is_not_named() -> None:
    assert checked_probabilities({"all": 0.3, "slip": 0.0}) == {
        kind: 0.0 if kind == "slip" else 0.3 for kind in DISTURBANCE_KINDS
    }


def test_refuses_unknown_kinds_and_impossible_probabilities() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'knock'"):
        checked_probabilities({"knok": 0.1})
    with pytest.raises(ConfigurationError, match=r"must lie in \[0, 1\], got 1.5"):
        checked_probabilities({"slip": 1.5})
