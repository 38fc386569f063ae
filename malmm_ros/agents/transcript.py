"""What happened in a task, a JSON line an event, written as it happens.

The first line is the header with ``schema_version`` and the configuration. What differs between
two equal runs stands apart: ``clock`` (wall time) in every line and ``host`` (this machine and
its endpoints) in the header, and the task's name in header and result; :func:`strip_clock`
leaves what must be equal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args

from malmm_ros.closing import Closing
from malmm_ros.errors import ConfigurationError, MalmmError

SCHEMA_VERSION = 1

EventKind = Literal[
    "header",
    "instruction",
    "scene",
    "message",
    "code",
    "rehearsal",
    "execution",
    "check",
    "note",
    "approval",
    "operator",
    "injection",
    "model",
    "result",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
_FIELDS = ("index", "kind", "agent", "text", "data", "clock")


class TranscriptError(MalmmError):
    """A transcript cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """One line of a transcript.

    Attributes:
        index: Counts up from 0 without gaps.
        kind: What it tells of; ``model`` is what passes with an endpoint: waits, further
            attempts, settings that it refuses, answers that were cut.
        agent: Who: a role, ``executor``, ``user`` or ``team``.
        text: For people.
        data: Plain JSON values; what it holds depends on the kind.
        clock: Wall time: ``time`` (UTC, ISO 8601), ``elapsed_s`` since the first line, and
            ``duration_s`` of what the event reports, where that was measured.
    """

    index: int
    kind: EventKind
    agent: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, Any] = field(default_factory=dict)

    def to_line(self) -> str:
        """The JSON line, without its end."""
        line: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS}
        if self.kind == "header":
            line = {"schema_version": SCHEMA_VERSION, **line}
        # ASCII only: lone surrogates and line separators in a model's answer stay harmless.
        return json.dumps(line, ensure_ascii=True, allow_nan=True)

    @classmethod
    def from_line(cls, line: str) -> AgentEvent:
        """Read a line.

        Raises:
            TranscriptError: It is not an event.
        """
        try:
            values = json.loads(line)
        except ValueError as error:
            raise TranscriptError(f"is not JSON ({error})") from error
        if not isinstance(values, dict) or any(name not in values for name in _FIELDS):
            raise TranscriptError(f"is not an event; it needs {', '.join(_FIELDS)}")
        if values["kind"] not in EVENT_KINDS:
            raise TranscriptError(f"has the unknown kind {values['kind']!r}")
        return cls(**{name: values[name] for name in _FIELDS})


class Transcript(Closing):
    """Numbers events, hands each to the caller and writes it to a file at once.

    Args:
        path: File to write; ``None`` writes none.
        on_event: Gets every event after it is written.

    Raises:
        ConfigurationError: The file cannot be made.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        on_event: Callable[[AgentEvent], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self._on_event = on_event
        self._clock = clock
        self._start_s = clock()
        self._count = 0
        self._file: IO[str] | None = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("w", encoding="utf-8", newline="\n")
            except OSError as error:
                raise ConfigurationError(
                    f"transcript {path}", f"cannot be written ({error.strerror})"
                ) from error

    def add(
        self,
        kind: EventKind,
        agent: str,
        text: str,
        data: Mapping[str, Any] | None = None,
        *,
        duration_s: float | None = None,
    ) -> AgentEvent:
        """Write an event and hand it on."""
        clock: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "elapsed_s": round(self._clock() - self._start_s, 4),
        }
        if duration_s is not None:
            clock["duration_s"] = round(duration_s, 4)
        event = AgentEvent(
            index=self._count, kind=kind, agent=agent, text=text, data=data or {}, clock=clock
        )
        self._count += 1
        if self._file is not None:
            self._file.write(event.to_line() + "\n")
            self._file.flush()
        if self._on_event is not None:
            self._on_event(event)
        return event

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_transcript(path: Path) -> tuple[AgentEvent, ...]:
    """Read and check a transcript; a last line that a killed process left half is dropped.

    Raises:
        TranscriptError: The file, its version or one of its lines is wrong; says which line.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror})") from error
    lines = text.split("\n")
    # Whole lines end with a line end, so the last piece is empty or half an event.
    events: list[AgentEvent] = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            event = AgentEvent.from_line(line)
            _check_order(event, line, expected=len(events))
        except TranscriptError as error:
            raise TranscriptError(f"{path}: line {number} {error}") from error
        events.append(event)
    if not events:
        raise TranscriptError(f"{path}: holds no whole line")
    return tuple(events)


def strip_clock(line: str | Mapping[str, Any]) -> dict[str, Any]:
    """A line without what differs between equal runs: clock, host and the task's own name."""
    values = json.loads(line) if isinstance(line, str) else dict(line)
    values.pop("clock", None)
    values["data"] = {
        key: item for key, item in values["data"].items() if key not in ("host", "task_id")
    }
    return cast("dict[str, Any]", values)


def _check_order(event: AgentEvent, line: str, *, expected: int) -> None:
    if event.index != expected:
        raise TranscriptError(f"has index {event.index} where {expected} was due")
    if (event.kind == "header") != (expected == 0):
        raise TranscriptError("is out of place: a header is the first line and only that")
    if expected == 0:
        version = json.loads(line).get("schema_version")
        if version != SCHEMA_VERSION:
            raise TranscriptError(
                f"has schema version {version!r}; this program reads {SCHEMA_VERSION}"
            )
