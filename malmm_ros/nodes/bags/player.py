"""Plays a bag's messages again, at another pace and with stamps of now."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message

from malmm_ros.nodes.bags.topics import message_class
from malmm_ros.nodes.bags.types import open_bag
from malmm_ros.nodes.conversions import time_message
from malmm_ros.nodes.qos import LATCHED

_STATIC = "/tf_static"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    topic: str
    message: Any


class BagPlayer:
    """Publishes the camera frames of a bag round and round, with all that was said between them.

    Args:
        node: Ours.
        bag: With images of one or more cameras, joint states and transforms.
        frame_topic: A message of this topic begins the next frame.
    """

    def __init__(self, node: Node, bag: Path, *, frame_topic: str) -> None:
        self._node = node
        self._frames: list[list[_Recorded]] = []
        self._statics: list[_Recorded] = []
        kinds: dict[str, Any] = {}
        with open_bag(bag) as reader:
            for connection, _, data in reader.messages():
                kind = kinds.setdefault(connection.topic, message_class(connection.msgtype))
                item = _Recorded(
                    topic=connection.topic, message=deserialize_message(bytes(data), kind)
                )
                self._sort_in(item, frame_topic)
        self._publishers = {
            topic: node.create_publisher(
                kind, topic, LATCHED if topic == _STATIC else QoSProfile(depth=10)
            )
            for topic, kind in kinds.items()
        }
        self._next = 0

    def start(self) -> None:
        """Publish what holds all the time."""
        self._publish(self._statics, 0.0)

    def play_frame(self, stamp_s: float, *, without: Collection[str] = ()) -> None:
        """Publish the next frame, everything in it with this stamp.

        Args:
            stamp_s: Seconds of whatever clock the listeners have.
            without: Topics that are silent this time.
        """
        frame = self._frames[self._next % len(self._frames)]
        items = [item for item in frame if item.topic not in without]
        # What is small overtakes images on their way from a camera.
        items.sort(key=lambda item: hasattr(item.message, "encoding"))
        self._publish(items, stamp_s)
        self._next += 1

    def _sort_in(self, item: _Recorded, frame_topic: str) -> None:
        if item.topic == _STATIC:
            self._statics.append(item)
            return
        if item.topic == frame_topic or not self._frames:
            self._frames.append([])
        self._frames[-1].append(item)

    def _publish(self, items: Sequence[_Recorded], stamp_s: float) -> None:
        for item in items:
            message = copy.copy(item.message)
            stamp = time_message(stamp_s)
            for part in getattr(message, "transforms", [message]):
                part.header.stamp = stamp
            self._publishers[item.topic].publish(message)
