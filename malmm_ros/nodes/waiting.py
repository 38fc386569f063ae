"""Waits that end: an answer raced against death, a deadline and a cancellation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import MalmmError, NodeDiedError
from malmm_ros.nodes.liveness import NodeWatch

# How late a death or a cancellation is noticed at most.
_SLICE_S = 0.02


class WaitCancelledError(MalmmError):
    """Somebody cancelled while we waited; its text is the token's reason."""


def await_result(
    future: Any,
    *,
    timeout_s: float,
    watch: NodeWatch | None = None,
    needed: Sequence[str] = (),
    cancel: CancelToken | None = None,
    check: Callable[[], None] = lambda: None,
    what: str = "an answer",
) -> Any:
    """Wait for a future of a client without hanging.

    The executor must spin elsewhere: call it from a thread of your own, or in a callback of a
    reentrant group of a multi-threaded executor.

    Args:
        future: Of ``call_async``, ``send_goal_async``, ``get_result_async`` ...
        timeout_s: Wall time.
        watch: Watches the nodes that must live meanwhile.
        needed: Their names; the first one is blamed for silence.
        cancel: Ends the wait early.
        check: Called again and again meanwhile; what it raises ends the wait.
        what: Named in errors: ``"the result of motion/move"``.

    Returns:
        The future's result.

    Raises:
        NodeDiedError: A needed node is gone or was restarted, or nothing came in time.
        WaitCancelledError: ``cancel`` was set.
    """
    deadline = time.monotonic() + timeout_s
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    check_nodes = _death_check(watch, needed, what=what)
    # A future calls back through its executor, which may have no thread to spare for that.
    while not done.wait(_SLICE_S) and not future.done():
        if cancel is not None and cancel.is_cancelled:
            raise WaitCancelledError(cancel.reason)
        check_nodes()
        check()
        if time.monotonic() > deadline:
            name = needed[0] if needed else "unknown"
            raise NodeDiedError(name, f"node {name!r} did not give {what} within {timeout_s:g} s")
    return future.result()


def _death_check(
    watch: NodeWatch | None, needed: Sequence[str], *, what: str
) -> Callable[[], None]:
    """Make a function that raises when a node died or was restarted since now."""
    if watch is None:
        return lambda: None
    before = {name: watch.incarnation(name) for name in needed}

    def check() -> None:
        # One that was never seen may still be on its way: the deadline judges it.
        for name in filter(watch.is_lost, needed):
            raise NodeDiedError(name, f"node {name!r} is gone while we waited for {what}")
        for name, incarnation in before.items():
            if incarnation and watch.incarnation(name) not in ("", incarnation):
                raise NodeDiedError(
                    name, f"node {name!r} was restarted while we waited for {what}"
                )

    return check


def wait_for_server(
    client: Any,
    *,
    timeout_s: float,
    needed: Sequence[str] = (),
    cancel: CancelToken | None = None,
    what: str = "server",
) -> None:
    """Wait for a service or an action server to be there.

    Args:
        client: A service client or an ``ActionClient``.
        timeout_s: Wall time.
        needed: Who offers it; the first one is blamed.
        cancel: Ends the wait early.
        what: Named in errors: ``"the service run_task"``.

    Raises:
        NodeDiedError: It did not appear.
        WaitCancelledError: ``cancel`` was set.
    """
    is_ready = getattr(client, "service_is_ready", None) or client.server_is_ready
    deadline = time.monotonic() + timeout_s
    pause = cancel or CancelToken()
    while not is_ready():
        if pause.wait(_SLICE_S):
            raise WaitCancelledError(pause.reason)
        if time.monotonic() > deadline:
            name = needed[0] if needed else "unknown"
            raise NodeDiedError(
                name, f"{what} of node {name!r} did not appear within {timeout_s:g} s"
            )


def call_service(
    client: Any,
    request: Any,
    *,
    timeout_s: float,
    watch: NodeWatch | None = None,
    needed: Sequence[str] = (),
    cancel: CancelToken | None = None,
    what: str = "",
) -> Any:
    """Call a service and wait for its answer; both share the deadline.

    Raises:
        NodeDiedError: The node is gone, or nothing came in time.
        WaitCancelledError: ``cancel`` was set.
    """
    name = what or f"the service {client.srv_name}"
    started = time.monotonic()
    wait_for_server(client, timeout_s=timeout_s, needed=needed, cancel=cancel, what=name)
    left_s = max(0.1, timeout_s - (time.monotonic() - started))
    future = client.call_async(request)
    try:
        return await_result(
            future,
            timeout_s=left_s,
            watch=watch,
            needed=needed,
            cancel=cancel,
            what=f"an answer of {name}",
        )
    finally:
        if not future.done():
            client.remove_pending_request(future)
