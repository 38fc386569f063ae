"""What was said and done so far, as the agents read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from malmm_ros.agents.messages import AgentRole, Speaker

HistoryMode = Literal["role", "shared"]

# Who reads what when histories are divided by role; the Supervisor always sees everything.
_VISIBLE: dict[AgentRole, frozenset[Speaker]] = {
    "supervisor": frozenset(("supervisor", "planner", "coder", "executor", "team", "user")),
    "planner": frozenset(("planner", "executor", "team", "user")),
    "coder": frozenset(("planner", "coder", "executor", "team", "user")),
    "single": frozenset(("single", "executor", "team", "user")),
}
_PLANNERS: frozenset[Speaker] = frozenset(("planner", "single"))
# One contribution is shown up to this length: its beginning and, longer, its end.
_HEAD_CHARS, _TAIL_CHARS = 1500, 4500


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One contribution; its number is its place in the whole history, from 1."""

    number: int
    speaker: Speaker
    text: str

    def render(self) -> str:
        """``[n] speaker: text``; further lines are indented, so no text can forge an entry."""
        text = self.text.strip()
        if len(text) > _HEAD_CHARS + _TAIL_CHARS:
            text = f"{text[:_HEAD_CHARS]}\n...\n{text[-_TAIL_CHARS:]}"
        first, *rest = text.splitlines() or [""]
        lines = [f"[{self.number}] {self.speaker}: {first}", *(f"    {line}" for line in rest)]
        return "\n".join(line.rstrip() for line in lines)


class History:
    """Grows at the end only, so that a provider's cache of the common beginning holds.

    When what a role reads grows beyond ``max_chars``, its oldest half is left out, and a line
    says how many entries are missing. Never left out are the first and the newest answer of who
    plans (targets stand in the first, the plan in the newest), what the user said, and the last
    two entries. The instruction and the newest scene are no part of the history.

    Args:
        mode: Who reads what.
        max_chars: Of the rendered text, for each role.
    """

    def __init__(self, *, mode: HistoryMode = "role", max_chars: int = 60_000) -> None:
        self._mode = mode
        self._max_chars = max_chars
        self._entries: list[HistoryEntry] = []
        # By role: entries up to this number are left out.
        self._cuts: dict[AgentRole, int] = {}

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
        readable = [item for item in self._entries if shared or item.speaker in _VISIBLE[role]]
        kept = self._kept(readable)
        texts = {item.number: item.render() for item in readable}
        cut = self._cuts.get(role, 0)
        shown = _after(cut, readable, kept)
        if _length(texts, shown) > self._max_chars:
            cut = self._cuts[role] = self._cut(texts, readable, kept)
            shown = _after(cut, readable, kept)
        lines = [texts[item.number] for item in shown]
        missing = len(readable) - len(shown)
        if missing:
            lines.insert(0, f"(left out: {missing} older entries)")
        return "\n".join(lines) or "(empty)"

    def _cut(self, texts: dict[int, str], readable: Sequence[HistoryEntry], kept: set[int]) -> int:
        """The least number up to which entries must go to fit half of the room."""
        for item in readable:
            if _length(texts, _after(item.number, readable, kept)) <= self._max_chars // 2:
                return item.number
        return len(self._entries)

    def _kept(self, readable: Sequence[HistoryEntry]) -> set[int]:
        plans = [item.number for item in readable if item.speaker in _PLANNERS]
        return {
            *plans[:1],
            *plans[-1:],
            *(item.number for item in readable if item.speaker == "user"),
            *(item.number for item in readable[-2:]),
        }


def _after(cut: int, entries: Iterable[HistoryEntry], kept: set[int]) -> list[HistoryEntry]:
    return [item for item in entries if item.number > cut or item.number in kept]


def _length(texts: dict[int, str], entries: Iterable[HistoryEntry]) -> int:
    return sum(len(texts[item.number]) + 1 for item in entries)
