"""Plays a bag's messages again, at another pace and with stamps of now."""

from __future__ import annotations

import copy
import struct
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message

from malmm_ros.nodes.bags.topics import message_class
from malmm_ros.nodes.bags.types import open_bag
from malmm_ros.nodes.conversions import seconds, time_message
from malmm_ros.nodes.qos import LATCHED

_STATIC = "/tf_static"
# In CDR (OMG DDS-XTypes 7.4.3.5) four bytes say how the rest is encoded; then comes the header's
# stamp, seconds and nanoseconds.
_LITTLE_ENDIAN = b"\x00\x01"
_STAMP = struct.Struct("<iI")
_STAMP_AT = 4
_SAME_S = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """A message; an image's as bytes, which are sent ten times as fast."""

    topic: str
    message: Any
    image: bytearray | None = None

    @property
    def stamp_s(self) -> float:
        """When it was said."""
        parts = getattr(self.message, "transforms", [self.message])
        return seconds(parts[0].header.stamp) if parts else 0.0

    def stamped(self, stamp_s: float) -> Any:
        """What to publish as of a moment."""
        stamp = time_message(stamp_s)
        if self.image is not None:
            _STAMP.pack_into(self.image, _STAMP_AT, stamp.sec, stamp.nanosec)
            return bytes(self.image)
        message = copy.copy(self.message)
        for part in getattr(message, "transforms", [message]):
            part.header.stamp = stamp
        return message


class BagPlayer:
    """Publishes the camera frames of a bag round and round, with all that was said between them.

    Args:
        node: Ours.
        bag: With images of one or more cameras, joint states and transforms.
        frame_topic: Each message of this topic makes a frame, with what has its stamp or came
            after the frame before; of a topic that was silent then the last message is taken.
    """

    def __init__(self, node: Node, bag: Path, *, frame_topic: str) -> None:
        self._node = node
        items: list[_Recorded] = []
        kinds: dict[str, Any] = {}
        with open_bag(bag) as reader:
            for connection, _, data in reader.messages():
                kind = kinds.setdefault(connection.topic, message_class(connection.msgtype))
                items.append(_recorded(connection.topic, kind, bytes(data)))
        self._statics = [item for item in items if item.topic == _STATIC]
        self._frames = _frames([item for item in items if item.topic != _STATIC], frame_topic)
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
        items.sort(key=lambda item: item.image is not None)
        self._publish(items, stamp_s)
        self._next += 1

    def _publish(self, items: Sequence[_Recorded], stamp_s: float) -> None:
        for item in items:
            self._publishers[item.topic].publish(item.stamped(stamp_s))


def _recorded(topic: str, kind: Any, data: bytes) -> _Recorded:
    is_image = hasattr(kind, "encoding") and data[:2] == _LITTLE_ENDIAN
    return _Recorded(
        topic=topic,
        message=deserialize_message(data, kind),
        image=bytearray(data) if is_image else None,
    )


def _frames(items: Sequence[_Recorded], frame_topic: str) -> list[list[_Recorded]]:
    """Sort by stamps: images of one moment are written one after the other, in any order."""
    moments = sorted({item.stamp_s for item in items if item.topic == frame_topic})
    frames: list[list[_Recorded]] = [[] for _ in moments]
    for item in sorted(items, key=lambda item: item.stamp_s):
        index = bisect_left(moments, item.stamp_s - _SAME_S)
        if index < len(frames):  # nothing is seen of what came later
            frames[index].append(item)
    for before, frame in pairwise(frames):
        silent = {item.topic for item in before} - {item.topic for item in frame}
        last = {item.topic: item for item in before}
        frame += [last[topic] for topic in sorted(silent)]
    return frames
