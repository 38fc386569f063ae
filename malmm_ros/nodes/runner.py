"""The one main() of all our nodes: start, spin, end within two seconds on any signal."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from malmm_ros.errors import MalmmError
from malmm_ros.nodes.liveness import Liveness

# Of the two seconds that an end may take; after them the process goes, whatever hangs.
_CLOSE_S = 1.8


def run_node(
    make: Callable[[], Node], *, arguments: Sequence[str] | None = None, threads: int = 6
) -> int:
    """Run one node until SIGINT or SIGTERM.

    The node publishes its sign of life. When it has a method ``close()``, that is called at the
    end, while publishers and executor still work: stop threads and brake there.

    Args:
        make: Builds the node; a ``MalmmError`` of it is printed without a traceback.
        arguments: Command line; ``sys.argv`` by default.
        threads: Of the executor: how many callbacks may block at once.

    Returns:
        0, or 2 when the configuration is wrong, or 1 when something else failed.
    """
    stop = threading.Event()
    outcome = [0]

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    # Ours instead of rclpy's, which would cut the node off before it can brake.
    rclpy.init(
        args=list(sys.argv if arguments is None else arguments),
        signal_handler_options=SignalHandlerOptions.NO,
    )
    try:
        node = make()
    except MalmmError as error:
        sys.stderr.write(f"{error}\n")
        rclpy.try_shutdown()
        return 2
    executor = MultiThreadedExecutor(num_threads=threads)
    executor.add_node(node)
    liveness = Liveness(node)
    thread = threading.Thread(
        target=_spin, args=(executor, stop, outcome), name="executor", daemon=True
    )
    thread.start()
    stop.wait()
    _close(node, executor, thread)
    del liveness
    return outcome[0]


def main(make: Callable[[], Node], *, threads: int = 6) -> None:
    """Run a node as this whole process, to be called under ``if __name__ == "__main__"``."""
    code = run_node(make, threads=threads)
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of the middleware and of the renderer may outlive their owners; none may hold us.
    os._exit(code)


def _spin(executor: MultiThreadedExecutor, stop: threading.Event, outcome: list[int]) -> None:
    while not stop.is_set():
        try:
            executor.spin_once(timeout_sec=0.5)
        except ExternalShutdownException:
            break
        except Exception:  # noqa: BLE001  # top of all callbacks; a node survives one bad message
            if stop.is_set():
                break
            sys.stderr.write(f"callback failed:\n{traceback.format_exc()}")
    stop.set()


def _close(node: Any, executor: MultiThreadedExecutor, thread: threading.Thread) -> None:
    """Close in order, but not for longer than a caller waits."""
    watchdog = threading.Timer(_CLOSE_S, lambda: os._exit(1))
    watchdog.daemon = True
    watchdog.start()
    close = getattr(node, "close", None)
    if close is not None:
        close()
    executor.shutdown(timeout_sec=0.5)
    thread.join(timeout=0.7)
    node.destroy_node()
    rclpy.try_shutdown()
    watchdog.cancel()
