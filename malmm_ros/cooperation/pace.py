"""Hold a world back to a pace that people can follow."""

from __future__ import annotations

import time

from malmm_ros.cancellation import CancelToken

# The benchmark's actions last as many frames as they would at this rate.
FRAMES_PER_S = 30.0


class Pace:
    """Starts when it is made.

    Args:
        speed: Seconds of the world in a second of wall time; 0: no pace.
    """

    def __init__(self, speed: float) -> None:
        self._rate = speed * FRAMES_PER_S
        self._started_s = time.monotonic()

    def hold(self, frame: int, cancel: CancelToken) -> None:
        """Wait until a frame is due, or until cancelled."""
        if self._rate > 0.0:
            due_s = self._started_s + frame / self._rate
            cancel.wait(max(0.0, due_s - time.monotonic()))
