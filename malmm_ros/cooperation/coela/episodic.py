"""Episodic memory: what the agent did, and what was said."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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
        wanted = set(_NAME.findall(concerning))
        scores = [
            1.0 + len(wanted & set(_NAME.findall(deed.text))) if self.is_ranked else 1.0
            for deed in self.deeds
        ]
        return [self.deeds[i] for i in self._chosen(scores, self.most_deeds)]

    def recall_messages(self, own: str, settled: Collection[str]) -> list[Message]:
        """The messages for a prompt, oldest first.

        What teammates said counts before the agent's own words; what names things that still are
        to be brought before what names rooms only.

        Args:
            own: Name of the agent.
            settled: Names of things of which nothing has to be known any more.
        """
        scores = [
            _worth(message.text, settled) * (1.0 if message.sender == own else 2.0)
            if self.is_ranked
            else 1.0
            for message in self.messages
        ]
        return [self.messages[i] for i in self._chosen(scores, self.most_messages)]

    def _chosen(self, scores: Sequence[float], most: int) -> list[int]:
        """The last one and the best others, each halved with every full set of newer ones."""
        count = len(scores)
        if count <= most or most == 0:
            return list(range(count)) if most else []
        aged = [score * 0.5 ** ((count - 1 - i) / most) for i, score in enumerate(scores)]
        best = sorted(range(count - 1), key=lambda i: (-aged[i], -i))[: most - 1]
        return sorted([*best, count - 1])


def _worth(text: str, settled: Collection[str]) -> float:
    """Of a message: rooms are named all the time; that a thing is named says more."""
    open_names = [name for name in set(_NAME.findall(text)) if name not in settled]
    return 1.0 + sum(1.0 if name[1].isupper() else 3.0 for name in open_names)
