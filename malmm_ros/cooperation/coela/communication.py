"""Communication: draft a message, and offer it as one choice among others."""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.cooperation.coela.answers import read_message
from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option, message_option
from malmm_ros.cooperation.coela.prompting import CoelaPrompts
from malmm_ros.cooperation.coela.session import Mind


class Communication:
    """One agent's messages; whether one is sent is for planning to decide."""

    def __init__(self, memory: Memory, prompts: CoelaPrompts, mind: Mind) -> None:
        self._memory = memory
        self._prompts = prompts
        self._mind = mind
        self._sent: set[str] = set()

    def offer(self, plans: Sequence[Option]) -> list[Option]:
        """The choice to speak, or nothing where there is nothing new to say.

        Args:
            plans: What could be done next, for the draft to refer to.
        """
        rules = self._memory.briefing.rules
        _, text = self._mind.ask(
            [self._prompts.system(), self._prompts.draft(self._memory, plans)],
            lambda answer: read_message(answer, rules.message_characters),
            purpose="draft",
        )
        if not text or _essence(text) in self._sent:
            return []
        return [message_option(text, rules.message_frames(text))]

    def note_sent(self, text: str) -> None:
        """Remember what was said, so that it is not said again."""
        self._sent.add(_essence(text))


def _essence(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
