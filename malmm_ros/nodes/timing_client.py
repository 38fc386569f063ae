"""A client that takes the time of a running system: service answers and stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rcl_interfaces.msg
import rclpy
import sensor_msgs.msg
from geometry_msgs.msg import Point
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from malmm_ros.action import MoveTcp
from malmm_ros.closing import Closing
from malmm_ros.errors import MalmmError, MotionError, NodeDiedError
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import call_service

NODES = ("motion", "scene", "simulator")
_ANSWER_S = 10.0
_MOTION_S = 30.0
_STANDSTILL = 0.01  # rad/s, of the fastest joint
# A speed that has fallen by this share is falling, whatever the noise.
_FALLEN = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTiming:
    """Wall times from the call of a stop, seconds.

    Attributes:
        braking_s: To the first joint state whose speed has fallen.
        standstill_s: To the first one at rest.
    """

    braking_s: float
    standstill_s: float


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
        self._parameters: Any = self._node.create_client(
            SetParameters, "motion/set_parameters", callback_group=group
        )
        self._move = GoalClient(
            ActionClient(self._node, MoveTcp, "motion/move", callback_group=group),
            watch=self._watch,
            needed=NODES,
            what="motion/move",
        )
        self._speed = 0.0
        self._history: list[tuple[float, float]] = []
        self._news = threading.Condition()
        self._node.create_subscription(
            sensor_msgs.msg.JointState,
            "joint_states",
            self._receive,
            qos_profile_sensor_data,
            callback_group=MutuallyExclusiveCallbackGroup(),
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

    def set_speed_scale(self, scale: float) -> None:
        """Drive everything at this share of its speed from now on.

        Raises:
            MotionError: The motion node does not take it.
        """
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=scale)
        parameter = rcl_interfaces.msg.Parameter(name="speed_scale", value=value)
        request = SetParameters.Request(parameters=[parameter])
        answer = call_service(
            self._parameters, request, timeout_s=_ANSWER_S, watch=self._watch, needed=("motion",)
        )
        if not answer.results[0].successful:
            raise MotionError("benchmark", f"speed_scale {scale:g}: {answer.results[0].reason}")

    def stop(self, position: Sequence[float], *, min_speed: float) -> StopTiming:
        """Call ``motion/stop`` on the way to a place.

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
            with self._news:
                self._history = [(time.perf_counter(), self._speed)]
            self._call(self._stop)
            self._wait_for_speed(lambda: self._speed < _STANDSTILL, what="stand still")
        finally:
            moving.join(_MOTION_S)
            self._call(self._release)
            with self._news:
                history, self._history = self._history, []
        return _timing(history)

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
            if self._history:  # begun by a stop
                self._history.append((time.perf_counter(), self._speed))
            self._news.notify_all()

    def _call(self, client: Any) -> None:
        call_service(
            client, Trigger.Request(), timeout_s=_ANSWER_S, watch=self._watch, needed=("motion",)
        )


def _timing(history: Sequence[tuple[float, float]]) -> StopTiming:
    """Read the moments from speeds over time; the first entry is the call."""
    times, speeds = np.array(history).T
    highest = np.maximum.accumulate(speeds)
    is_falling = speeds < (1.0 - _FALLEN) * highest
    is_at_rest = speeds < _STANDSTILL
    return StopTiming(
        braking_s=float(times[is_falling.argmax()] - times[0]),
        standstill_s=float(times[is_at_rest.argmax()] - times[0]),
    )


def _goal(position: Sequence[float]) -> MoveTcp.Goal:
    x, y, z = (float(value) for value in position)
    return MoveTcp.Goal(position=Point(x=x, y=y, z=z), yaw=0.0)
