"""Parts of a text that only bring something up: "there is a lid", "take a look at the bottle"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from malmm_ros.agents.offline.conditions import Fact
from malmm_ros.agents.offline.listening import Listener, is_action

_NEED: Final = re.compile(
    r"(?:i|we) (?:will )?need (?P<what>the [\w ]+?|it|them) for "
    r"(?P<why>[\w ]+)"
)
_THERE_IS: Final = re.compile(
    r"(?:there (?:is|are)|here (?:is|are)|(?:i|we) have(?: got)?|you have(?: got)?) (?:only |"
    r"just |exactly )?"
    r"(?P<what>.+?)(?: (?:just |still )?(?:lying|sitting|standing|left)(?: around| about| here|"
    r" there)*|"
    r" around| about| here| there)*"
)
_IS_AT: Final = re.compile(
    r"(?P<what>(?:the|my|that|this|our) [\w ]+?) (?:(?:has|have) been|was|were|(?:is|are) "
    r"(?:still|now|"
    r"currently|already|just|yet))(?: (?:lying|sitting|standing|resting|left))? "
    r"(?P<where>(?:on|in|inside|at)"
    r" (?:the|my|that) [\w ]+?)(?: (?:for|since|all|again|too|way too|long|anyway)\b.*)?"
)
_IS_SO: Final = re.compile(
    r"(?P<what>(?:the|my|that|this|our) [\w ]+?) (?:is|are) (?:(?:still|already|now|currently) )?"
    r"(?:open|closed|shut|empty|full)"
)
_SEE_TO: Final = re.compile(
    r"(?:(?:could|can|would|will) (?:you|someone|somebody|anyone) |please )*(?:see to|look at|"
    r"take care of|deal with|attend to|"
    r"(?:have|take) a look at|turn to|think of|think about|rescue|save|sort out) (?P<what>the "
    r"[\w ]+)"
)


def topic_in(
    text: str, listener: Listener, look: Callable[[str], Fact], is_so: Callable[[str], bool]
) -> str:
    """What is brought up, in words; empty when the part is something else.

    Args:
        text: Between commas or the like, lower case.
        listener: Knows which words name things.
        look: Judges a statement, as ``conditions.check`` does.
        is_so: The same, false where it cannot be judged.
    """
    if match := _THERE_IS.fullmatch(text):
        return _existing(match["what"], listener, look)
    if (match := _IS_AT.fullmatch(text)) and _is_one(match["what"], listener):
        return match["what"] if is_so(f"{match['what']} is {match['where']}") else ""
    if (match := _IS_SO.fullmatch(text)) and _is_one(match["what"], listener):
        return match["what"] if is_so(text) else ""
    if (match := _SEE_TO.fullmatch(text)) and _is_one(match["what"], listener):
        return match["what"]
    return ""


def is_need(text: str, listener: Listener) -> bool:
    """Whether it says what something is needed for: "I need the big one for lunch"."""
    match = _NEED.fullmatch(text)
    return match is not None and not listener.mentions(listener.words(match["why"]))


def _existing(what: str, listener: Listener, look: Callable[[str], Fact]) -> str:
    """What is said to be there, if it is there and no more is said of it."""
    words = listener.words(what)
    mentions = listener.mentions(words)
    is_plain = len(mentions) in (1, 2) and mentions[0].start <= 1
    if not is_plain or any(is_action(word) or word in ("which", "that") for word in words):
        return ""
    fact = look(f"there is {what}")
    return fact.subject if fact.is_true else ""


def _is_one(text: str, listener: Listener) -> bool:
    return len(listener.mentions(listener.words(text))) == 1
