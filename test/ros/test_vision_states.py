"""The cameras' node hears arm, fingers and transforms, from whomever they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage
from tf2_msgs.msg import TFMessage

from malmm_ros.geometry import Pose
from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import header, transform_message
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.vision.configuration import VisionSourceConfig
from malmm_ros.nodes.vision.source import VisionSource

ARM, FINGERS = arm_joint_names("fr3"), finger_joint_names("fr3")
STAMP_S = 10.0


def test_fixed_transforms_of_many_publishers_are_all_known(
    client: Node, wait_until: Callable[..., None]
) -> None:
    publishers = [client.create_publisher(TFMessage, "/tf_static", LATCHED) for _ in range(6)]
    for index, publisher in enumerate(publishers):
        moved = transform_message(
            Pose((1.0, 0.0, 0.0)), parent="world", child=f"camera_{index}", stamp_s=0.0
        )
        publisher.publish(TFMessage(transforms=[moved]))
    perceiver: Any = None
    source = VisionSource(
        client,
        VisionSourceConfig(),
        perceiver=perceiver,
        held=lambda: "",
        on_perceived=lambda *_: None,
    )
    frames = {f"camera_{index}" for index in range(len(publishers))}
    wait_until(
        lambda: frames <= set(source._frames._links), timeout_s=15.0, what="every transform"
    )
    source.close()


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
