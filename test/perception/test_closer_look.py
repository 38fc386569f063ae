"""A camera close to a known thing tells better where it is, or says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.perception.closer_look import CloserLookConfig, CloserLooks, look_closer
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.tracking import View
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig

HOVER = 0.1


@pytest.fixture(scope="module")
def world() -> Iterator[MujocoWorld]:
    made = MujocoWorld()
    made.reset("put_block", 3)
    made.settle()
    yield made
    made.close()


@pytest.fixture(scope="module")
def block(world: MujocoWorld) -> SceneObject:
    return next(item for item in world.ground_truth().objects if not item.is_fixed)


@pytest.fixture(scope="module")
def hovering(world: MujocoWorld, block: SceneObject) -> View:
    """What the wrist camera sees from above the block, with noise and a wrong calibration."""
    robot = simulated_robot(world)
    x, y, z = block.pose.position
    moved = robot.execute_trajectory((x, y, z + HOVER), block.pose.yaw)
    assert moved.is_success, moved.message
    return seen(world)


def seen(world: MujocoWorld, camera: str = "wrist") -> View:
    image = SensorNoise(SensorNoiseConfig(), np.random.default_rng(4)).apply(world.render(camera))
    mask = RobotMask().pixels(image, world.joint_state(), world.gripper_width())
    return View(image=image, robot=mask)


def misplaced(item: SceneObject, dx: float, turn: float = 0.0) -> SceneObject:
    x, y, z = item.pose.position
    return replace(item, pose=Pose.from_yaw((x + dx, y, z), item.pose.yaw + turn))


@pytest.mark.parametrize(("dx", "turn"), [(0.0, 0.0), (0.012, 0.1), (-0.012, -0.2)])
def test_it_is_right_to_the_calibrations_error_wherever_it_was_thought_to_be(
    hovering: View, block: SceneObject, dx: float, turn: float
) -> None:
    found = look_closer(misplaced(block, dx, turn), hovering)
    assert found is not None
    assert found.position == pytest.approx(block.pose.position, abs=0.0035)
    assert yaw_difference(found.yaw, block.pose.yaw, symmetry=4) < np.radians(3.0)


def test_what_is_not_the_known_thing_is_not_believed(hovering: View, block: SceneObject) -> None:
    larger = replace(block, size=(0.08, 0.08, block.size[2]))
    elsewhere = misplaced(block, 0.2)
    for item in (larger, elsewhere):
        assert look_closer(item, hovering) is None


def test_a_view_that_the_robot_or_the_border_cuts_is_not_believed(
    hovering: View, block: SceneObject
) -> None:
    local = hovering.image.world_from_camera.inverse().apply(np.array([block.pose.position]))
    column, row = np.rint(hovering.image.camera.project(local)).astype(int)[0]
    robot = hovering.robot.copy()
    robot[:, column:] = True
    cut = replace(hovering, robot=robot)
    near = np.where(robot, np.float32(0.1), hovering.image.depth)
    cut = replace(cut, image=replace(hovering.image, depth=near))
    assert 0 < row < hovering.image.depth.shape[0]
    assert look_closer(block, cut) is None


def test_a_close_look_holds_until_the_thing_is_elsewhere(
    hovering: View, block: SceneObject
) -> None:
    looks = CloserLooks()
    thought = misplaced(block, 0.008)
    (near,) = looks.update([hovering], [thought])
    assert near.pose.position == pytest.approx(block.pose.position, abs=0.0035)
    for dx in (0.008, 0.012):  # no close camera, and the others scatter
        (kept,) = looks.update([], [misplaced(block, dx)])
        assert kept.pose == near.pose
    (moved,) = looks.update([], [misplaced(block, 0.03)])
    assert moved.pose == misplaced(block, 0.03).pose
    (back,) = looks.update([], [thought])
    assert back.pose == thought.pose


def test_far_cameras_held_and_fixed_things_are_left_alone(
    world: MujocoWorld, hovering: View, block: SceneObject
) -> None:
    looks = CloserLooks()
    thought = misplaced(block, 0.008)
    for item in (replace(thought, is_fixed=True), replace(thought, is_held=True)):
        assert looks.update([hovering], [item]) == (item,)
    assert looks.update([seen(world, "overhead")], [thought]) == (thought,)
    off = CloserLooks(CloserLookConfig(distance=0.0))
    assert off.update([hovering], [thought]) == (thought,)
