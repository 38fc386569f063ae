"""Writes what a running system publishes to an MCAP bag."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from malmm_ros.errors import ConfigurationError
from malmm_ros.nodes.bags.topics import is_wanted, matching_profile, message_class
from malmm_ros.nodes.bags.types import bag_types, rosbags_module

_LOOK_PERIOD_S = 0.5
_LAST = 1000  # messages of a topic that are still taken at the end
_METADATA_VERSION = 9


class Recorder:
    """Subscribes to topics as they appear, and writes their messages as they are.

    All callbacks run one after the other; close it when the node is not spun any more.

    Args:
        node: Ours.
        folder: Of the bag; must not exist.
        wanted: Absolute names or patterns.

    Raises:
        MissingDependencyError: ``rosbags`` is not installed.
        ConfigurationError: The folder exists or cannot be made.
    """

    def __init__(self, node: Node, folder: Path, *, wanted: Sequence[str]) -> None:
        self._node, self._wanted = node, wanted
        self._types = bag_types()
        self._writer = _open(folder)
        # A last callback may still be under way when the node is not spun any more.
        self._writing = threading.Lock()
        self._is_closed = False
        self._subscriptions: dict[str, Any] = {}
        self._refused: set[str] = set()
        self.counts: dict[str, int] = {}
        self._group = MutuallyExclusiveCallbackGroup()
        self._look()
        node.create_timer(
            _LOOK_PERIOD_S,
            self._look,
            callback_group=self._group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def close(self) -> None:
        """Take what has arrived already and finish the file; without that it has no index."""
        try:
            self._take_the_rest()
        finally:
            with self._writing:
                self._is_closed = True
                self._writer.close()

    def _take_the_rest(self) -> None:
        for subscription in tuple(self._subscriptions.values()):
            # Acknowledged to who sent it, but still on its way to our callback; not for ever:
            # publishers may be quicker than we write.
            take = partial(subscription.handle.take_message, subscription.msg_type, True)
            for message, _ in islice(iter(take, None), _LAST):
                subscription.callback(message)
            self._node.destroy_subscription(subscription)

    def _look(self) -> None:
        """Subscribe to what has appeared."""
        for topic, types in self._node.get_topic_names_and_types():
            if topic in self._subscriptions or topic in self._refused:
                continue
            if not is_wanted(topic, self._wanted):
                continue
            publishers = self._node.get_publishers_info_by_topic(topic)
            if publishers:
                self._subscribe(topic, types[0], [item.qos_profile for item in publishers])

    def _subscribe(self, topic: str, kind: str, offered: list[QoSProfile]) -> None:
        profile = matching_profile(offered)
        try:
            message = message_class(kind)
            connection = self._connection(topic, kind, profile)
        except ConfigurationError as error:
            self._refused.add(topic)
            self._node.get_logger().warning(f"{topic}: {error}")
            return
        self.counts[topic] = 0

        def write(data: bytes) -> None:
            with self._writing:
                if not self._is_closed:
                    self._writer.write(connection, time.time_ns(), data)
                    self.counts[topic] += 1

        self._subscriptions[topic] = self._node.create_subscription(
            message, topic, write, profile, callback_group=self._group, raw=True
        )

    def _connection(self, topic: str, kind: str, profile: QoSProfile) -> Any:
        if kind not in self._types.types:
            raise ConfigurationError(f"message type {kind}", "is not known here; not recorded")
        return self._writer.add_connection(
            topic, kind, typestore=self._types, offered_qos_profiles=[_as_offered(profile)]
        )


def _open(folder: Path) -> Any:
    bags = rosbags_module("rosbags.rosbag2")
    try:
        writer = bags.Writer(
            folder, version=_METADATA_VERSION, storage_plugin=bags.StoragePlugin.MCAP
        )
        writer.set_compression(bags.CompressionMode.STORAGE, bags.CompressionFormat.ZSTD)
        writer.open()
    except bags.WriterError as error:
        raise ConfigurationError(str(folder), f"cannot be a new bag: {error}") from error
    except OSError as error:
        raise ConfigurationError(str(folder), f"cannot be made ({error.strerror})") from error
    return writer


def _as_offered(profile: QoSProfile) -> Any:
    """What ``ros2 bag play`` is to offer again: latched topics are latched then, too."""
    names = rosbags_module("rosbags.interfaces")
    is_reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    is_latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    unlimited = names.QosTime(0, 0)
    return names.Qos(
        history=names.QosHistory.KEEP_LAST,
        depth=profile.depth,
        reliability=names.QosReliability.RELIABLE
        if is_reliable
        else names.QosReliability.BEST_EFFORT,
        durability=names.QosDurability.TRANSIENT_LOCAL
        if is_latched
        else names.QosDurability.VOLATILE,
        deadline=unlimited,
        lifespan=unlimited,
        liveliness=names.QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=unlimited,
        avoid_ros_namespace_conventions=False,
    )
