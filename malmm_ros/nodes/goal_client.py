"""Send a goal to an action server and wait for its end, whatever happens to the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus

from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import WaitCancelledError, await_result, wait_for_server

_VANISHED_S = 1.0  # wall time


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalOutcome:
    """How a goal ended.

    Attributes:
        status: Of action_msgs/GoalStatus; ``STATUS_UNKNOWN`` when it was rejected.
        result: The action's result message; ``None`` when it was rejected or never sent.
    """

    status: int
    result: Any

    @property
    def is_rejected(self) -> bool:
        """Whether the server did not take the goal."""
        return self.status == GoalStatus.STATUS_UNKNOWN

    @property
    def is_canceled(self) -> bool:
        """Whether it was cancelled, by whomever."""
        return self.status == GoalStatus.STATUS_CANCELED

    @property
    def has_succeeded(self) -> bool:
        """Whether the server says that the goal was reached."""
        return self.status == GoalStatus.STATUS_SUCCEEDED


class GoalClient:
    """Runs one goal at a time of one action; the executor must spin in other threads.

    Args:
        client: Of the action.
        watch: Watches the nodes that must live meanwhile.
        needed: Their names; the first one offers the action.
        what: Named in errors: ``"motion/move"``.
        accept_timeout_s: Wall time for the server to appear, and to accept.
    """

    def __init__(
        self,
        client: ActionClient,
        *,
        watch: NodeWatch,
        needed: Sequence[str],
        what: str,
        accept_timeout_s: float = 30.0,
    ) -> None:
        self._client, self._watch, self._needed = client, watch, tuple(needed)
        self._what, self._accept_timeout_s = what, accept_timeout_s
        self._handle: Any = None
        self._cancel = CancelToken()

    def run(
        self,
        goal: Any,
        *,
        timeout_s: float,
        cancel: CancelToken | None = None,
        on_feedback: Callable[[Any], None] = lambda _feedback: None,
        check: Callable[[], None] = lambda: None,
    ) -> GoalOutcome:
        """Send a goal and wait for its end.

        A cancelled goal is waited for too: only the server knows when the arm stands still.

        Args:
            goal: The action's goal message.
            timeout_s: Wall time from acceptance to the result.
            cancel: Set by whoever wants the goal cancelled; :meth:`cancel` wakes this up.
            on_feedback: Called with each feedback message.
            check: Called again and again while the goal is under way; what it raises ends the
                wait, and the goal is cancelled.

        Raises:
            NodeDiedError: A needed node is gone, or no answer came in time.
        """
        self._cancel = cancel = cancel or CancelToken()
        try:
            wait_for_server(
                self._client,
                timeout_s=self._accept_timeout_s,
                needed=self._needed,
                cancel=cancel,
                what=f"the action {self._what}",
            )
        except WaitCancelledError:
            return GoalOutcome(status=GoalStatus.STATUS_CANCELED, result=None)
        if cancel.is_cancelled:
            return GoalOutcome(status=GoalStatus.STATUS_CANCELED, result=None)
        sent = self._client.send_goal_async(
            goal, feedback_callback=lambda message: on_feedback(message.feedback)
        )
        try:
            handle = self._await(sent, timeout_s=self._accept_timeout_s, what="acceptance by")
        except BaseException:
            # Accepted later, nobody would watch it.
            sent.add_done_callback(_cancel_late)
            raise
        if not handle.accepted:
            return GoalOutcome(status=GoalStatus.STATUS_UNKNOWN, result=None)
        return self._finish(handle, cancel, timeout_s, check)

    def cancel(self) -> None:
        """Cancel the goal under way, if any; from any thread, without waiting."""
        self._cancel.cancel()
        handle = self._handle
        if handle is not None:
            handle.cancel_goal_async()

    def _finish(
        self, handle: Any, cancel: CancelToken, timeout_s: float, check: Callable[[], None]
    ) -> GoalOutcome:
        self._handle = handle
        presence = _ServerPresence(self._client, self._needed, self._what)

        def check_all() -> None:
            presence.check()
            check()

        try:
            if cancel.is_cancelled:  # asked for between sending and acceptance
                handle.cancel_goal_async()
            reply = self._await(
                handle.get_result_async(),
                timeout_s=timeout_s,
                what="the result of",
                check=check_all,
            )
        except BaseException:
            handle.cancel_goal_async()
            raise
        finally:
            self._handle = None
        return GoalOutcome(status=reply.status, result=reply.result)

    def _await(
        self,
        future: Any,
        *,
        timeout_s: float,
        what: str,
        check: Callable[[], None] = lambda: None,
    ) -> Any:
        return await_result(
            future,
            timeout_s=timeout_s,
            watch=self._watch,
            needed=self._needed,
            check=check,
            what=f"{what} {self._what}",
        )


class _ServerPresence:
    """Notices an action server that went away without its node: no result will ever come."""

    def __init__(self, client: ActionClient, needed: Sequence[str], what: str) -> None:
        self._client, self._needed, self._what = client, needed, what
        self._seen_at = time.monotonic()

    def check(self) -> None:
        """Raise when the server has not been there for a while.

        Raises:
            NodeDiedError: It is gone.
        """
        if self._client.server_is_ready():
            self._seen_at = time.monotonic()
        elif time.monotonic() - self._seen_at > _VANISHED_S:
            name = self._needed[0] if self._needed else "unknown"
            raise NodeDiedError(name, f"the action {self._what} of node {name!r} is gone")


def _cancel_late(future: Any) -> None:
    handle = future.result() if future.exception() is None else None
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()
