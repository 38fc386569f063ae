"""The one main() of all our nodes: start, spin, end within two seconds on any signal."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from malmm_ros.errors import MalmmError
from malmm_ros.nodes.liveness import Liveness
from malmm_ros.nodes.spinning import SpinThread

# Of the two seconds that an end may take; after them the process goes, whatever hangs.
_CLOSE_S = 1.8


def main(
    make: Callable[[], Node], *, arguments: Sequence[str] | None = None, threads: int = 6
) -> NoReturn:
    """Be a node until SIGINT or SIGTERM, then end the process.

    The node publishes its sign of life. When it has a method ``close()``, that is called at the
    end, while publishers and executor still work: stop threads and brake there.

    The exit code is 0, or 2 when the configuration is wrong (a ``MalmmError`` while the node is
    made, printed without a traceback), or 1 when it had to be cut short.

    Args:
        make: Builds the node.
        arguments: Command line; ``sys.argv`` by default.
        threads: Of the executor: how many callbacks may block at once.
    """
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    _initialize(list(sys.argv if arguments is None else arguments))
    try:
        node = make()
    except MalmmError as error:
        sys.stderr.write(f"{error}\n")
        _leave(2)
    liveness = Liveness(node)
    # What was made so far stays: to look through it again and again would hold every callback up
    # for tens of milliseconds, a stop's too.
    gc.collect()
    gc.freeze()
    spinning = SpinThread(node, threads=threads)
    stop.wait()
    _close(node, spinning)
    del liveness
    _leave(0)


def _initialize(arguments: list[str]) -> None:
    """Start rclpy; what it does not understand of the command line ends the process with 2."""
    try:
        # Our signal handlers instead of rclpy's, which cut a node off before it can brake.
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # noqa: BLE001  # rcl's errors have no common, public class
        # Its places in C sources say nothing to users.
        sys.stderr.write(f"--ros-args: {str(error).partition(', at /')[0]}\n")
        _leave(2)


def _leave(code: int) -> NoReturn:
    """Go now: threads of the middleware, the renderer or a callback may not hold us."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _close(node: Any, spinning: SpinThread) -> None:
    """Close in order, but not for longer than a caller waits."""
    watchdog = threading.Timer(_CLOSE_S, _leave, args=(1,))
    watchdog.daemon = True
    watchdog.start()
    close = getattr(node, "close", None)
    if close is not None:
        close()
    spinning.close(timeout_s=0.7)
    node.destroy_node()
    rclpy.try_shutdown()
    watchdog.cancel()
