from __future__ import annotations

import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.errors import MotionError, PerceptionError
from malmm_ros.geometry import top_down
from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import header, transform_message
from malmm_ros.nodes.vision.arm import ArmHistory
from malmm_ros.nodes.vision.frames import FrameBuffer

ARM, FINGERS = arm_joint_names(), finger_joint_names()


def message(names: tuple[str, ...], positions: tuple[float, ...]) -> JointStateMessage:
    return JointStateMessage(header=header(1.0), name=list(names), position=list(positions))


def hand() -> FrameBuffer:
    frames = FrameBuffer()
    pose = top_down((0.1, 0.0, 1.0), 0.3)
    moved = transform_message(pose, parent="world", child="panda_hand_tcp", stamp_s=1.0)
    frames.add([moved], is_static=False)
    return frames


def test_joints_are_sorted_and_strangers_are_left_out() -> None:
    arm = ArmHistory("panda", gap_s=0.1)
    arm.add(message(("lift", *reversed(ARM)), (7.0, *reversed(READY_POSITIONS))))
    joints = arm.joints(1.0)
    assert joints.names == ARM
    np.testing.assert_array_equal(joints.positions, READY_POSITIONS)


def test_arm_and_fingers_may_come_apart_and_one_finger_stands_for_both() -> None:
    arm = ArmHistory("panda", gap_s=0.1)
    arm.add(message(ARM, READY_POSITIONS))
    assert arm.newest_s() == float("-inf")
    arm.add(message(FINGERS[:1], (0.02,)))
    assert arm.newest_s() == 1.0
    gripper = arm.gripper(1.0, hand(), held="red block")
    assert gripper.width == pytest.approx(0.04)
    assert gripper.held_object == "red block"
    assert gripper.yaw == pytest.approx(0.3)


def test_an_open_hand_holds_nothing_whatever_is_said() -> None:
    arm = ArmHistory("panda", gap_s=0.1)
    arm.add(message(FINGERS, (0.04, 0.04)))
    gripper = arm.gripper(1.0, hand(), held="red block")
    assert gripper.is_open
    assert gripper.held_object == ""


def test_what_is_not_known_is_named() -> None:
    arm = ArmHistory("panda", gap_s=0.1)
    with pytest.raises(PerceptionError, match="joint states of panda_joint1"):
        arm.joints(1.0)
    with pytest.raises(PerceptionError, match="joint states of panda_finger_joint1"):
        arm.gripper(1.0, hand(), held="")
    with pytest.raises(PerceptionError, match="'panda_hand_tcp'"):
        arm.gripper(1.0, FrameBuffer(), held="")
    with pytest.raises(MotionError, match="2 names"):
        arm.add(message(FINGERS, (0.04,)))


def test_an_arm_that_was_put_elsewhere_at_once_is_not_known_by_where_it_was() -> None:
    """A world is replaced while time stands still: the old arm has the new image's stamp."""
    arm, frames = ArmHistory("panda", gap_s=0.1), hand()
    arm.add(message(ARM + FINGERS, (*READY_POSITIONS, 0.02, 0.02)))
    arm.begin(1.5)
    frames.begin(1.5)
    # What comes late of before counts no more.
    arm.add(message(ARM + FINGERS, (*READY_POSITIONS, 0.02, 0.02)))
    assert arm.newest_s() == frames.newest_s("panda_hand_tcp") == float("-inf")
    with pytest.raises(PerceptionError, match="nothing was received yet"):
        arm.joints(1.0)
    with pytest.raises(PerceptionError, match="nothing was received yet"):
        frames.lookup("world", "panda_hand_tcp", 1.0)
    arm.begin(1.0)
    arm.add(message(ARM, READY_POSITIONS))
    assert arm.joints(1.0).positions == pytest.approx(READY_POSITIONS)
