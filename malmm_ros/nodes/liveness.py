"""Who is alive: every node of ours publishes a latched sign with a lease of one second.

The middleware's own thread renews the lease, so a node that is busy stays alive, and one that was
killed, stopped or cut off is noticed without its help. Where the middleware tells of no leases,
the sign itself is counted, which comes from the node's executor: a node that holds up Python for
longer than the lease is taken for dead.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.event_handler import (
    PublisherEventCallbacks,
    QoSLivelinessChangedInfo,
    SubscriptionEventCallbacks,
)
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.subscription import Subscription
from rclpy.utilities import get_rmw_implementation_identifier
from std_msgs.msg import String

from malmm_ros.errors import NodeDiedError

LEASE_S = 1.0
# Raises UnsupportedEventTypeError for them (event.hpp and docs/design.md of rmw_zenoh).
_WITHOUT_LEASES = ("rmw_zenoh_cpp",)
# Wall time in which a restarted node is heard again by everybody. Lost packets are sent again only
# every 3 s, in each of three rounds (participants, topics, the latched sign), and the middleware
# keeps a killed participant for 20 s.
RETURN_S = 20.0
# A busy machine may hold up the middleware's own thread for longer than the lease; lease and
# patience together stay below the two seconds within which a death must be noticed.
_HICCUP_S = 0.6
_SIGN_PERIOD_S = 0.5
_SIGNS_OF_LIFE = 3
_REPORT_PERIOD_S = 0.1


def _profile() -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
        liveliness=LivelinessPolicy.AUTOMATIC,
        liveliness_lease_duration=Duration(seconds=LEASE_S),
    )


def has_leases() -> bool:
    """Whether the middleware tells that a publisher's lease has ended."""
    return get_rmw_implementation_identifier() not in _WITHOUT_LEASES


