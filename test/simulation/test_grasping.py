"""Physics holds what the fingers grip, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.models import READY_POSITIONS
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.reach import reach_of

Drive = Callable[..., float]
BLOCK = "red block 1"
LIFT = 0.25


def grip(world: MujocoWorld, width: float = 0.0, force: float | None = None) -> str:
    gripper = world.arm().gripper
    gripper.command(width, force)
    world.step_until(lambda: not gripper.is_active, 4.0)
    return gripper.status.state


def put_block_in_front(world: MujocoWorld, yaw: float) -> Pose:
    """The block alone at a place that the hand reaches well."""
    for index, item in enumerate(world.ground_truth().objects):
        if not item.is_fixed and item.name != BLOCK:
            world.physics.place(item.name, Pose((-0.4, -0.6 + 0.12 * index, 0.777)))
    world.physics.place(BLOCK, Pose.from_yaw((0.25, 0.1, 0.777), yaw))
    world.settle()
    return world.physics.pose(BLOCK)


def tcp_from_block(world: MujocoWorld) -> Pose:
    scene = world.ground_truth()
    block = scene.find(BLOCK)
    assert block is not None
    return scene.gripper.tcp.inverse() @ block.pose


@pytest.mark.parametrize("yaw", [0.0, 0.5])
def test_a_cube_lifted_and_held_for_five_seconds_slips_less_than_two_millimetres(
    world: MujocoWorld, drive: Drive, yaw: float
) -> None:
    pose = put_block_in_front(world, yaw)
    x, y, z = pose.position
    reach = reach_of()
    above = reach.solve(top_down((x, y, z + 0.12), yaw))
    assert above is not None
    down = reach.solve(top_down((x, y, z), yaw), seed=above)
    up = reach.solve(top_down((x, y, z + LIFT), yaw), seed=above)
    assert down is not None
    assert up is not None
    drive(above)
    drive(down)
    assert grip(world) == "stalled"
    assert world.gripper_width() == pytest.approx(0.05, abs=0.002)
    gripped = tcp_from_block(world)
    drive(up)
    world.step(2500)
    held = tcp_from_block(world)
    assert np.linalg.norm(np.subtract(held.position, gripped.position)) < 0.002
    assert yaw_difference(held.yaw, gripped.yaw) < 0.02
    assert world.physics.pose(BLOCK).position[2] == pytest.approx(z + LIFT, abs=0.003)
    assert world.is_touched_by_robot(BLOCK)
    drive(down)
    assert grip(world, 0.08) == "reached"
    assert world.settle()
    assert not world.is_touched_by_robot(BLOCK)
    assert world.physics.pose(BLOCK).position[2] == pytest.approx(z, abs=0.001)


def test_closing_on_nothing_reaches_the_width(world: MujocoWorld) -> None:
    assert grip(world) == "reached"
    assert world.gripper_width() < 0.002
    assert not world.ground_truth().gripper.is_open
    assert grip(world, 0.04) == "reached"
    assert world.gripper_width() == pytest.approx(0.04, abs=0.002)


def test_ground_truth_does_not_say_what_is_held(world: MujocoWorld) -> None:
    assert world.ground_truth().gripper.held_object == ""


def test_yaw_is_zero_when_the_fingers_close_along_y(world: MujocoWorld, drive: Drive) -> None:
    joints = reach_of().solve(top_down((0.2, 0.1, 1.0), 0.4))
    assert joints is not None
    drive(joints)
    gripper = world.ground_truth().gripper
    assert gripper.yaw == pytest.approx(0.4, abs=0.01)
    assert gripper.tcp.position == pytest.approx((0.2, 0.1, 1.0), abs=0.002)
    left = world.physics.pose("panda_leftfinger").position
    right = world.physics.pose("panda_rightfinger").position
    along = np.subtract(left, right)
    angle = np.arctan2(along[1], along[0]) - np.pi / 2
    assert yaw_difference(float(angle), 0.4, symmetry=2) < 0.01


def test_an_arm_at_rest_stays_where_it_is(world: MujocoWorld) -> None:
    world.step(1000)
    assert np.abs(world.joint_state().positions - READY_POSITIONS).max() < 1e-3


@pytest.mark.parametrize("width", [-0.01, 0.09, float("nan")])
def test_refuses_widths_beyond_the_fingers(world: MujocoWorld, width: float) -> None:
    with pytest.raises(MotionError) as caught:
        world.arm().gripper.command(width)
    assert caught.value.category == "limits"


def test_refuses_a_negative_force(world: MujocoWorld) -> None:
    with pytest.raises(MotionError):
        world.arm().gripper.command(0.0, -5.0)
