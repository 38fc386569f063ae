"""Joint states from a topic: whole or in parts, in any order, at any rate, or not at all."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.errors import MotionError, NodeDiedError
from malmm_ros.nodes.conversions import joint_state_value, seconds
from malmm_ros.nodes.moment import Moment
from malmm_ros.trajectory import JointState

_SILENCE_S = 5.0  # wall time to wait for joint states that are not there at all
_COMPLAINT_S = 5.0  # wall time between two complaints about bad messages
_REST_S = 0.02  # wall time
_KEPT = 4  # messages; an arm and a hand on one topic are both among the newest few


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    position: float
    velocity: float
    stamp_s: float
    received_at: float


class JointListener:
    """Keeps the newest reading of every joint; the node's executor must spin in other threads.

    An arm and its hand may be published by different nodes on one topic. Publishers at 1 kHz are
    usual; what comes sooner after the last look than ``_REST_S`` is read only when somebody asks,
    and of a flood the newest few.

    Args:
        node: Ours.
        topic: To listen to; reliable and best-effort publishers are both heard.
        stale_s: Readings that arrived longer ago than this (wall time) count as silent.
        blame: Names the node that should publish them.
    """

    def __init__(
        self, node: Node, topic: str, *, stale_s: float, blame: Callable[[], str]
    ) -> None:
        self._node, self._stale_s, self._blame = node, stale_s, blame
        self._topic = topic
        self._arrived = threading.Condition()
        self._readings: dict[str, _Reading] = {}
        self._complained_at = float("-inf")
        self._waiting: deque[tuple[float, bytes]] = deque(maxlen=_KEPT)
        self._looked_at = float("-inf")
        self._askers = 0
        self._subscription = node.create_subscription(
            JointStateMessage,
            topic,
            self._receive,
            qos_profile_sensor_data,
            # In several threads a reading could overtake a newer one.
            callback_group=MutuallyExclusiveCallbackGroup(),
            raw=True,
        )

    def fresh(self, names: tuple[str, ...]) -> JointState:
        """Joints sensed from now on: where the arm stood before a motion's end is no start.

        Raises:
            NodeDiedError: They do not come; says what does.
        """
        after = Moment(self._node)
        with self._arrived, self._asking():
            # A controller that has just come back takes a moment to be heard.
            if not self._arrived.wait_for(
                lambda: self._are_fresh(names, after.stamp_s()), _SILENCE_S
            ):
                name = self._blame()
                raise NodeDiedError(
                    name, f"{self._problem(names, after.stamp_s())}; check node {name!r}"
                )
            readings = [self._readings[name] for name in names]
        return JointState(
            names=names,
            positions=np.array([reading.position for reading in readings]),
            velocities=np.array([reading.velocity for reading in readings]),
        )

    def heard(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some joints that are published now."""
        return tuple(name for name in names if self.silence_s((name,)) < self._stale_s)

    def silence_s(self, names: tuple[str, ...]) -> float:
        """Wall time since the oldest of the newest readings arrived."""
        with self._arrived:
            self._look()
            readings = dict(self._readings)
        now = time.monotonic()
        return max(
            (now - readings[name].received_at if name in readings else float("inf"))
            for name in names
        )

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """While somebody waits, every message is read when it comes; with the lock held."""
        self._askers += 1
        try:
            self._look()
            yield
        finally:
            self._askers -= 1

    def _receive(self, message: bytes) -> None:
        now = time.monotonic()
        with self._arrived:
            self._waiting.append((now, message))
            if self._askers or now - self._looked_at > _REST_S:
                self._look()
                self._arrived.notify_all()

    def _look(self) -> None:
        """Read what has come since the last look; with the lock held."""
        self._looked_at = time.monotonic()
        while self._waiting:
            received_at, raw = self._waiting.popleft()
            self._read(deserialize_message(raw, JointStateMessage), received_at)

    def _read(self, message: JointStateMessage, received_at: float) -> None:
        try:
            state = joint_state_value(message)
        except MotionError as error:
            self._complain(str(error))
            return
        stamp_s = seconds(message.header.stamp)
        good = np.isfinite(state.positions) & np.isfinite(state.velocities)
        for index, name in enumerate(state.names):
            if good[index]:
                self._readings[name] = _Reading(
                    position=float(state.positions[index]),
                    velocity=float(state.velocities[index]),
                    stamp_s=stamp_s,
                    received_at=received_at,
                )
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
        topic = self._topic
        if not self._readings:
            return f"no joint states on {topic} for {_SILENCE_S:g} s"
        missing = [name for name in names if name not in self._readings]
        if missing:
            heard = ", ".join(sorted(self._readings))
            return f"the joint states on {topic} lack {', '.join(missing)}; they hold {heard}"
        now = time.monotonic()
        silence_s = max(now - self._readings[name].received_at for name in names)
        if silence_s >= self._stale_s:
            return f"no fresh joint states on {topic}: the last came {silence_s:.1f} s ago"
        lag_s = max(after_s - self._readings[name].stamp_s for name in names)
        return (
            f"no fresh joint states on {topic}: they arrive with stamps {lag_s:.1f} s old; "
            "synchronise the machines' clocks, or set use_sim_time as their publisher has it"
        )

    def _complain(self, problem: str) -> None:
        now = time.monotonic()
        if now - self._complained_at > _COMPLAINT_S:
            self._complained_at = now
            self._node.get_logger().warning(f"a message is passed over: {problem}")
