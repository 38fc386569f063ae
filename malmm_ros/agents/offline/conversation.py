"""Read the messages of a chat back into role, instruction, history and scene."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from malmm_ros.agents.history import HistoryEntry
from malmm_ros.agents.messages import ChatMessage, Speaker
from malmm_ros.agents.scene_text import parse_scene
from malmm_ros.errors import ModelError
from malmm_ros.scene import Scene

Duty = Literal[
    "supervisor", "planner", "verify", "coder", "single", "single at once", "single verify"
]

_ROLE = re.compile(r"You are the (Supervisor|Planner|Coder|single)\b")
_SECTION = re.compile(r"^## (Instruction|History|Scene now|Your turn)[ \t]*$", re.M)
_ENTRY = re.compile(r"^\[(\d+)\] (supervisor|planner|coder|single|executor|team|user):[ ]?(.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a model is told in one call.

    Attributes:
        duty: The role; ``verify``: the Planner's check of a claim; ``at once``: without feedback.
        is_camera_view: Left and right are the front camera's.
        is_blind: Nothing will be sensed any more.
        complaint: What was wrong with the answer before; empty in the first round.
    """

    duty: Duty
    instruction: str
    history: tuple[HistoryEntry, ...]
    scene: Scene
    is_camera_view: bool = False
    complaint: str = ""
    is_blind: bool = False

    def said(self, speaker: Speaker) -> list[HistoryEntry]:
        """The entries of one speaker, oldest first."""
        return [entry for entry in self.history if entry.speaker == speaker]


def read_conversation(messages: Sequence[ChatMessage]) -> Conversation:
    """Read a chat.

    Raises:
        ModelError: It is not a chat of this project's prompts (``invalid_request``).
    """
    system = "\n".join(item.content for item in messages if item.role == "system")
    users = [item.content for item in messages if item.role == "user"]
    role = _ROLE.search(system)
    if role is None or not users:
        raise ModelError(
            "invalid_request",
            "the offline model answers only the prompts of the Supervisor, the Planner, the "
            "Coder and the single agent: a system message that names the role, then a user "
            "message",
        )
    sections = _sections(users[0])
    missing = [name for name in ("Instruction", "Scene now") if name not in sections]
    if missing:
        raise ModelError("invalid_request", f"the user message has no section {missing[0]!r}")
    try:
        scene = parse_scene(sections["Scene now"])
    except ValueError as error:
        raise ModelError("invalid_request", str(error)) from error
    turn = sections.get("Your turn", "")
    duty = role[1].lower()
    if duty in ("planner", "single") and turn.startswith("Verify completion."):
        duty = "verify" if duty == "planner" else "single verify"
    elif duty == "single" and turn.startswith("Write the whole program"):
        duty = "single at once"
    return Conversation(
        duty=cast("Duty", duty),
        instruction=sections["Instruction"],
        history=_entries(sections.get("History", "")),
        scene=scene,
        is_camera_view="as seen by the front camera" in system,
        complaint=users[-1] if len(users) > 1 else "",
    )


def _sections(text: str) -> dict[str, str]:
    """The first of each heading, in their order, so that quoted text cannot open a section."""
    found: dict[str, str] = {}
    marks = list(_SECTION.finditer(text))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        found.setdefault(mark[1], text[mark.end() : end].strip())
    return found


def _entries(text: str) -> tuple[HistoryEntry, ...]:
    entries: list[HistoryEntry] = []
    for line in text.splitlines():
        if match := _ENTRY.match(line):
            entries.append(HistoryEntry(int(match[1]), cast("Speaker", match[2]), match[3]))
        elif entries:
            last = entries[-1]
            more = line.removeprefix("    ")
            entries[-1] = HistoryEntry(last.number, last.speaker, f"{last.text}\n{more}")
    return tuple(entries)
