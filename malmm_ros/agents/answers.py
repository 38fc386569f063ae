"""Read what each role answers; an answer that cannot be read says what is wrong with it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

from malmm_ros.agents.code_extraction import extract_code
from malmm_ros.agents.completion import Flaw
from malmm_ros.agents.json_answers import find_object, read_bool
from malmm_ros.errors import MalmmError, suggest

ReadT = TypeVar("ReadT")

NextSpeaker = Literal["planner", "coder", "executor", "finish"]
PlanKind = Literal["step", "complete", "impossible"]

_NEXT = ("planner", "coder", "executor", "finish")
_ALIASES = {"code executor": "executor", "code_executor": "executor", "done": "finish"}
_HEADING = re.compile(r"^[\s*#>_-]*(step|complete|impossible)[\s*_]*:[\s*_]*", re.I | re.M)
_NOT_UNDERSTOOD = re.compile(
    r"(?:not|cannot|can't|n't)\s+(?:really\s+)?(?:understand|recogni[sz]e|parse)|not understood"
    r"|unintelligible|makes? no sense|meaningless",
    re.I,
)


class UnusableAnswerError(MalmmError):
    """An answer has not the asked form; the message is for the model that gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The Supervisor's: who acts next, and why."""

    next: NextSpeaker
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The Planner's.

    Attributes:
        text: The last paragraph without its heading.
    """

    kind: PlanKind
    text: str

    @property
    def is_not_understood(self) -> bool:
        """Whether the words of the instruction are what is wrong."""
        return self.kind == "impossible" and bool(_NOT_UNDERSTOOD.search(self.text))

    @property
    def end_reason(self) -> str:
        """How a run ends by this plan."""
        return "not_understood" if self.is_not_understood else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The Planner's answer to a claim of completion."""

    is_complete: bool
    reason: str


def read_whole(
    read: Callable[[str], ReadT], answer: str, flaw: Flaw | None, *, is_json: bool
) -> ReadT:
    """Read an answer that may have a flaw besides its words.

    The beginning of a step or a program is not taken for the whole: half a program would do
    half of what was meant. A JSON object shows by itself whether it is whole.

    Args:
        read: One of the functions below.
        answer: Its text.
        flaw: What is wrong with it.
        is_json: Whether a JSON object was asked for.

    Raises:
        UnusableAnswerError: It cannot be read, or has no end.
    """
    if flaw is None:
        return read(answer)
    if is_json and flaw.is_cut and answer:
        with contextlib.suppress(UnusableAnswerError):
            return read(answer)
    raise UnusableAnswerError(f"it {flaw.fact}. {flaw.advice}".strip())


def read_choice(answer: str) -> Choice:
    """Read the Supervisor's answer.

    Raises:
        UnusableAnswerError: There is no JSON object with a valid ``next``.
    """
    found = find_object(answer, key="next")
    if found is None:
        raise UnusableAnswerError('there is no JSON object with the keys "next" and "reason".')
    word = str(found["next"]).strip().lower()
    word = _ALIASES.get(word, word)
    if word not in _NEXT:
        raise UnusableAnswerError(f'"next" is {word[:40]!r}; {suggest(word[:40], _NEXT)}')
    return Choice(next=cast("NextSpeaker", word), reason=_one_line(found.get("reason", "")))


def read_plan(answer: str) -> Plan:
    """Read the Planner's answer: what stands after the last of its three headings.

    Raises:
        UnusableAnswerError: There is no heading, or nothing after it.
    """
    headings = list(_HEADING.finditer(answer))
    if not headings:
        raise UnusableAnswerError(
            "no paragraph begins with `Step:`, `Complete:` or `Impossible:`."
        )
    last = headings[-1]
    text = answer[last.end() :].strip()
    if not text:
        raise UnusableAnswerError(f"nothing stands after `{last[1].capitalize()}:`.")
    return Plan(kind=cast("PlanKind", last[1].lower()), text=text)


def read_code(answer: str) -> str:
    """Read the Coder's answer: its program.

    Raises:
        UnusableAnswerError: It holds none.
    """
    code = extract_code(answer)
    if not code.strip():
        raise UnusableAnswerError("it holds no program; write one fenced block of Python.")
    return code


def read_move(answer: str) -> Plan | str:
    """Read the single agent's answer: a program, or that the task is complete or impossible.

    Raises:
        UnusableAnswerError: It is neither, or both.
    """
    headings = [match[1].lower() for match in _HEADING.finditer(answer)]
    ends = bool(headings) and headings[-1] != "step"
    code = extract_code(answer)
    if ends and code.strip():
        raise UnusableAnswerError(
            f"it holds a program and `{headings[-1].capitalize()}:`; give one of them only."
        )
    if ends:
        return read_plan(answer)
    if not code.strip():
        raise UnusableAnswerError(
            "it holds neither a fenced block of Python nor a paragraph that begins with "
            "`Complete:` or `Impossible:`."
        )
    return code


def read_verdict(answer: str) -> Verdict:
    """Read the Planner's answer in a verification turn.

    Raises:
        UnusableAnswerError: There is no JSON object with a true or false ``is_complete``.
    """
    found = find_object(answer, key="is_complete")
    is_complete = None if found is None else read_bool(found["is_complete"])
    if found is None or is_complete is None:
        raise UnusableAnswerError(
            'there is no JSON object with "is_complete": true or false and "reason".'
        )
    return Verdict(is_complete=is_complete, reason=_one_line(found.get("reason", "")))


def _one_line(value: object) -> str:
    return " ".join(str(value).split())[:500]
