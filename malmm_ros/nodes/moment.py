"""From which moment of a node's clock on something counts as fresh."""

from __future__ import annotations

from rclpy.node import Node

from malmm_ros.nodes.conversions import seconds


class Moment:
    """Now, by a node's clock, at the time when this is made.

    A restarted simulator's clock begins anew, and may be heard only later: the moment then goes
    back with it, or nothing would ever be fresh.

    Args:
        node: Ours.
    """

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock()
        self._stamp_s = self._now_s()

    def stamp_s(self) -> float:
        """The moment, seconds."""
        self._stamp_s = min(self._stamp_s, self._now_s())
        return self._stamp_s

    def _now_s(self) -> float:
        return seconds(self._clock.now().to_msg())
