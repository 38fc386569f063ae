"""The things that an instruction speaks of, as phrases to look for: "red block", "bin"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from malmm_ros.colors import COLOR_NAMES

# What a word means, by the category that scenes use; the longest entry is tried first.
CATEGORY_OF: dict[str, str] = {
    **dict.fromkeys(("block", "cube", "brick"), "block"),
    **dict.fromkeys(
        ("target area", "target zone", "area", "zone", "target", "goal", "pad", "patch", "mat",
         "region", "square area"), "target area"),
    **dict.fromkeys(("jar",), "jar"),
    **dict.fromkeys(("lid",), "lid"),
    **dict.fromkeys(("wine bottle", "bottle", "wine"), "bottle"),
    **dict.fromkeys(("cap", "cork", "stopper"), "cap"),
    **dict.fromkeys(("basketball", "ball"), "ball"),
    **dict.fromkeys(("basketball hoop", "hoop", "basket", "net"), "hoop"),
    **dict.fromkeys(("ring", "square ring"), "ring"),
    **dict.fromkeys(("spoke", "peg", "post", "pole"), "peg"),
    **dict.fromkeys(
        ("bin", "dustbin", "rubbish bin", "trash can", "trash bin", "garbage can", "wastebasket",
         "garbage bin", "waste bin"), "bin"),
    **dict.fromkeys(("rubbish", "trash", "garbage", "litter", "waste"), "rubbish"),
    **dict.fromkeys(("tomato", "tomatoe"), "tomato"),
    **dict.fromkeys(("chicken", "steak", "meat"), "meat"),
    **dict.fromkeys(("grill", "barbecue"), "grill"),
    **dict.fromkeys(("side shelf", "shelf", "side table", "side area"), "shelf"),
    **dict.fromkeys(("tray", "container", "big tray", "big container"), "container"),
    **dict.fromkeys(("can", "tin"), "can"),
    **dict.fromkeys(("base", "peg base"), "base"),
    **dict.fromkeys(("cradle",), "cradle"),
    **dict.fromkeys(("backboard",), "backboard"),
}  # fmt: skip
_TARGET = "target area"
_NEEDS = {
    "jar": ("lid",), "bottle": ("cap",), "meat": ("grill", "side shelf"), "peg": ("ring",),
    "hoop": ("ball",), "rubbish": ("bin",),
}  # fmt: skip
_NEEDS_OF_VERB = dict.fromkeys(("stack", "tower", "pile", "build"), (_TARGET,))
_WORD_OF_COLOR = {name: name for name in COLOR_NAMES} | {"grey": "gray"}
# Words that may stand between a colour and its noun.
_BETWEEN = frozenset(("colored", "coloured", "small", "large", "big", "little", "flat", "wooden"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPhrase:
    """One kind of thing that is spoken of.

    Attributes:
        text: As a segmenter is asked: colour and noun, ``"red block"``.
        noun: The noun as it was said, singular: ``"spoke"``.
        category: What scenes call it: ``"peg"``.
        color: One of the colour names; empty when none was said.
        is_implied: Nobody named it, but the action may need it.
    """

    text: str
    noun: str
    category: str
    color: str = ""
    is_implied: bool = False


def find_phrases(instruction: str) -> tuple[ObjectPhrase, ...]:
    """Read the things that an instruction names, in order, each once.

    What an action needs beside what is named is looked for too: closing needs a lid, opening a
    bottle its cap.

    Args:
        instruction: In plain words.
    """
    words = re.findall(r"[a-z]+", instruction.lower())
    found: list[ObjectPhrase] = []
    index = 0
    while index < len(words):
        noun, length = _noun_at(words, index)
        if words[index] in ("one", "ones") and found and (color := _color_before(words, index)):
            noun, length = found[-1].noun, 1  # "put them in the magenta one"
        if noun:
            color = _color_before(words, index)
            if color or not _is_shared(noun, words, index):
                found.append(make_phrase(noun, color))
            index += length
        else:
            index += 1
    found += _implied(words, found)
    return tuple(dict.fromkeys(_without_bare(found)))


def make_phrase(noun: str, color: str = "", *, is_implied: bool = False) -> ObjectPhrase:
    """A phrase of a noun, known or not, and a colour."""
    return ObjectPhrase(
        text=f"{color} {noun}" if color else noun,
        noun=noun,
        category=CATEGORY_OF.get(noun, noun),
        color=color,
        is_implied=is_implied,
    )


def missing_phrases(
    phrases: Iterable[ObjectPhrase], seen: Iterable[tuple[str, str]]
) -> tuple[ObjectPhrase, ...]:
    """Phrases that were said and that nothing fits.

    Args:
        phrases: What was looked for.
        seen: Category and colour of all that was seen.
    """
    pairs = set(seen)
    return tuple(
        phrase
        for phrase in phrases
        if not phrase.is_implied
        and not any(
            phrase.category in (category, "") and phrase.color in ("", color)
            for category, color in pairs
        )
    )


def _noun_at(words: list[str], index: int) -> tuple[str, int]:
    """The known noun that begins at a word, singular, and how many words it takes."""
    for length in (2, 1):
        text = " ".join(words[index : index + length])
        for candidate in (text, text.removesuffix("s"), text.removesuffix("es")):
            if candidate in CATEGORY_OF:
                return candidate, length
    return "", 0


def _color_before(words: list[str], index: int) -> str:
    """The colour that belongs to the noun at ``index``; the nearest before it."""
    for word in reversed(words[max(0, index - 3) : index]):
        if word in _WORD_OF_COLOR:
            return _WORD_OF_COLOR[word]
        if word not in _BETWEEN:
            return ""
    return ""


def _is_shared(noun: str, words: list[str], index: int) -> bool:
    """Whether "target" only says what the next noun is: "target block"."""
    following, _ = _noun_at(words, index + 1)
    return noun in ("target", "goal") and bool(following)


def _implied(words: list[str], found: list[ObjectPhrase]) -> list[ObjectPhrase]:
    """What the named things or the action need, where it is not named itself."""
    categories = {phrase.category for phrase in found}
    needs = {noun for category in categories for noun in _NEEDS.get(category, ())}
    needs |= {noun for word in words for noun in _NEEDS_OF_VERB.get(word, ())}
    return [
        make_phrase(noun, is_implied=True)
        for noun in sorted(needs)
        if CATEGORY_OF[noun] not in categories
    ]


def _without_bare(found: list[ObjectPhrase]) -> list[ObjectPhrase]:
    """Drop "target" where "green target area" is named as well."""
    is_colored = any(phrase.color and phrase.category == _TARGET for phrase in found)
    return [
        phrase for phrase in found if phrase.color or phrase.category != _TARGET or not is_colored
    ]
