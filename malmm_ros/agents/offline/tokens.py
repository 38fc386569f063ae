"""From a sentence to normalised tokens: idioms, numbers, measures, spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.framing import unframed
from malmm_ros.agents.offline.inflections import FORMS
from malmm_ros.agents.offline.spelling import respelled

# A quoted name keeps its quote as the first character, a measure is "dist:METRES", a point
# "at:X,Y", so that plain strings suffice as tokens.
_TOKEN = re.compile(
    r'"(?P<name>[^"]+)"'
    r"|\(\s*(?P<x>-?\d*\.?\d+)\s*,\s*(?P<y>-?\d*\.?\d+)\s*(?:,\s*-?\d*\.?\d+\s*)?\)"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?)"
    r"|(?P<mark>[,.;:!?&\n])"
)
_MARKS = {",": ",", ";": "then", ".": "then", ":": ",", "!": "then", "?": "then", "\n": "then"}
MARKERS: Final = frozenset(
    (
        "then",
        "and",
        ",",
        "or",
        "STACKED",
        "BOTTOM_UP",
        "TOP_DOWN",
        "UNTOUCHED",
        "thereis",
        "halfof",
        "WHICH",
        "one",
        "ones",
        "everything",
    )
)
_IDIOMS: Final = {tuple(key.split()): value.split() for key, value in lexicon.IDIOMS.items()}
_LONGEST: Final = max(len(key) for key in _IDIOMS)
_IDIOM_WORDS: Final = frozenset(word for key in _IDIOMS for word in key)
_KNOWN: Final = (
    MARKERS
    | set(lexicon.VERBS)
    | set(get_args(lexicon.Relation))
    | set(lexicon.NUMBERS)
    | set(lexicon.ORDINALS)
    | lexicon.DETERMINERS
    | lexicon.QUANTIFIERS
    | lexicon.REST
    | lexicon.PRONOUNS
    | lexicon.PLACES
    | lexicon.GENERIC
    | set(lexicon.SIZES)
    | set(lexicon.SELECTORS)
    | set(lexicon.COLORS)
    | lexicon.NOUNS
    | lexicon.NEGATIONS
    | lexicon.FILLERS
    | lexicon.PARTICLES
    | set(lexicon.UNITS)
)
_FIXABLE: Final = sorted(
    word
    for word in (_KNOWN | _IDIOM_WORDS)
    - {"thirty", "twenty", "fifteen", "thereis", "halfof", "gohome", "hovering", "shun"}
    if len(word) >= 3 and word.isalpha() and word.islower()
)


KNOWN_FIRST: Final = tuple(dict.fromkeys((*sorted(lexicon.VERBS), *sorted(lexicon.COLORS),
                                           *_FIXABLE)))  # fmt: skip
_IS: Final = (("that", "which"), ("is", "are"))
_IS_NOT: Final = (*_IS, ("not",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """An instruction as tokens.

    Attributes:
        unknown: Words that mean nothing to this model, as written.
        corrections: Pairs of a misspelt word and what it was read as.
    """

    tokens: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()


def read_sentence(text: str, scene_words: frozenset[str]) -> Sentence:
    """Split, correct and normalise an instruction.

    Args:
        text: The user's words.
        scene_words: Words of the scene's names and categories, lower case; known as nouns.
    """
    unknown: list[str] = []
    corrections: list[tuple[str, str]] = []
    tokens: list[str] = []
    for token in _described(_split(text)):
        if not token.isalpha():
            tokens.append(token)
            continue
        if token in FORMS and token not in scene_words:
            _inflected(token, tokens, unknown)
            continue
        word = lexicon.ALIASES.get(token, token)
        if word != token and tokens[-1:] == ["by"]:
            unknown.append(f"by {token}")
        if not is_known(word, scene_words):
            fixed = _respell(word, scene_words)
            if not fixed and word.endswith("ly") and word not in lexicon.LASTING:
                continue  # how fast or how well: as ever
            if fixed:
                corrections.append((word, fixed))
            else:
                unknown.append(word)
            word = fixed or word
        tokens.append(word)
    return Sentence(
        tokens=_measures(_join_idioms(tokens)),
        unknown=tuple(unknown),
        corrections=tuple(corrections),
    )


def _inflected(form: str, tokens: list[str], unknown: list[str]) -> None:
    """Write "dropped" as "be drop", so that a verb is seen to follow its things."""
    before = tokens[-1] if tokens else ","
    if before == "by":  # by what means something is to be done, or by what it was done
        unknown.append(f"by {form}")
    if tokens and before not in lexicon.DETERMINERS:
        tokens.append("be")
    tokens.append(FORMS[form])


def _described(tokens: Sequence[str]) -> list[str]:
    """Join "that is teal" and "that is not teal", which belong to the noun before."""
    joined: list[str] = []
    for token in tokens:
        color = token if token in lexicon.COLORS else ""
        for opening, mark in ((_IS_NOT, "unlike:"), (_IS, "being:")):
            tail = joined[-len(opening) :]
            if color and len(tail) == len(opening) and all(
                word in words for word, words in zip(tail, opening, strict=True)
            ):  # fmt: skip
                joined[-len(opening) :] = [mark + color]
                break
        else:
            joined.append(token)
    return joined


def singular(word: str, known: frozenset[str] = frozenset()) -> str:
    """The singular of a known noun, else the word as it is."""
    nouns = lexicon.NOUNS | known
    if word in nouns:
        return word
    for ending, replacement in (("ies", "y"), ("es", ""), ("s", ""), ("ice", "ie")):
        stem = word[: len(word) - len(ending)] + replacement
        if word.endswith(ending) and stem in nouns:
            return stem
    return word


def _split(text: str) -> list[str]:
    plain = text.lower().translate(str.maketrans("’‘“”´`", "''\"\"''"))
    plain = plain.replace("i'd", "i would").replace("let's", "let us").replace("n't", " not")
    plain = unframed(plain)
    plain = re.sub(r"(\w)[-–](?=[a-z])", r"\1 ", plain)
    plain = re.sub(r"'(s|re|ll|m|ve)\b", "", plain)
    tokens: list[str] = []
    for match in _TOKEN.finditer(plain):
        if match["name"]:
            tokens.append('"' + match["name"])
        elif match["x"]:
            tokens.append(f"at:{match['x']},{match['y']}")
        elif match["mark"]:
            tokens.append(_MARKS.get(match["mark"], match["mark"]))
        else:
            tokens.append(match[0].strip("'"))
    return tokens


def is_known(word: str, scene_words: frozenset[str]) -> bool:
    """Whether the grammar can do something with a word as it is written."""
    if word in _KNOWN or word in scene_words or word in _IDIOM_WORDS:
        return True
    known = frozenset(scene_words)
    if singular(word, known) != word:
        return True
    # "metres", "colours" and the like
    return word.endswith("s") and word[:-1] in _KNOWN


def _respell(word: str, scene_words: frozenset[str]) -> str:
    """The known word that was meant; empty when there is none."""
    return respelled(word, scene_words, KNOWN_FIRST)


def _join_idioms(tokens: Sequence[str]) -> list[str]:
    joined: list[str] = []
    index = 0
    while index < len(tokens):
        for length in range(min(_LONGEST, len(tokens) - index), 0, -1):
            replacement = _IDIOMS.get(tuple(tokens[index : index + length]))
            if replacement is not None:
                joined.extend(replacement)
                index += length
                break
        else:
            joined.append(tokens[index])
            index += 1
    return joined


def _measures(tokens: Sequence[str]) -> tuple[str, ...]:
    """Number words to digits, numbers with a unit to ``dist:METRES``."""
    result: list[str] = []
    for token in tokens:
        word = str(lexicon.NUMBERS.get(token, token))
        unit = lexicon.UNITS.get(word) or lexicon.UNITS.get(word.removesuffix("s"))
        if unit and result and re.fullmatch(r"\d+(\.\d+)?", result[-1]):
            result[-1] = f"dist:{float(result[-1]) * unit:.4f}"
        else:
            result.append(word)
    return tuple(result)
