"""Says again and again what is waited for, so that nobody wonders why nothing happens."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD_S = 5.0


class WaitReport:
    """Looked at often; speaks every five seconds of one and the same wait.

    Args:
        say: Gets the words.
        clock: Seconds.
    """

    def __init__(
        self, say: Callable[[str], object], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._clock = say, clock
        self._what = ""
        self._since_s = self._said_s = clock()

    def wait_for(self, what: str) -> None:
        """From now on this is waited for; empty: nothing."""
        if what != self._what:
            self._what = what
            self._since_s = self._said_s = self._clock()

    def look(self) -> None:
        """Speak, if it is time."""
        now_s, what = self._clock(), self._what
        if what and now_s - self._said_s >= PERIOD_S:
            self._said_s = now_s
            self._say(f"waiting for {what} ({now_s - self._since_s:.0f} s)")
