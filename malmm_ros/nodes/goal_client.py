"""Send a goal to an action server and wait for its end, whatever happens to the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.action.client import ActionClient

from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import await_result, wait_for_server


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
        client: ActionClient[Any, Any, Any],
        *,
        watch: NodeWatch,
        needed: Sequence[str],
        what: str,
        accept_timeout_s: float = 10.0,
    ) -> None:
        self._client, self._watch, self._needed = client, watch, tuple(needed)
        self._what, self._accept_timeout_s = what, accept_timeout_s
        self._handle: Any = None
        self._cancel = CancelToken()

    @property
    def is_cancelled(self) -> bool:
        """Whether :meth:`cancel` came since the last goal was started."""
        return self._cancel.is_cancelled

    def run(self, goal: Any, *, timeout_s: float, on_feedback: Any = None) -> Any:
        """Send a goal and wait for its result.

        A cancelled goal is waited for too: only the server knows when the arm stands still.

        Args:
            goal: The action's goal message.
            timeout_s: Wall time from acceptance to the result.
            on_feedback: Called with each feedback message.

        Returns:
            The action's result message, or ``None`` when the server rejected the goal.

        Raises:
            NodeDiedError: A needed node is gone, or no answer came in time.
        """
        self._cancel = CancelToken()
        wait_for_server(
            self._client,
            timeout_s=self._accept_timeout_s,
            needed=self._needed,
            what=f"the action {self._what}",
        )
        sent = self._client.send_goal_async(
            goal, feedback_callback=lambda message: on_feedback and on_feedback(message.feedback)
        )
        handle = self._await(sent, timeout_s=self._accept_timeout_s, what="acceptance by")
        if not handle.accepted:
            return None
        self._handle = handle
        try:
            if self._cancel.is_cancelled:  # asked for between sending and acceptance
                handle.cancel_goal_async()
            reply = self._await(
                handle.get_result_async(), timeout_s=timeout_s, what="the result of"
            )
        except BaseException:
            handle.cancel_goal_async()
            raise
        finally:
            self._handle = None
        return reply.result

    def cancel(self) -> None:
        """Cancel the goal under way, if any; from any thread, without waiting."""
        self._cancel.cancel()
        handle = self._handle
        if handle is not None:
            handle.cancel_goal_async()

    def _await(self, future: Any, *, timeout_s: float, what: str) -> Any:
        return await_result(
            future,
            timeout_s=timeout_s,
            watch=self._watch,
            needed=self._needed,
            what=f"{what} {self._what}",
        )


def require_accepted(result: Any, *, node: str, what: str) -> Any:
    """Give the result back.

    Raises:
        NodeDiedError: The goal was rejected.
    """
    if result is None:
        raise NodeDiedError(node, f"node {node!r} rejected {what}")
    return result
