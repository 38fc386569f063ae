"""Leave out of a wish what only says when, what for, or once more how."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.goals import Goal, Held, Off, moved_items
from malmm_ros.agents.offline.listening import Listener, base_form, is_action

_FOR: Final = re.compile(r",? (?:just |only )?for (?P<what>[^,.;!?]+)$")
_IN_ORDER: Final = re.compile(
    r",? (?:in order |so as )?to (?P<verb>\w+)(?P<what>(?: "
    r"[^,.;!?]+)?)$"
)
_AT_TIMES: Final = re.compile(
    r",? (?:when|before|by the time|until|while|once|after) (?P<what>(?:i|we|he|she|my|our|the|"
    r"everyone|everybody|somebody|someone|people|dinner|lunch|breakfast|guests|mum|dad|\w+)\b"
    r"[^,.;!?]*)$"
)
_AS_REST: Final = re.compile(r" to (?:rest|stand|sit|cool|stay)$")
_BY: Final = re.compile(
    r",? (?:simply |just )?by (?P<verb>\w+ing) (?P<what>(?:it|them|everything|all|each|"
    r"the \w+) [^,.;!?]+)$"
)
_PUTTING: Final = frozenset(
    ("put", "place", "set", "drop", "throw", "lay", "move", "take", "remove", "lower", "slide",
     "screw", "stick", "toss", "lift", "pull")
)  # fmt: skip


def without_purpose(part: str, listener: Listener) -> tuple[str, list[str]]:
    """Leave out "for lunch", "to cool down": what has to do with nothing here.

    Returns:
        The rest, and what was left out.
    """
    asides: list[str] = []
    part = _AS_REST.sub("", part)
    if (match := _AT_TIMES.search(part)) and _is_elsewhere(match["what"], listener):
        asides.append(match[0].strip(" ,"))
        part = part[: match.start()]
    for pattern in (_FOR, _IN_ORDER):
        match = pattern.search(part)
        if match is None or not part[: match.start()].strip():
            continue
        words = listener.words(match["what"])
        verb = match.groupdict().get("verb", "")
        is_known = bool(verb) and listener.is_known(listener.words(verb)[0])
        vague = {"it", "them", "that", "all", "both", "one", "there"} if not verb else set()
        if listener.mentions(words) or is_known or vague & set(words):
            continue
        asides.append(match[0].strip(" ,"))
        part = part[: match.start()]
    return part, asides


def without_means(part: str, goals_of: Callable[[str], tuple[Goal, ...]]) -> str:
    """Take up "by putting it in the bin": it says the same once more, or more exactly."""
    match = _BY.search(part)
    if match is None or base_form(match["verb"]) not in _PUTTING:
        return part
    wish = part[: match.start()]
    fuller = f"{wish} and then {base_form(match['verb'])} {match['what']}"
    try:
        vague, exact = goals_of(wish), goals_of(fuller)
    except (NotUnderstoodError, NotPossibleError):
        return part
    if set(vague) == set(exact):
        return wish
    moved = [{name for goal in goals for name in moved_items(goal)} for goals in (vague, exact)]
    is_vague = all(isinstance(goal, Off | Held) for goal in vague)
    return fuller if is_vague and moved[0] == moved[1] else part


def _is_elsewhere(text: str, listener: Listener) -> bool:
    """Whether a clause of time is about nothing that is done here: "when I get back"."""
    words = listener.words(text)
    is_strange = any(not listener.is_known(word) for word in words)
    is_own = words[0] in ("i", "we", "he", "she", "everyone", "everybody")
    acts = [w for w in words if is_action(w) and w not in ("get", "come", "have")]
    loose = {"it", "them", "you", "that", "this", "they", "not"}
    is_about = listener.mentions(words) or acts or loose & set(words)
    return (is_strange or is_own) and not is_about
