"""What was tried and failed, as the history tells it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from malmm_ros.agents.history import HistoryEntry
from malmm_ros.agents.offline.steps import unquote

_NAME = r'"((?:[^"\\]|\\.)*)"'
_STEP = re.compile(rf"^Step:\s*(pick up|put down)\s+{_NAME}(?:\s+\w+\s+{_NAME})?", re.I | re.M)
_LOOK = re.compile(r"^Step:\s*look again\b", re.I | re.M)
_REFUSED = re.compile(r"^\s*refused", re.I)
_FAILED = re.compile(r"^\s*(stopped|refused|code error)", re.I)
_HEADING = re.compile(r"^(step|complete|impossible):", re.I | re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """How often in a row picking up or putting down each object failed, by its quoted name.

    Attributes:
        placed: Where each object was last put down without a failure: the name of the support,
            empty on the table.
        has_looked: The last step only looked again.
        refusals: Steps in a row that were refused before anything moved.
        last_problem: The newest failed line of the executor; empty when the last step went well.
    """

    picks: Counter[str]
    places: Counter[str]
    placed: dict[str, str] = field(default_factory=dict)
    has_looked: bool = False
    refusals: int = 0
    last_problem: str = ""


def read_attempts(history: Sequence[HistoryEntry]) -> Attempts:
    """Count failures since the last success with the same object."""
    picks: Counter[str] = Counter()
    places: Counter[str] = Counter()
    placed: dict[str, str] = {}
    current: tuple[str, str, str] | None = None
    problem = ""
    has_looked, refusals = False, 0
    for entry in history:
        if entry.speaker == "planner" and _HEADING.search(entry.text):
            match = _STEP.search(entry.text)
            has_looked = _LOOK.search(entry.text) is not None
            current = None
            if match is not None:
                name, where = (unquote(f'"{text or ""}"') for text in match.group(2, 3))
                current = (match[1].lower(), name, where)
        elif entry.speaker == "executor":
            has_failed = _FAILED.match(entry.text) is not None
            problem = _first_failure(entry.text) if has_failed else ""
            refusals = refusals + 1 if _REFUSED.match(entry.text) else 0
            if current is None:
                continue
            counter = picks if current[0] == "pick up" else places
            if has_failed:
                counter[current[1]] += 1
            else:
                del counter[current[1]]
                placed.pop(current[1], None)
                if counter is places:
                    del picks[current[1]]
                    placed[current[1]] = current[2]
    return Attempts(
        picks=picks,
        places=places,
        placed=placed,
        has_looked=has_looked,
        refusals=refusals,
        last_problem=problem,
    )


def _first_failure(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    failed = [line for line in lines if "FAILED" in line]
    return (failed or lines[1:] or lines or [""])[0][:200]
