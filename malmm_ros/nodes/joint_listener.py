"""Joint states from a topic: whole or in parts, in any order, fresh or not at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.errors import MotionError, NodeDiedError
from malmm_ros.nodes.conversions import joint_state_value, seconds
from malmm_ros.trajectory import JointState

_SILENCE_S = 5.0  # wall time to wait for joint states that are not there at all
_COMPLAINT_S = 5.0  # wall time between two complaints about bad messages


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    position: float
    velocity: float
    stamp_s: float
    received_at: float


class JointListener:
    """Keeps the newest reading of every joint; the node's executor must spin in other threads.

    An arm and its hand may be published by different nodes, on one topic or on several.

    Args:
        node: Ours.
        topics: To listen to.
        stale_s: Readings that arrived longer ago than this (wall time) count as silent.
        blame: Names the node that should publish them.
    """

    def __init__(
        self, node: Node, topics: Sequence[str], *, stale_s: float, blame: Callable[[], str]
    ) -> None:
        self._node, self._stale_s, self._blame = node, stale_s, blame
        self._topics = tuple(dict.fromkeys(topics))
        self._arrived = threading.Condition()
        self._readings: dict[str, _Reading] = {}
        self._complained_at = float("-inf")
        group = ReentrantCallbackGroup()
        self._subscriptions = [
            node.create_subscription(
                JointStateMessage, topic, self._receive, 10, callback_group=group
            )
            for topic in self._topics
        ]

    def fresh(self, names: tuple[str, ...]) -> JointState:
        """Joints sensed from now on: where the arm stood before a motion's end is no start.

        Raises:
            NodeDiedError: They do not come; says what does.
        """
        after_s = seconds(self._node.get_clock().now().to_msg())
        with self._arrived:
            # A controller that has just come back takes a moment to be heard.
            if not self._arrived.wait_for(lambda: self._are_fresh(names, after_s), _SILENCE_S):
                name = self._blame()
                raise NodeDiedError(name, f"{self._problem(names, after_s)}; check node {name!r}")
            readings = [self._readings[name] for name in names]
        return JointState(
            names=names,
            positions=np.array([reading.position for reading in readings]),
            velocities=np.array([reading.velocity for reading in readings]),
        )

    def silence_s(self, names: tuple[str, ...]) -> float:
        """Wall time since the oldest of the newest readings arrived."""
        readings = self._readings
        now = time.monotonic()
        return max(
            (now - readings[name].received_at if name in readings else float("inf"))
            for name in names
        )

    def _receive(self, message: JointStateMessage) -> None:
        try:
            state = joint_state_value(message)
        except MotionError as error:
            self._complain(str(error))
            return
        stamp_s, now = seconds(message.header.stamp), time.monotonic()
        good = np.isfinite(state.positions) & np.isfinite(state.velocities)
        with self._arrived:
            for index, name in enumerate(state.names):
                if good[index]:
                    self._readings[name] = _Reading(
                        position=float(state.positions[index]),
                        velocity=float(state.velocities[index]),
                        stamp_s=stamp_s,
                        received_at=now,
                    )
            self._arrived.notify_all()
        if not good.all():
            self._complain("joint states hold numbers that are not finite")

    def _are_fresh(self, names: tuple[str, ...], after_s: float) -> bool:
        now = time.monotonic()
        return all(
            name in self._readings
            and self._readings[name].stamp_s >= after_s
            and now - self._readings[name].received_at < self._stale_s
            for name in names
        )

    def _problem(self, names: tuple[str, ...], after_s: float) -> str:
        """Why there is no fresh state."""
        topics = " or ".join(self._topics)
        if not self._readings:
            return f"no joint states on {topics} for {_SILENCE_S:g} s"
        missing = [name for name in names if name not in self._readings]
        if missing:
            heard = ", ".join(sorted(self._readings))
            return f"the joint states on {topics} lack {', '.join(missing)}; they hold {heard}"
        silence_s = self.silence_s(names)
        if silence_s >= self._stale_s:
            return f"no fresh joint states on {topics}: the last came {silence_s:.1f} s ago"
        lag_s = max(after_s - self._readings[name].stamp_s for name in names)
        return (
            f"no fresh joint states on {topics}: they arrive with stamps {lag_s:.1f} s old; "
            "synchronise the machines' clocks, or set use_sim_time as their publisher has it"
        )

    def _complain(self, problem: str) -> None:
        now = time.monotonic()
        if now - self._complained_at > _COMPLAINT_S:
            self._complained_at = now
            self._node.get_logger().warning(f"a message is passed over: {problem}")
