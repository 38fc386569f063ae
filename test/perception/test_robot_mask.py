"""The robot's own pixels follow from its joints, not from the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.perception.robot_mask import RobotMask, RobotMaskConfig
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld, RobotPlacement


@pytest.mark.parametrize("camera", ["front", "overhead", "wrist"])
def test_the_robot_is_masked_and_little_else(
    camera: str, block_world: MujocoWorld, robot_mask: RobotMask
) -> None:
    image = block_world.render(camera, with_labels=True)
    assert image.labels is not None
    is_robot = np.array([name.startswith("panda") for name in image.label_names] + [False])
    own = is_robot[image.labels] & (image.depth > 0.0)
    found = robot_mask.pixels(image, block_world.joint_state(), block_world.gripper_width())
    assert (own & ~found).sum() < 0.002 * own.sum()
    assert (found & ~own).sum() < 0.25 * own.sum()


def test_links_stand_where_the_simulator_has_them(
    block_world: MujocoWorld, robot_mask: RobotMask
) -> None:
    poses = robot_mask.link_poses(block_world.joint_state(), block_world.gripper_width())
    tcp = block_world.ground_truth().gripper.tcp
    assert poses["panda_hand_tcp"].position == pytest.approx(tcp.position, abs=1e-4)


def test_an_arm_that_stands_elsewhere_is_masked_there(robot_mask: RobotMask) -> None:
    """Its place is told by its tool point, not by a constant."""
    world = MujocoWorld()
    base = Pose.from_yaw((-0.2, 0.12, TABLE_TOP_Z), 0.3)
    world.reset("put_block", 3, robots=(RobotPlacement(base=base),))
    world.settle()
    image = world.render("front", with_labels=True)
    assert image.labels is not None
    is_robot = np.array([name.startswith("panda") for name in image.label_names] + [False])
    own = is_robot[image.labels] & (image.depth > 0.0)
    joints, hand = world.joint_state(), world.arm().gripper_state
    found = robot_mask.pixels(image, joints, hand.width, tcp=hand.tcp)
    assert (own & ~found).sum() < 0.002 * own.sum()
    assert (own & ~robot_mask.pixels(image, joints, hand.width)).sum() > 0.1 * own.sum()
    world.close()


def test_paddings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="arm_padding"):
        RobotMaskConfig(arm_padding=0.2)
