"""What passes between a team and a model: plain chat messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChatRole = Literal["system", "user", "assistant"]
AgentRole = Literal["supervisor", "planner", "coder", "single"]
Speaker = Literal["supervisor", "planner", "coder", "single", "executor", "team", "user"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat.

    A call to a model is one ``system`` and one ``user`` message; when an answer has to be
    repaired, the bad answer (``assistant``) and what was wrong with it (``user``) follow.
    """

    role: ChatRole
    content: str


def clean_text(text: str) -> str:
    """Replace what cannot be encoded (lone surrogates), which endpoints and files refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def estimate_tokens(text: str) -> int:
    """Tokens of a text, roughly, for models that have no tokenizer: four characters each.

    The in-process and the served offline model both report usage by this rule, so that their
    transcripts are equal.
    """
    return (len(text) + 3) // 4
