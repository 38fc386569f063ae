"""What was said and done so far, as the agents read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from malmm_ros.agents.messages import AgentRole, Speaker

HistoryMode = Literal["role", "shared"]

# Who reads what when histories are divided by role; the Supervisor always sees everything.
_VISIBLE: dict[AgentRole, frozenset[Speaker]] = {
    "supervisor": frozenset(("supervisor", "planner", "coder", "executor", "team")),
    "planner": frozenset(("planner", "executor", "team")),
    "coder": frozenset(("planner", "coder", "executor", "team")),
}


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One contribution; its number is its place in the whole history, from 1."""

    number: int
    speaker: Speaker
    text: str

    def render(self) -> str:
        """``[n] speaker: text``; further lines are indented, so no text can forge an entry."""
        first, *rest = self.text.strip().splitlines() or [""]
        lines = [f"[{self.number}] {self.speaker}: {first}", *(f"    {line}" for line in rest)]
        return "\n".join(line.rstrip() for line in lines)


class History:
    """Grows at the end only, so that a provider's cache of the common beginning holds."""

    def __init__(self, *, mode: HistoryMode = "role") -> None:
        self._mode = mode
        self._entries: list[HistoryEntry] = []

    @property
    def entries(self) -> Sequence[HistoryEntry]:
        """All entries, oldest first."""
        return tuple(self._entries)

    def add(self, speaker: Speaker, text: str) -> HistoryEntry:
        """Append what somebody said or did."""
        entry = HistoryEntry(len(self._entries) + 1, speaker, text)
        self._entries.append(entry)
        return entry

    def render(self, role: AgentRole) -> str:
        """The entries that a role reads; ``(empty)`` when there are none."""
        shared = self._mode == "shared"
        shown = [item for item in self._entries if shared or item.speaker in _VISIBLE[role]]
        return "\n".join(item.render() for item in shown) or "(empty)"
