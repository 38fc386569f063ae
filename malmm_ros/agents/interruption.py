"""Being stopped from outside: between turns, while a model thinks and while the arm moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import MalmmError
from malmm_ros.robots.robot import Robot

# How soon the watching thread notices that there is nothing left to watch.
_POLL_S = 0.05


class TaskCancelledError(MalmmError):
    """Somebody asked for a stop."""


def check_cancelled(cancel: CancelToken) -> None:
    """Go on unless a stop was asked for.

    Raises:
        TaskCancelledError: It was; carries the reason.
    """
    if cancel.is_cancelled:
        raise TaskCancelledError(cancel.reason or "cancelled")


@contextmanager
def braking(robot: Robot, cancel: CancelToken) -> Iterator[None]:
    """While inside, a cancel brakes the robot at once, whatever call is blocking."""
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            if cancel.wait(_POLL_S):
                if not done.is_set():
                    robot.stop()
                return

    watcher = threading.Thread(target=watch, name="cancel-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join(timeout=5.0)
