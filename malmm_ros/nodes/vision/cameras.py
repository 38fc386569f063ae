"""Subscriptions to cameras; messages that belong together come out as frames."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from malmm_ros.nodes.vision.configuration import VisionSourceConfig
from malmm_ros.nodes.vision.matching import CameraFrame, FrameMatcher

# Reliable first: without it two of three images of a megabyte are lost on the loopback device
# (36 and 19 of 100 arrived). What a driver sends without it is taken as it is.
_DEPTH = 5


@dataclass(slots=True, kw_only=True)
class _Topic:
    subscribe: Callable[[ReliabilityPolicy], Any]
    subscription: Any
    is_best_effort: bool = False


class CameraSubscriptions:
    """Listens to colour, depth and intrinsics of some cameras.

    Args:
        node: Ours.
        config: Names and topics.
        on_frame: Called in the executor's thread with each complete frame.
    """

    def __init__(
        self, node: Node, config: VisionSourceConfig, *, on_frame: Callable[[CameraFrame], None]
    ) -> None:
        self._node, self._config, self._on_frame = node, config, on_frame
        self._group = MutuallyExclusiveCallbackGroup()
        self._started_s = time.monotonic()
        self._heard_s: dict[str, float] = {}
        self._framed_s: dict[str, float] = {}
        self._topics: dict[str, _Topic] = {}
        for camera in config.cameras:
            matcher = FrameMatcher(camera, tolerance_s=config.stamp_tolerance_s)
            color, depth, info = config.topics(camera)
            self._listen(color, Image, matcher.add_color)
            self._listen(depth, Image, matcher.add_depth)
            self._listen(info, CameraInfo, matcher.add_info)

    def silent(self, *, longer_than_s: float) -> list[str]:
        """Words about what was silent for longer than that, wall time."""
        now_s = time.monotonic()
        words = []
        for name in self._topics:
            waited_s = now_s - self._heard_s.get(name, self._started_s)
            if waited_s >= longer_than_s:
                count = self._node.count_publishers(name)
                whose = f"{count} publisher{'s' * (count != 1)}"
                words.append(f"{name} ({whose}, silent for {waited_s:.0f} s)")
        if words:
            return words
        return [
            f"colour and depth of camera {camera!r} with stamps within "
            f"{self._config.stamp_tolerance_s:g} s"
            for camera in self._config.cameras
            if now_s - self._framed_s.get(camera, self._started_s) >= longer_than_s
        ]

    def adapt(self) -> None:
        """Listen without reliability where only such publishers are."""
        for name, topic in self._topics.items():
            if name in self._heard_s or topic.is_best_effort:
                continue
            publishers = self._node.get_publishers_info_by_topic(self._resolve(name))
            kinds = {item.qos_profile.reliability for item in publishers}
            if kinds == {ReliabilityPolicy.BEST_EFFORT}:
                self._node.destroy_subscription(topic.subscription)
                topic.subscription = topic.subscribe(ReliabilityPolicy.BEST_EFFORT)
                topic.is_best_effort = True

    def _listen(
        self, name: str, kind: Any, match: Callable[[Any, float], CameraFrame | None]
    ) -> None:
        def receive(message: Any) -> None:
            now_s = time.monotonic()
            self._heard_s[name] = now_s
            frame = match(message, now_s)
            if frame is not None:
                self._framed_s[frame.camera] = now_s
                self._on_frame(frame)

        def subscribe(reliability: ReliabilityPolicy) -> Any:
            profile = QoSProfile(depth=_DEPTH, reliability=reliability)
            return self._node.create_subscription(
                kind, name, receive, profile, callback_group=self._group
            )

        self._topics[name] = _Topic(
            subscribe=subscribe, subscription=subscribe(ReliabilityPolicy.RELIABLE)
        )

    def _resolve(self, topic: str) -> str:
        return str(self._node.resolve_topic_name(topic))
