"""Values over time: what something was at a moment between two messages."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import PerceptionError

_LENGTH = 400
# A stamp that is older than the newest one by this much: the clock began anew.
_RESTART_S = 0.5
_SAME_S = 1e-6
# What rests may be silent for so many times longer, as it is on a busy machine.
_REST_FACTOR = 3.0


class History:
    """Rows of numbers by their stamps, interpolated linearly.

    Args:
        gap_s: Longest time between two values, and beyond the newest one, over which something
            may have moved unseen without being asked for in vain.
        still: Values that differ by less are the same; then a gap does no harm.
    """

    def __init__(self, *, gap_s: float = 0.1, still: float = 1e-3) -> None:
        self._gap_s, self._still = gap_s, still
        self._first_s = float("-inf")
        self._stamps: deque[float] = deque(maxlen=_LENGTH)
        self._values: deque[NDArray[np.float64]] = deque(maxlen=_LENGTH)

    @property
    def newest_s(self) -> float:
        """Stamp of the newest value; minus infinity before the first."""
        return self._stamps[-1] if self._stamps else float("-inf")

    @property
    def newest(self) -> NDArray[np.float64] | None:
        """The newest value, if any."""
        return self._values[-1] if self._values else None

    def begin(self, stamp_s: float) -> None:
        """Know nothing of what was before a moment, nor what may still come of it."""
        self._clear()
        self._first_s = stamp_s

    def _clear(self) -> None:
        self._stamps.clear()
        self._values.clear()

    def add(self, stamp_s: float, values: NDArray[np.float64]) -> None:
        """Keep a value; one that comes late is dropped, one of the newest stamp replaces it."""
        if self._stamps and (
            stamp_s < self.newest_s - _RESTART_S or len(values) != len(self._values[-1])
        ):
            self._clear()
        if stamp_s < self._first_s - _RESTART_S:
            self._first_s = float("-inf")
        if stamp_s < self._first_s - _SAME_S:
            return
        if stamp_s < self.newest_s:
            return
        if stamp_s == self.newest_s:
            self._values[-1] = values
            return
        self._stamps.append(stamp_s)
        self._values.append(values)

    def at(self, stamp_s: float) -> NDArray[np.float64]:
        """The value at a moment.

        Raises:
            PerceptionError: It is not known: too old, too new, or it moved through a gap.
        """
        if not self._stamps:
            raise PerceptionError("nothing was received yet")
        index = bisect_left(self._stamps, stamp_s)
        if index == len(self._stamps):
            distance_s = stamp_s - self.newest_s
            if not (distance_s <= _REST_FACTOR * self._gap_s and self._rests()):
                self._check_distance(distance_s, "the newest one is {:.3f} s older")
            return self._values[-1]
        if index == 0:
            self._check_distance(self._stamps[0] - stamp_s, "the oldest one is {:.3f} s newer")
            return self._values[0]
        before_s, after_s = self._stamps[index - 1], self._stamps[index]
        before, after = self._values[index - 1], self._values[index]
        if after_s - before_s > self._gap_s and np.abs(after - before).max() > self._still:
            raise PerceptionError(f"it moved while nothing came for {after_s - before_s:.3f} s")
        share = (stamp_s - before_s) / (after_s - before_s)
        result: NDArray[np.float64] = before + share * (after - before)
        return result

    def _rests(self) -> bool:
        """Whether the value did not change over the last gap."""
        since_s = self.newest_s - self._gap_s
        index = bisect_left(self._stamps, since_s)
        if self._stamps[0] > since_s:
            return False
        recent = [self._values[i] for i in range(index, len(self._values))]
        return bool(np.abs(np.array(recent) - self._values[-1]).max() <= self._still)

    def _check_distance(self, distance_s: float, words: str) -> None:
        if distance_s > self._gap_s:
            raise PerceptionError(words.format(distance_s))
