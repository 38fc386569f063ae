"""The things that an instruction speaks of, as phrases to look for: "red block", "banana".

Any noun counts, by these rules. Function words and commas cut an instruction into chunks, and a
leading verb is no part of its chunk. A noun of the table (:mod:`malmm_ros.perception.lexicon`) is
found in any chunk, several as several things ("violet jar lid": a jar and a lid). Any other noun
needs a sign: an article, number, adjective or colour before it, a verb ("grab screwdriver"), a
word of place ("into bowl"), or a thing that it is listed with ("the apple and banana"); two words
before the end of its chunk are one noun ("coffee mug"). Places, parts and the robot are no things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from malmm_ros.perception.lexicon import (
    ADJECTIVES,
    ANY_VERBS,
    DETERMINERS,
    GENERIC,
    NO_THINGS,
    PREPOSITIONS,
    VERBS,
    categories_of,
    color_word,
    is_function_word,
    is_known,
    singular,
    words_of,
)

_TARGET = "target area"
_NEEDS = {
    "jar": ("lid",), "bottle": ("cap",), "meat": ("grill", "side shelf"), "peg": ("ring",),
    "hoop": ("ball",), "rubbish": ("bin",),
}  # fmt: skip
_NEEDS_OF_VERB = dict.fromkeys(("stack", "tower", "pile", "build"), (_TARGET,))
# Nouns that may only say what the next one is: "target block".
_SHARED = ("target", "goal")
_JOINING = ("and", "or", ",")
# Words after which a noun needs no article: of place, and particles of verbs.
_BEFORE_NOUNS = PREPOSITIONS | {"up", "down", "out", "away"}
_LONGEST = 2  # words of a noun
_ANYTHING = "thing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPhrase:
    """One kind of thing that is spoken of.

    Attributes:
        text: As a segmenter is asked: colour and noun, ``"red block"``.
        noun: The noun as it was said, singular: ``"spoke"``.
        category: What scenes call it: ``"peg"``; the noun itself where they have no word.
        color: One of the colour names; empty when none was said.
        is_implied: Nobody named it, but the action may need it.
    """

    text: str
    noun: str
    category: str
    color: str = ""
    is_implied: bool = False

    def fits(self, category: str, color: str = "") -> bool:
        """Whether it may mean a thing of some kind and colour; an unknown colour fits."""
        is_kind = self.noun in GENERIC or category in categories_of(self.noun)
        return is_kind and (not self.color or not color or self.color == color)


def find_phrases(instruction: str) -> tuple[ObjectPhrase, ...]:
    """Read the things that an instruction names, in order, each once.

    What an action needs beside what is named is looked for too: closing needs a lid, opening a
    bottle its cap.

    Args:
        instruction: In plain words.
    """
    words = words_of(instruction)
    found: list[ObjectPhrase] = []
    is_listed = False
    for before, chunk in _chunks(words):
        things: list[ObjectPhrase] = []
        for part, has_sign in _parts(before, chunk, is_listed=is_listed):
            things += _things(part, found + things, has_sign=has_sign)
        is_listed = bool(things)
        found += things
    found += _implied(words, found)
    return tuple(dict.fromkeys(_without_bare(found)))


def read_phrase(text: str, *, is_implied: bool = False) -> ObjectPhrase:
    """Take a whole text for one thing: colours and adjectives first, its noun last.

    Args:
        text: ``"the red mug"``, ``"cube"``.
        is_implied: Nobody named it.
    """
    words = [word for word in words_of(text) if word not in DETERMINERS and word != ","]
    colors = [color for word in words if (color := color_word(word))]
    nouns = [word for word in words if not color_word(word) and word not in ADJECTIVES]
    for length in (2, 1):
        if (noun := _noun(nouns[-length:])) and is_known(noun):
            break
    else:
        noun = _noun(nouns) or _ANYTHING
    return make_phrase(noun, colors[-1] if colors else "", is_implied=is_implied)


def make_phrase(noun: str, color: str = "", *, is_implied: bool = False) -> ObjectPhrase:
    """A phrase of a noun, known or not, and a colour."""
    return ObjectPhrase(
        text=f"{color} {noun}" if color else noun,
        noun=noun,
        category=categories_of(noun)[0],
        color=color,
        is_implied=is_implied,
    )


def _chunks(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Words between function words, each chunk with the word before it."""
    before, chunk = ",", list[str]()
    for index, word in enumerate(words):
        if not is_function_word(word) or _joins_colors(words, index):
            chunk.append(word)
            continue
        if chunk:
            yield before, chunk
        before, chunk = word, []
    if chunk:
        yield before, chunk


