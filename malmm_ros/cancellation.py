"""A token by which one thread asks another to stop what it is doing."""

from __future__ import annotations

import threading


class CancelToken:
    """Set once, read often; safe between threads."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""

    def cancel(self, reason: str = "cancelled") -> None:
        """Ask for a stop; the first reason stays."""
        if not self._event.is_set():
            self.reason = reason
            self._event.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked."""
        return self._event.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Sleep until cancelled or the time is over; whether it was cancelled."""
        return self._event.wait(timeout_s)
