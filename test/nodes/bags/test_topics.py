from __future__ import annotations

from pathlib import Path

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from malmm_ros.errors import ConfigurationError
from malmm_ros.nodes.bags.topics import (
    CAMERA_TOPICS,
    DOCUMENTED_TOPICS,
    is_wanted,
    matching_profile,
    message_class,
    wanted_topics,
)

PAGE = Path(__file__).parents[3] / "docs" / "bags.md"


def profile(reliability: ReliabilityPolicy, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(depth=1, reliability=reliability, durability=durability)


def test_every_recorded_topic_is_documented() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for topic in (*DOCUMENTED_TOPICS, *(name.format("NAME") for name in CAMERA_TOPICS)):
        assert f"`{topic}`" in text


def test_relative_topics_are_in_the_systems_namespace() -> None:
    wanted = wanted_topics(cameras=["front"], more=["extra/*"], namespace="/left")
    assert "/clock" in wanted
    assert "/left/scene" in wanted
    assert is_wanted("/left/camera/front/depth/image_rect_raw", wanted)
    assert is_wanted("/left/extra/one", wanted)
    assert not is_wanted("/scene", wanted)
    assert not is_wanted("/left/camera/wrist/depth/image_rect_raw", wanted)


def test_the_best_service_is_asked_for_that_all_publishers_offer() -> None:
    reliable, fast = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
    latched, volatile = DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE
    mixed = matching_profile([profile(reliable, latched), profile(fast, volatile)])
    assert (mixed.reliability, mixed.durability) == (fast, volatile)
    alone = matching_profile([profile(reliable, latched)])
    assert (alone.reliability, alone.durability) == (reliable, latched)


def test_a_type_that_is_not_installed_is_named() -> None:
    assert message_class("std_msgs/msg/String") is String
    with pytest.raises(ConfigurationError, match="no_such_msgs"):
        message_class("no_such_msgs/msg/Thing")
    with pytest.raises(ConfigurationError, match="std_msgs/msg/Strong"):
        message_class("std_msgs/msg/Strong")
