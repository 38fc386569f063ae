"""The cameras' node hears the arm and the fingers where the bring-up says that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import header
from malmm_ros.nodes.vision.configuration import VisionSourceConfig
from malmm_ros.nodes.vision.source import VisionSource

ARM, FINGERS = arm_joint_names("fr3"), finger_joint_names("fr3")
STAMP_S = 10.0


def test_fingers_with_a_topic_of_their_own_are_heard_there_alone(
    client: Node, wait_until: Callable[..., None]
) -> None:
    config = VisionSourceConfig(
        robot_name="fr3",
        arm_states="franka/joint_states",
        gripper_states="franka_gripper/joint_states",
    )
    perceiver: Any = None  # no image comes
    source = VisionSource(
        client, config, perceiver=perceiver, held=lambda: "", on_perceived=lambda *_: None
    )
    publishers = [
        client.create_publisher(JointStateMessage, topic, 10)
        for topic in ("franka/joint_states", "franka_gripper/joint_states", "joint_states")
    ]
    contents = [
        (ARM, READY_POSITIONS),
        (FINGERS, (0.02, 0.02)),
        # What joint_state_publisher makes of fingers that nobody told it of.
        ((*ARM, *FINGERS), (0.0,) * 9),
    ]

    def is_heard() -> bool:
        for publisher, (names, positions) in zip(publishers, contents, strict=True):
            publisher.publish(
                JointStateMessage(header=header(STAMP_S), name=list(names), position=positions)
            )
        return source._arm.newest_s() == STAMP_S

    wait_until(is_heard, timeout_s=15.0, what="joint states")
    np.testing.assert_allclose(source._arm.joints(STAMP_S).positions, READY_POSITIONS)
    np.testing.assert_allclose(source._arm._opening.at(STAMP_S), (0.02, 0.02))
    source.close()
