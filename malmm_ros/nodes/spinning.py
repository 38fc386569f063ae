"""Spinning a node in a thread that survives what callbacks and rclpy itself throw."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions


class SpinThread:
    """A multi-threaded executor for one node.

    A callback that raises is reported on standard error, and the node goes on. rclpy's executor
    itself trips over a subscription that another thread destroys meanwhile; that is harmless and
    stays silent.

    Args:
        node: Spun from now on.
        threads: How many callbacks may block at once.
    """

    def __init__(self, node: Node, *, threads: int = 4) -> None:
        self._context = node.context
        self._executor = MultiThreadedExecutor(num_threads=threads, context=node.context)
        self._executor.add_node(node)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="executor", daemon=True)
        self._thread.start()

    def close(self, *, timeout_s: float = 1.0) -> None:
        """Take no more callbacks; those under way are not waited for."""
        self._stop.set()
        self._executor.wake()
        self._thread.join(timeout_s)

    @property
    def is_alive(self) -> bool:
        """Whether callbacks are taken."""
        return self._thread.is_alive()

    def join(self, *, timeout_s: float) -> None:
        """Wait for an end that comes by itself, with the context's."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        # Without a valid context every turn would fail at once, and flood the output.
        while not self._stop.is_set() and self._context.ok():
            try:
                # Woken by close(); the timeout is for a wake-up that comes too early.
                self._executor.spin_once(timeout_sec=0.5)
            except ExternalShutdownException:
                return
            except Exception as error:  # noqa: BLE001  # top of all callbacks
                if self._stop.is_set() or not self._context.ok():
                    return
                if type(error).__name__ != "InvalidHandle":
                    sys.stderr.write(f"callback failed:\n{traceback.format_exc()}")


@contextmanager
def own_node(name: str, *, namespace: str = "") -> Iterator[Node]:
    """A node in a context of its own for one job of a program, whose signals stay its own."""
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(name, context=context, namespace=namespace)
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
