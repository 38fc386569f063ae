"""A client that takes the time of a running system: service answers and stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import rclpy
import sensor_msgs.msg
from geometry_msgs.msg import Point
from rclpy.action.client import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from malmm_ros.action import MoveTcp
from malmm_ros.closing import Closing
from malmm_ros.errors import MalmmError, MotionError, NodeDiedError
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import call_service

NODES = ("motion", "scene", "simulator")
_ANSWER_S = 10.0
_MOTION_S = 30.0
_STANDSTILL = 0.01  # rad/s, of the fastest joint


class TimingClient(Closing):
    """Speaks to the nodes ``simulator``, ``scene`` and ``motion`` from a thread of its own."""

    def __init__(self) -> None:
        self._context = Context()
        # Ctrl-C stays the program's own.
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node("malmm_timing", context=self._context)
        self._watch = NodeWatch(self._node, NODES)
        group = ReentrantCallbackGroup()
        self._stop: Any = self._node.create_client(Trigger, "motion/stop", callback_group=group)
        self._release: Any = self._node.create_client(
            Trigger, "motion/release_stop", callback_group=group
        )
        self._move = GoalClient(
            ActionClient(self._node, MoveTcp, "motion/move", callback_group=group),
            watch=self._watch,
            needed=NODES,
            what="motion/move",
        )
        self._speed = 0.0
        self._news = threading.Condition()
        self._node.create_subscription(
            sensor_msgs.msg.JointState,
            "joint_states",
            self._receive,
            qos_profile_sensor_data,
            callback_group=group,
        )
        self._spinning = SpinThread(self._node)

    def close(self) -> None:
        """End the executor and leave the graph."""
        self._spinning.close()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def missing_nodes(self, *, timeout_s: float) -> tuple[str, ...]:
        """Wait for the nodes; the names of those that did not come."""
        return tuple(self._watch.wait_for(NODES, timeout_s=timeout_s))

    def round_trip_s(self) -> float:
        """Wall time of a service call that does nothing (``motion/release_stop``)."""
        started = time.perf_counter()
        self._call(self._release)
        return time.perf_counter() - started

    def move(self, position: Sequence[float]) -> None:
        """Go to a place.

        Raises:
            MotionError: The arm did not get there.
        """
        result = self._move.run(_goal(position), timeout_s=_MOTION_S).result
        if result is None or not result.success:
            raise MotionError("benchmark", "rejected" if result is None else result.message)

    def stop_s(self, position: Sequence[float], *, min_speed: float) -> float:
        """Wall time from the call of ``motion/stop`` to standstill, on the way to a place.

        Args:
            position: Far enough away.
            min_speed: Rad/s that the fastest joint has to have when stop is called.

        Raises:
            NodeDiedError: The arm did not move, or never stood still.
        """
        moving = threading.Thread(target=self._move_until_stopped, args=(position,), daemon=True)
        moving.start()
        try:
            self._wait_for_speed(lambda: self._speed >= min_speed, what="move")
            started = time.perf_counter()
            self._call(self._stop)
            self._wait_for_speed(lambda: self._speed < _STANDSTILL, what="stand still")
            return time.perf_counter() - started
        finally:
            moving.join(_MOTION_S)
            self._call(self._release)

    def _move_until_stopped(self, position: Sequence[float]) -> None:
        try:
            self._move.run(_goal(position), timeout_s=_MOTION_S)
        except MalmmError as error:
            self._node.get_logger().error(str(error))

    def _wait_for_speed(self, is_reached: Callable[[], bool], *, what: str) -> None:
        with self._news:
            if not self._news.wait_for(is_reached, timeout=_ANSWER_S):
                raise NodeDiedError("simulator", f"the arm did not {what} within {_ANSWER_S:g} s")

    def _receive(self, message: sensor_msgs.msg.JointState) -> None:
        with self._news:
            self._speed = float(np.abs(message.velocity).max(initial=0.0))
            self._news.notify_all()

    def _call(self, client: Any) -> None:
        call_service(
            client, Trigger.Request(), timeout_s=_ANSWER_S, watch=self._watch, needed=("motion",)
        )


def _goal(position: Sequence[float]) -> MoveTcp.Goal:
    x, y, z = (float(value) for value in position)
    return MoveTcp.Goal(position=Point(x=x, y=y, z=z), yaw=0.0)
