"""Names for what is seen: unique, as people say them, and kept for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from malmm_ros.perception.phrases import read_phrase

# Categories that people call otherwise, or by more words.
_NOUNS = {"container": "tray", "base": "peg base", "shelf": "side shelf"}
# Categories that are a guess, or whose members people name more narrowly.
_AS_ASKED = frozenset(("meat", "chicken", "steak", "rubbish", "tomato", "bottle"))


def kind_name(category: str, color: str, phrase: str) -> str:
    """What one of its kind is called: ``"red block"``, ``"chicken"``.

    Args:
        category: As scenes use it.
        color: Empty when it has none worth naming.
        phrase: For which it was found; its noun is better than a category that is a guess.
    """
    noun = _NOUNS.get(category, category) or "thing"
    if category in _AS_ASKED and phrase:
        noun = read_phrase(phrase).noun
    return f"{color} {noun}" if color else noun


def new_names(kinds: Sequence[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Names for newcomers; numbered where there are several of a kind.

    Args:
        kinds: One for each newcomer.
        taken: Names that are in use or were.
    """
    used = set(taken)
    names: list[str] = []
    for kind in kinds:
        has_others = any(name == kind or _stem(name) == kind for name in used)
        if kinds.count(kind) == 1 and not has_others:
            name = kind
        else:
            number = 1 + has_others * (kind in used)
            while f"{kind} {number}" in used:
                number += 1
            name = f"{kind} {number}"
        used.add(name)
        names.append(name)
    return tuple(names)


def _stem(name: str) -> str:
    head, _, last = name.rpartition(" ")
    return head if last.isdecimal() else name