class Liveness:
    """The sign of life of a node, on ``~/alive``; keep it as long as the node lives."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(
            String, "~/alive", _profile(), event_callbacks=PublisherEventCallbacks()
        )
        # New with every start, so that watchers can tell a restart from a hiccup.
        self._sign = String(data=f"{os.getpid()} {uuid.uuid4().hex}")
        self._publish()
        # Again and again: a watcher forgets the sign of a node whose lease was lost for a while.
        node.create_timer(
            _SIGN_PERIOD_S,
            self._publish,
            callback_group=ReentrantCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _publish(self) -> None:
        self._publisher.publish(self._sign)


class NodeWatch:
    """Knows which of some nodes in our namespace are alive.

    A node that was never seen is not alive, but not lost either. Callbacks run in the executor of
    ``node``; the methods may be called from any thread.

    Args:
        node: Ours; it must be spun by somebody.
        names: Of the nodes to watch, relative to the namespace: ``"motion"``.
        on_lost: Called with a name when that node goes, within two seconds of its death.
        on_found: Called with a name when that node appears, or is back.
    """

    def __init__(
        self,
        node: Node,
        names: Iterable[str],
        *,
        on_lost: Callable[[str], None] | None = None,
        on_found: Callable[[str], None] | None = None,
    ) -> None:
        self._node = node
        self._names = tuple(dict.fromkeys(names))
        self._on_lost, self._on_found = on_lost, on_found
        self._is_counting = not has_leases()
        self._seen_s: dict[str, float] = {}
        self._alive: set[str] = set()
        self._lost: dict[str, float] = {}
        self._incarnations: dict[str, str] = {}
        self._signs: dict[str, int] = {}
        self.changed = threading.Condition()
        group = ReentrantCallbackGroup()
        self._subscriptions = [self._subscribe(name) for name in self._names]
        self._reported: set[str] = set()
        self._timer = node.create_timer(
            _REPORT_PERIOD_S,
            self._report_lost,
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The watched nodes."""
        return self._names

    def is_alive(self, name: str) -> bool:
        """Whether the node's lease holds."""
        return name in self._alive

    def is_lost(self, name: str) -> bool:
        """Whether the node was alive and has not been for longer than a hiccup lasts."""
        since_s = self._lost.get(name)
        return since_s is not None and time.monotonic() - since_s >= _HICCUP_S

    def missing(self, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Those of ``names`` (all by default) that are not alive, or not known by their sign."""
        return tuple(
            name
            for name in (names or self._names)
            if name not in self._alive or name not in self._incarnations
        )

    def incarnation(self, name: str) -> str:
        """Which start of the node this is; another text after a restart, empty before any."""
        return self._incarnations.get(name, "")

    def wait_for(self, names: Iterable[str] | None = None, *, timeout_s: float) -> tuple[str, ...]:
        """Wait until nodes (all by default) are alive.

        Not in a callback, unless the executor has several threads.

        Returns:
            Those that are still missing; empty when all are there.
        """
        wanted = tuple(names or self._names)
        with self.changed:
            self.changed.wait_for(lambda: not self.missing(wanted), timeout_s)
        return self.missing(wanted)

    def require(
        self,
        *,
        timeout_s: float,
        is_given_up: Callable[[], bool] = lambda: False,
    ) -> None:
        """Wait until all nodes are alive; see :meth:`wait_for`.

        Args:
            timeout_s: Wall time for a node to appear or to be back.
            is_given_up: Whether nobody wants to wait any more; asked again and again.

        Raises:
            NodeDiedError: One is not; named.
        """
        started = time.monotonic()
        while missing := self.wait_for(timeout_s=_REPORT_PERIOD_S):
            if is_given_up() or time.monotonic() - started >= timeout_s:
                break
        if missing:
            timeout_s = round(time.monotonic() - started, 1)
            raise NodeDiedError(
                missing[0], f"not running: {', '.join(missing)} (waited {timeout_s:g} s)"
            )

    def destroy(self) -> None:
        """Stop watching."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions = []
        self._node.destroy_timer(self._timer)

    def _subscribe(self, name: str) -> Subscription[String]:
        # In two threads the end of a lease could be told after its return, and would be believed.
        group = MutuallyExclusiveCallbackGroup()
        return self._node.create_subscription(
            String,
            f"{name}/alive",
            lambda message: self._see(name, message.data),
            _profile(),
            callback_group=group,
            event_callbacks=None
            if self._is_counting
            else SubscriptionEventCallbacks(liveliness=lambda event: self._judge(name, event)),
        )

    def _see(self, name: str, incarnation: str) -> None:
        with self.changed:
            self._incarnations[name] = incarnation
            self._seen_s[name] = time.monotonic()
            self._signs[name] = self._signs.get(name, 0) + 1
            # One may come late from a node that is dead; it cannot go on.
            goes_on = self._signs[name] >= _SIGNS_OF_LIFE
            self.changed.notify_all()
        if self._is_counting or goes_on:
            self._set_alive(name, is_alive=True)

    def _judge(self, name: str, event: QoSLivelinessChangedInfo) -> None:
        self._set_alive(name, is_alive=event.alive_count > 0)

    def _count_signs(self) -> None:
        now_s = time.monotonic()
        with self.changed:
            silent = [name for name, at_s in self._seen_s.items() if now_s - at_s > LEASE_S]
        for name in silent:
            self._set_alive(name, is_alive=False)

    def _set_alive(self, name: str, *, is_alive: bool) -> None:
        with self.changed:
            if is_alive == (name in self._alive):
                return
            (self._alive.add if is_alive else self._alive.discard)(name)
            if is_alive:
                self._lost.pop(name, None)
            else:
                self._lost[name] = time.monotonic()
            self._signs[name] = 0
            if not is_alive:
                # The lease of a restarted node is noticed before its new sign arrives.
                self._incarnations.pop(name, None)
            self.changed.notify_all()
        if is_alive:
            self._reported.discard(name)
            if self._on_found is not None:
                self._on_found(name)

    def _report_lost(self) -> None:
        if self._is_counting:
            self._count_signs()
        for name in [item for item in self._names if self.is_lost(item)]:
            if name not in self._reported:
                self._reported.add(name)
                with self.changed:
                    self.changed.notify_all()
                if self._on_lost is not None:
                    self._on_lost(name)
