"""The person at the terminal: decides on steps, pauses, stops, adds a sentence."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import IO, Protocol

HELP = (
    "type: yes, no or a correction in words for the step that waits; pause, resume, stop; "
    "anything else is told to the team"
)
_YES, _NO = ("y", "yes", "ok"), ("n", "no")


class Desk(Protocol):
    """Where a person's words go: this process's desk, or a node's."""

    def decide(self, verdict: str, text: str = "") -> bool:
        """Decide on the step that waits; whether one was waiting."""
        ...

    def pause(self) -> None:
        """Hold before the next command."""
        ...

    def resume(self) -> None:
        """Go on."""
        ...

    def say(self, sentence: str) -> None:
        """Add to the instruction."""
        ...


class TerminalOperator:
    """Reads lines in a thread of its own and carries each to the desk.

    Args:
        desk: Where words go.
        cancel: Called for ``stop``, and when the input ends while a step waits.
        lines: The input.
        out: For questions.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        cancel: Callable[[str], None],
        lines: IO[str] | None = None,
        out: IO[str] | None = None,
    ) -> None:
        self._desk = desk
        self._cancel = cancel
        self._lines = lines or sys.stdin
        self._out = out or sys.stdout
        self._waits = threading.Event()
        self._has_ended = threading.Event()

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="operator", daemon=True).start()

    def show(self, summary: str, code: str) -> None:
        """Ask about a step."""
        self._waits.set()
        self._write(f"\n{summary}\n\n{code}\n\nrun this step? [yes / no / a correction] ")
        if self._has_ended.is_set():
            self._end()

    def _read(self) -> None:
        for line in self._lines:
            if line.strip():
                self.take(line.strip())
        self._has_ended.set()
        if self._waits.is_set():
            self._end()

    def take(self, line: str) -> None:
        """Carry one line to where it belongs."""
        word = line.lower()
        if word == "stop":
            self._cancel("stopped by the user")
        elif word == "pause":
            self._desk.pause()
            self._write("paused before the next command; `resume` goes on\n")
        elif word == "resume":
            self._desk.resume()
        elif self._waits.is_set():
            self._decide(line)
        elif word in (*_YES, *_NO):
            self._write("no step waits for an answer\n")
        else:
            self._desk.say(line)

    def _decide(self, line: str) -> None:
        self._waits.clear()
        if line.lower() in _YES:
            self._desk.decide("yes")
        elif line.lower() in _NO:
            self._desk.decide("no")
        else:
            self._desk.decide("correct", line)

    def _end(self) -> None:
        self._cancel("the input ended while a step waited for an approval")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
