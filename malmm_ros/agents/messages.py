"""What passes between a team and a model: plain chat messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ChatRole = Literal["system", "user", "assistant"]
AgentRole = Literal["supervisor", "planner", "coder", "single"]
Speaker = Literal["supervisor", "planner", "coder", "single", "executor", "team", "user"]

_THINKING_START = re.compile(r"<think(?:ing)?>", re.I)
_THINKING_END = re.compile(r"</think(?:ing)?>", re.I)
# C0 and C1 controls but tab and line feed, and the marks that override the direction of text.
_HARMLESS = dict.fromkeys(
    [
        *(code for code in range(0x20) if code not in (0x09, 0x0A)),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ],
    "\N{REPLACEMENT CHARACTER}",
)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat.

    A call to a model is one ``system`` and one ``user`` message; when an answer has to be
    repaired, the bad answer (``assistant``) and what was wrong with it (``user``) follow.
    """

    role: ChatRole
    content: str


def clean_text(text: str) -> str:
    """Take out what could hurt: whom a text is shown, or what it is written to.

    Lone surrogates cannot be encoded; control characters command a terminal; marks of direction
    let a program look other than it is. Line ends become plain ones.
    """
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return text.replace("\r", "\n").translate(_HARMLESS)


def split_thinking(text: str) -> tuple[str, str]:
    """Part a model's thoughts, as ``<think>`` marks them, from its answer.

    Some models leave out the first mark, so that all before the last one is thought.

    Returns:
        The thoughts, and the answer without space around it.
    """
    ends = [match.end() for match in _THINKING_END.finditer(text)]
    if not ends:
        return "", text.strip()
    thoughts, answer = text[: ends[-1]], text[ends[-1] :].strip()
    if answer:
        return thoughts, answer
    # Nothing follows: what stands before the thoughts is the answer.
    start = _THINKING_START.search(text)
    return text[start.start() :] if start else text, text[: start.start()].strip() if start else ""


def estimate_tokens(text: str) -> int:
    """Tokens of a text, roughly; see :func:`count_tokens`.

    The in-process and the served offline model both report usage by this rule, so that their
    transcripts are equal.
    """
    return count_tokens(len(text))


def count_tokens(characters: int) -> int:
    """Tokens, roughly, for models whose endpoint counts none: four characters each."""
    return (characters + 3) // 4
