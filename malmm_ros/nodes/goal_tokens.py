"""A cancel token for each goal of an action server, whoever comes first: cancel or execution."""

from __future__ import annotations

import threading
from typing import Any

from malmm_ros.cancellation import CancelToken


class GoalTokens:
    """Tokens by goal; both callbacks of a server ask for the same one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[bytes, CancelToken] = {}

    def token(self, handle: Any) -> CancelToken:
        """The goal's token, made when it is first asked for."""
        with self._lock:
            return self._tokens.setdefault(bytes(handle.goal_id.uuid), CancelToken())

    def drop(self, handle: Any) -> None:
        """Forget a goal that has ended."""
        with self._lock:
            self._tokens.pop(bytes(handle.goal_id.uuid), None)


def finish(handle: Any, *, is_success: bool, is_cancelled: bool) -> None:
    """Bring a goal to its end state."""
    if is_cancelled and handle.is_cancel_requested:
        handle.canceled()
    elif is_success:
        handle.succeed()
    else:
        handle.abort()
