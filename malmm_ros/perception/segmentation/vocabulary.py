"""Which kind a name tells, and whether a phrase speaks of a thing."""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.perception.lexicon import CATEGORY_WORDS, GENERIC, color_word, singular, words_of

# Names that say less or more than their kind.
_CATEGORY_OF_NAME = {"tray": "container"}


def category_of_name(name: str) -> str:
    """The kind that a thing's name ends on: ``"red block 2"`` is a ``"block"``."""
    words = _words(name)
    for category in CATEGORY_WORDS:
        nouns = category.split()
        if words[-len(nouns) :] == nouns:
            return category
    return _CATEGORY_OF_NAME.get(words[-1], words[-1]) if words else ""


def color_of_name(name: str) -> str:
    """The colour that a thing's name tells; empty when it tells none."""
    return next((word for word in _words(name) if word in COLOR_NAMES), "")


def matching_phrase(
    phrases: Sequence[str], *, category: str, color: str = "", name: str = ""
) -> str:
    """The phrase that fits a thing best.

    A phrase fits when its noun is a word for the category (or in the thing's name) and its
    colour, where it tells one, is the thing's.

    Args:
        phrases: ``"red block"``, ``"the tray"`` ...
        category: Key of ``CATEGORY_WORDS`` or any other noun.
        color: Colour name; empty: unknown.
        name: What else the thing is called, e.g. ``"steak"``.

    Returns:
        One of the phrases; empty when none fits.
    """
    best, best_score = "", 0
    for phrase in phrases:
        score = _score(_words(phrase), category, color, set(_words(name)))
        if score > best_score:
            best, best_score = phrase, score
    return best


def _score(words: list[str], category: str, color: str, names: set[str]) -> int:
    colors = [word for word in words if word in COLOR_NAMES]
    if colors and color and color not in colors:
        return 0
    nouns = [word for word in words if word not in COLOR_NAMES]
    spoken = {*CATEGORY_WORDS.get(category, ()), *category.split()}
    head = nouns[-1] if nouns else ""
    if not nouns:
        score = 1 if colors else 0
    elif head in names:
        score = 5
    elif head in category.split():
        score = 4
    elif head in spoken or " ".join(nouns[-2:]) in spoken:
        score = 3
    else:
        score = 1 if head in GENERIC else 0
    return 2 * score + bool(colors) if score else 0


def _words(text: str) -> list[str]:
    return [color_word(word) or singular(word) for word in words_of(text) if word.isalpha()]
