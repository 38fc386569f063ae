"""Episodic memory: what the agent did, and what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from malmm_ros.cooperation.transport.observation import Message

_NAME = re.compile(r"<\w+> \(\d+\)")

_HELLO = (
    "Hi! I will tell you when I find things that we need and when I finish something, and I will "
    "ask for your help when I need it."
)
_THANKS = (
    "Thanks! I will do the same: I tell you what I find and finish, and ask for your help when I "
    "need it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One plan that was carried out, or a message that was sent.

    Attributes:
        frame: At which it ended.
    """

    frame: int
    text: str


def seed_messages(names: Sequence[str]) -> tuple[Message, ...]:
    """The two fixed messages that open every dialogue, from its first two speakers."""
    return tuple(
        Message(sender=name, text=text, frame=0)
        for name, text in zip(names, (_HELLO, _THANKS), strict=False)
    )


@dataclass(slots=True)
class EpisodicMemory:
    """Everything that happened to one agent, oldest first.

    Attributes:
        most_deeds: How many deeds a prompt shows.
        most_messages: How many messages a prompt shows.
        is_ranked: Show what concerns the choice, not only what was last.
    """

    most_deeds: int
    most_messages: int
    is_ranked: bool = False
    deeds: list[Deed] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def recall_deeds(self, concerning: str) -> list[Deed]:
        """The deeds for a prompt, oldest first.

        Args:
            concerning: What is to be decided: a text that names rooms and things.
        """
        texts = [deed.text for deed in self.deeds]
        return [self.deeds[i] for i in self._chosen(texts, concerning, self.most_deeds)]

    def recall_messages(self, concerning: str) -> list[Message]:
        """The messages for a prompt, oldest first."""
        texts = [message.text for message in self.messages]
        return [self.messages[i] for i in self._chosen(texts, concerning, self.most_messages)]

    def _chosen(self, texts: Sequence[str], concerning: str, most: int) -> list[int]:
        count = len(texts)
        if not self.is_ranked or count <= most:
            return list(range(max(0, count - most), count))
        # The last one always stays; the others by what they share with the choice, things before
        # rooms, halved with every full set of newer ones.
        wanted = set(_NAME.findall(concerning))
        scores = [
            (1 + sum(_weight(name) for name in wanted & set(_NAME.findall(text))))
            * 0.5 ** ((count - 1 - index) / max(most, 1))
            for index, text in enumerate(texts[:-1])
        ]
        best = sorted(range(count - 1), key=lambda i: (-scores[i], -i))[: max(0, most - 1)]
        return sorted([*best, count - 1]) if most else []


def _weight(name: str) -> int:
    """Rooms are named all the time; that a thing is named says more."""
    return 1 if name[1].isupper() else 3
