"""The one main() of all our nodes: start, spin, end within two seconds on any signal."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from malmm_ros.errors import MalmmError
from malmm_ros.nodes.liveness import Liveness

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
    executor = MultiThreadedExecutor(num_threads=threads)
    executor.add_node(node)
    liveness = Liveness(node)
    thread = threading.Thread(target=_spin, args=(executor, stop), name="executor", daemon=True)
    thread.start()
    stop.wait()
    _close(node, executor, thread)
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


def _spin(executor: MultiThreadedExecutor, stop: threading.Event) -> None:
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
    watchdog = threading.Timer(_CLOSE_S, _leave, args=(1,))
    watchdog.daemon = True
    watchdog.start()
    close = getattr(node, "close", None)
    if close is not None:
        close()
    executor.wake()
    # Its own shutdown() would wait for callbacks that block.
    thread.join(timeout=0.7)
    node.destroy_node()
    rclpy.try_shutdown()
    watchdog.cancel()
