"""Answers of several agents to one question; they come from other threads, in any order."""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class Roundup(Generic[ValueT]):
    """Collects one answer of each to the question that is open; what is late is nobody's."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._key: Hashable = None
        self._answers: dict[str, ValueT] = {}

    def open(self, key: Hashable) -> None:
        """Ask anew; before the question goes out."""
        with self._changed:
            self._key, self._answers = key, {}

    def put(self, key: Hashable, name: str, answer: ValueT) -> bool:
        """Take an answer over; whether it belongs to what is open, and is its name's first."""
        with self._changed:
            if key != self._key or name in self._answers:
                return False
            self._answers[name] = answer
            self._changed.notify_all()
            return True

    def wait(self, names: Collection[str], timeout_s: float) -> dict[str, ValueT]:
        """Wait until all of these have answered, or the time is over.

        Returns:
            What is there, by name.
        """
        with self._changed:
            self._changed.wait_for(lambda: set(names) <= set(self._answers), timeout_s)
            return dict(self._answers)
