"""What passes between a team and a model: plain chat messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChatRole = Literal["system", "user", "assistant"]
AgentRole = Literal["supervisor", "planner", "coder"]
Speaker = Literal["supervisor", "planner", "coder", "executor", "team"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat.

    A call to a model is one ``system`` and one ``user`` message; when an answer has to be
    repaired, the bad answer (``assistant``) and what was wrong with it (``user``) follow.
    """

    role: ChatRole
    content: str
