"""The conversation of a team on the terminal, as it happens."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

_STYLES = {
    "user": "bold white",
    "supervisor": "magenta",
    "planner": "cyan",
    "coder": "yellow",
    "executor": "green",
    "team": "bold blue",
}
# What the answers and reports say already is not printed twice.
_SILENT = ("header", "code", "rehearsal", "approval")
# Longer contributions are cut on the terminal; the transcript has the rest.
_MAX_CHARS, _MAX_LINES = 6_000, 150


def printable(text: str) -> str:
    """A text of a model's or a program's, without what would command the terminal."""
    from malmm_ros.agents.messages import clean_text

    text = clean_text(text).strip()
    shown = "\n".join(text[:_MAX_CHARS].split("\n", _MAX_LINES)[:_MAX_LINES])
    if shown == text:
        return text
    return f"{shown}\n… {len(text) - len(shown):,} further characters are in the transcript"


class ConversationPrinter:
    """Prints events under the name of who speaks.

    Args:
        console: Where to; standard output by default.
        with_scenes: Also print the scene after every step.
    """

    def __init__(self, console: Console | None = None, *, with_scenes: bool = False) -> None:
        self._console = console or Console(highlight=False, soft_wrap=False)
        self._with_scenes = with_scenes

    def show(self, kind: str, agent: str, text: str) -> None:
        """Print one event of a transcript.

        Args:
            kind: Of the event.
            agent: Who speaks.
            text: For people.
        """
        if kind == "scene":
            self._show_scene(text)
        elif kind == "rehearsal" and "refused" in text.lower():
            self._say("executor", text)
        elif kind == "model":
            self._say(kind, text)
        elif kind not in _SILENT:
            self._say(agent, text or "(no answer)")

    def _show_scene(self, text: str) -> None:
        if self._with_scenes:
            self._say("scene", text)

    def _say(self, agent: str, text: str) -> None:
        self._console.print(Text(f"{agent}:", style=_STYLES.get(agent, "dim")))
        self._console.print(Padding(Text(printable(text)), (0, 0, 0, 4)))
