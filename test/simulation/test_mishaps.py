"""Mishaps change the physical world and leave a task that can still be done."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.mishaps import knock_away, move_target, slip_grasp

Load = Callable[..., tuple[MujocoWorld, Script]]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_knocked_block_ends_somewhere_else_and_level() -> None:
    world = MujocoWorld()
    world.reset("put_block", 2, options={"color": "blue"})
    before = world.pose("blue block").position
    assert "knocked blue block away" in knock_away(world, "blue block", rng())
    after = world.pose("blue block").position
    assert math.dist(before, after) >= 0.06
    assert after[2] == pytest.approx(before[2], abs=2e-3)


def test_what_stands_deep_in_something_is_not_knocked_away() -> None:
    world = MujocoWorld()
    world.reset("put_rubbish_in_bin", 1)
    x, y, _ = world.pose("bin").position
    world.physics.place("rubbish", Pose((x, y, TABLE_TOP_Z + 0.03)))
    world.settle()
    before = world.pose("rubbish").position
    with pytest.raises(SimulationError, match="no push gets rubbish away"):
        knock_away(world, "rubbish", rng())
    assert world.pose("rubbish").position == pytest.approx(before, abs=1e-6)


def test_furniture_is_not_knocked_away() -> None:
    world = MujocoWorld()
    world.reset("meat_off_grill", 1)
    with pytest.raises(SimulationError, match="grill is fixed"):
        knock_away(world, "grill", rng())


def test_a_slipped_object_falls_and_the_robot_knows_that_its_hand_is_empty(load: Load) -> None:
    world, script = load("put_rubbish_in_bin", 0)
    script.pick("rubbish")
    assert "rubbish slipped" in slip_grasp(world)
    rubbish = script.find("rubbish")
    assert rubbish.bottom_z == pytest.approx(TABLE_TOP_Z, abs=2e-3)
    assert not script.robot.observe().gripper.is_holding


def test_a_slip_is_reported_by_the_next_motion_when_nobody_looked(load: Load) -> None:
    world, script = load("put_rubbish_in_bin", 0)
    script.pick("rubbish")
    x, y, z = script.robot.observe().gripper.tcp.position
    slip_grasp(world)
    result = script.robot.execute_trajectory((x, y, z + 0.03), 0.0)
    assert result.reason == "dropped"
    assert "'rubbish' was dropped" in result.message


def test_an_empty_hand_lets_nothing_slip() -> None:
    world = MujocoWorld()
    world.reset("put_block", 2)
    with pytest.raises(SimulationError, match="holds nothing"):
        slip_grasp(world)


def test_a_moved_target_takes_along_what_is_fixed_to_it_and_what_stands_on_it() -> None:
    world = MujocoWorld()
    world.reset("insert_onto_square_peg", 3)
    peg = next(name for name in world.task.groups[0] if name.endswith("peg"))
    x, y, z = world.pose(peg).position
    yaw = world.pose(peg).yaw
    world.physics.place("square ring", Pose.from_yaw((x, y, z), yaw))
    world.settle()
    before = {name: world.pose(name) for name in (*world.task.groups[0], "square ring")}
    base = before["peg base"]
    move_target(world, "peg base", rng())
    world.settle()
    moved = world.pose("peg base")
    assert math.dist(moved.position, base.position) >= 0.03
    for name, pose in before.items():
        expected = (moved @ base.inverse() @ pose).position
        assert world.pose(name).position == pytest.approx(expected, abs=3e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_moved_target_overlaps_nothing(seed: int) -> None:
    world = MujocoWorld()
    world.reset("stack_blocks", seed)
    move_target(world, world.task.target, rng(seed))
    scene = world.ground_truth()
    area = scene.find(world.task.target)
    assert area is not None
    for item in scene.objects:
        if item.name != area.name:
            assert math.dist(item.pose.position[:2], area.pose.position[:2]) >= 0.1


def test_equal_seeds_give_equal_mishaps() -> None:
    texts = []
    for _ in range(2):
        world = MujocoWorld()
        world.reset("put_block", 4)
        texts.append((move_target(world, world.task.target, rng(9)), world.ground_truth()))
    assert texts[0] == texts[1]
