"""The Supervisor: who acts next follows from who spoke last and what came of it."""

from __future__ import annotations

import json
import re

from malmm_ros.agents.history import HistoryEntry
from malmm_ros.agents.offline.conversation import Conversation

_HEADING = re.compile(r"^[\s*#>_-]*(step|complete|impossible)[\s*_]*:", re.I | re.M)
_CODE_ERROR = re.compile(r"^\s*code error", re.I)


def choose_next(talk: Conversation) -> str:
    """Answer the Supervisor's turn."""
    spoken = [entry for entry in talk.history if entry.speaker != "supervisor"]
    if not spoken:
        return _choice("planner", "nothing has been planned yet")
    last = spoken[-1]
    if last.speaker == "planner":
        return _after_planner(last)
    if last.speaker == "coder":
        if "```" in last.text:
            return _choice("executor", "the program has not been run yet")
        return _choice("planner", "the coder could not write the step as a program")
    if last.speaker == "executor" and _CODE_ERROR.match(last.text):
        return _after_code_error(spoken)
    if last.speaker == "executor":
        return _choice("planner", "the step has been tried; the new scene has to be looked at")
    return _choice("planner", "the team's note has to be answered by the plan")


def _after_planner(entry: HistoryEntry) -> str:
    headings = _HEADING.findall(entry.text)
    kind = headings[-1].lower() if headings else "step"
    if kind == "complete":
        return _choice("finish", "the planner says that the instruction is fulfilled")
    if kind == "impossible":
        return _choice("finish", "the planner says that it cannot be done")
    return _choice("coder", "the planner has named the next step")


def _after_code_error(spoken: list[HistoryEntry]) -> str:
    reports = [entry for entry in spoken if entry.speaker == "executor"]
    if len(reports) > 1 and _CODE_ERROR.match(reports[-2].text):
        return _choice("planner", "the program failed twice; the step has to be put otherwise")
    return _choice("coder", "the program has an error that its author can correct")


def _choice(speaker: str, reason: str) -> str:
    return json.dumps({"next": speaker, "reason": reason})