def _joins_colors(words: Sequence[str], index: int) -> bool:
    """Whether a word stands between two colours: "the red and blue blocks"."""
    after = words[index + 1 : index + 2]
    return (
        words[index] in _JOINING
        and index > 0
        and bool(after)
        and bool(color_word(words[index - 1]) and color_word(after[0]))
    )


def _parts(
    before: str, chunk: Sequence[str], *, is_listed: bool
) -> Iterator[tuple[list[str], bool]]:
    """A chunk without its verb, cut before articles and numbers: "give robot", "the mug".

    Each part comes with whether a noun in it that is not in the table has a sign already.
    """
    part, has_sign = list(chunk), before in _BEFORE_NOUNS or (before in _JOINING and is_listed)
    is_alone = len(chunk) == 1 and is_known(chunk[0])
    if before not in PREPOSITIONS and chunk[0] in ANY_VERBS and not is_alone:
        part, has_sign = part[1:], chunk[0] in VERBS
    start = 0
    for index in range(1, len(part)):
        is_new = _is_count(part[index]) and not _is_count(part[index - 1])
        if is_new and part[index] != "one":
            yield part[start:index], has_sign
            start, has_sign = index, False
    if part:
        yield part[start:], has_sign


def _things(
    part: Sequence[str], found: Sequence[ObjectPhrase], *, has_sign: bool
) -> list[ObjectPhrase]:
    """What a part of a chunk names.

    Args:
        part: Its words.
        found: What was named before, for "the teal one".
        has_sign: Whether a noun that is not in the table needs no further sign.
    """
    words = list(part)
    count = next((i for i, word in enumerate(words) if not _is_before_noun(word)), len(words))
    colors = list(dict.fromkeys(color for word in words[:count] if (color := color_word(word))))
    has_sign, words = has_sign or count > 0, words[count:]
    if words and words[-1] in ("one", "ones") and colors and found:
        return [make_phrase(found[-1].noun, color) for color in colors]
    nouns = _nouns(words)
    if not nouns and has_sign and words and _is_thing(words[-1]):
        nouns = [_noun(words[-_LONGEST:])]
    first = [make_phrase(noun, color) for noun in nouns[:1] for color in colors or [""]]
    return first + [make_phrase(noun) for noun in nouns[1:]]


def _nouns(words: Sequence[str]) -> list[str]:
    """The nouns of the table in words that end on one; none when they end on another word."""
    found: list[str] = []
    index, end = 0, 0
    while index < len(words):
        for length in (2, 1):
            noun = _noun(words[index : index + length])
            if len(words) >= index + length and is_known(noun):
                is_last = index + length == len(words)
                found += [] if noun in _SHARED and not is_last else [noun]
                index, end = index + length, index + length
                break
        else:
            index += 1
    return found if end == len(words) else []


def _noun(words: Sequence[str]) -> str:
    return " ".join((*words[:-1], singular(words[-1]))) if words else ""


def _is_count(word: str) -> bool:
    return word in DETERMINERS or word.isdigit()


def _is_before_noun(word: str) -> bool:
    is_described = bool(color_word(word)) or word in ADJECTIVES
    return (_is_count(word) and word != "one") or is_described or word in _JOINING


def _is_thing(word: str) -> bool:
    """Whether a word that is not in the table can be a noun that names a thing."""
    is_place = word in NO_THINGS or singular(word) in NO_THINGS
    return len(word) > 2 and not is_place and not word.isdigit() and not word.endswith("ing")


def _implied(words: Sequence[str], found: Sequence[ObjectPhrase]) -> list[ObjectPhrase]:
    """What the named things or the action need, where it is not named itself."""
    categories = {phrase.category for phrase in found}
    needs = {noun for category in categories for noun in _NEEDS.get(category, ())}
    needs |= {noun for word in words for noun in _NEEDS_OF_VERB.get(word, ())}
    return [
        make_phrase(noun, is_implied=True)
        for noun in sorted(needs)
        if not any(phrase.fits(categories_of(noun)[0]) for phrase in found)
    ]


def _without_bare(found: Sequence[ObjectPhrase]) -> list[ObjectPhrase]:
    """Drop "target" where "green target area" is named as well."""
    is_colored = any(phrase.color and phrase.category == _TARGET for phrase in found)
    return [
        phrase for phrase in found if phrase.color or phrase.category != _TARGET or not is_colored
    ]
