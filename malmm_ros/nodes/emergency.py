"""The emergency stop: who pressed it, and that it holds until it is released."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from std_msgs.msg import String

from malmm_ros.nodes.qos import LATCHED

OPERATOR = "motion/stop"
RELEASE = "motion/release_stop"
START = "start"
_AGAIN_S = 0.1


class EmergencyStop:
    """Pressed by several, released one by one or all at once; says so on ``motion/stopped``.

    Args:
        node: Ours.
        brake: Brakes and refuses commands from now on; from any thread, without waiting.
        again: Called while stopped, ten times a second: others may send goals meanwhile.
        release: Takes commands again.
    """

    def __init__(
        self,
        node: Node,
        *,
        brake: Callable[[], None],
        again: Callable[[], None],
        release: Callable[[], None],
    ) -> None:
        self._node, self._brake, self._again, self._release = node, brake, again, release
        self._lock = threading.Lock()
        self._pressed: dict[str, str] = {}
        self._publisher = node.create_publisher(String, "motion/stopped", LATCHED)
        self._publisher.publish(String())
        self._timer = node.create_timer(
            _AGAIN_S,
            self._repeat,
            callback_group=ReentrantCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    @property
    def why(self) -> str:
        """Why the arm is stopped; empty when it is not."""
        with self._lock:
            return "; ".join(self._pressed.values())

    def press(self, by: str, why: str) -> None:
        """Brake at once."""
        self._brake()  # before anything that takes time
        with self._lock:
            self._pressed[by] = why
            self._say()
        self._node.get_logger().error(f"emergency stop: {why}")

    def release(self, by: str = "") -> None:
        """Take one press back, or all of them; with the last one the arm moves again."""
        with self._lock:
            if by:
                if self._pressed.pop(by, None) is None:
                    return
            else:
                self._pressed.clear()
            if not self._pressed:
                self._release()
            self._say()

    def _repeat(self) -> None:
        if self._pressed:
            self._again()

    def _say(self) -> None:
        self._publisher.publish(String(data="; ".join(self._pressed.values())))
