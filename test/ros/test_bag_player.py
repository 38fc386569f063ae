"""Playing a bag again: what belongs to one moment comes as one moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import Image, JointState

from malmm_ros.nodes.conversions import seconds
from malmm_ros.nodes.spinning import SpinThread

pytest.importorskip("rosbags", reason="the extra [bags] is not installed")

from malmm_ros.nodes.bags.player import BagPlayer

BAG = Path(__file__).parents[1] / "data" / "put_block_front"
COLOR, DEPTH = "/camera/front/color/image_raw", "/camera/front/depth/image_rect_raw"


def test_each_frame_of_a_bag_is_played_whole_and_with_one_stamp(
    ros_context: rclpy.Context, wait_until: Callable[..., None]
) -> None:
    node = Node("bag_player", context=ros_context)
    heard: dict[str, list[float]] = {}

    def listen(topic: str, kind: Any) -> None:
        stamps = heard.setdefault(topic, [])
        node.create_subscription(
            kind, topic, lambda message: stamps.append(seconds(message.header.stamp)), 50
        )

    for topic, kind in ((COLOR, Image), (DEPTH, Image), ("/joint_states", JointState)):
        listen(topic, kind)
    spinning = SpinThread(node, threads=2)
    try:
        bag = BagPlayer(node, BAG, frame_topic=COLOR)
        for stamp_s in range(1, 9):
            bag.play_frame(float(stamp_s))
            wait_until(
                lambda at_s=stamp_s: all(at_s in stamps for stamps in heard.values()),
                timeout_s=10.0,
                what=f"frame {stamp_s}",
            )
    finally:
        spinning.close()
        node.destroy_node()
    assert heard[COLOR] == heard[DEPTH] == [float(number) for number in range(1, 9)]
    assert sorted(set(heard["/joint_states"])) == heard[COLOR]
