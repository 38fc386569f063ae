"""A node says every five seconds what it waits for."""

from __future__ import annotations

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.cooperation.wait_report import WaitReport

_LOOK_S = 0.5


class WaitNotice:
    """Logs what a node waits for, from a timer of its own.

    Args:
        node: Ours; its executor has several threads.
        what: Waited for at first.
    """

    def __init__(self, node: Node, what: str) -> None:
        self._report = WaitReport(node.get_logger().info)
        self._report.wait_for(what)
        node.create_timer(
            _LOOK_S,
            self._report.look,
            callback_group=ReentrantCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def wait_for(self, what: str) -> None:
        """From now on this is waited for; empty: nothing."""
        self._report.wait_for(what)
