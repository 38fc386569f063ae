"""The arm brakes when the node that commands it falls silent in mid-motion."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.nodes.liveness import NodeWatch

_PERIOD_S = 0.05


class Heartbeat:
    """Watches who was alive when a command began; their death or restart is reported at once.

    Args:
        node: Ours; its executor has several threads.
        names: Of the nodes that command the arm.
        on_lost: Called with a name when that node is lost during a command.
        on_return: Called with a name when a node that was reported is back.
    """

    def __init__(
        self,
        node: Node,
        names: Sequence[str],
        *,
        on_lost: Callable[[str], None],
        on_return: Callable[[str], None],
    ) -> None:
        self._watch = NodeWatch(node, names)
        self._on_lost, self._on_return = on_lost, on_return
        self._lock = threading.Lock()
        self._guarded: dict[str, str] = {}
        self._gone: set[str] = set()
        self._timer = node.create_timer(
            _PERIOD_S,
            self._look,
            callback_group=ReentrantCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    @contextmanager
    def guard(self) -> Iterator[None]:
        """While the arm is commanded."""
        alive = {name: self._watch.incarnation(name) for name in self._watch.names}
        with self._lock:
            self._guarded = {name: start for name, start in alive.items() if start}
        try:
            yield
        finally:
            with self._lock:
                self._guarded = {}

    def _look(self) -> None:
        with self._lock:
            lost = [name for name, start in self._guarded.items() if self._is_gone(name, start)]
            for name in lost:
                del self._guarded[name]
            back = [name for name in self._gone if not self._watch.missing((name,))]
            self._gone = self._gone.union(lost).difference(back)
        for name in lost:
            self._on_lost(name)
        for name in back:
            self._on_return(name)

    def _is_gone(self, name: str, start: str) -> bool:
        return self._watch.is_lost(name) or self._watch.incarnation(name) not in ("", start)
