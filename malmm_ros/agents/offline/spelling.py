"""Read a misspelt word as the known one that it can only be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.wording import REAL_WORDS

_ALIKE: Final = 0.82  # one letter in four ("blok"); "slack" for "stack" stays unknown
# The kinds of slips, the likeliest first: a letter of a pair dropped or doubled, two neighbours
# swapped, one dropped, one too many, one wrong.
_DOUBLED, _SWAPPED, _MISSING, _EXTRA, _WRONG, _NONE = range(6)


def respelled(word: str, scene_words: frozenset[str], known: Sequence[str]) -> str:
    """The known word that was meant; empty when there is none or it is not clear which.

    Args:
        word: Not known as it stands, lower case.
        scene_words: Words by which the scene names things and their colours; they come first.
        known: All other words, the likelier ones first.
    """
    return "" if word in REAL_WORDS else _respelled(word, scene_words, tuple(known))


@lru_cache(maxsize=4096)
def _respelled(word: str, scene_words: frozenset[str], known: tuple[str, ...]) -> str:
    forms = [(word, "")]
    if word.endswith("s") and len(word) > 4:
        forms.append((word[:-1], "s"))
    for form, ending in forms:
        # "stinks" is no slip of "sinks": that a verb ends so is not to be expected.
        others = [choice for choice in known if choice not in lexicon.VERBS] if ending else known
        found = _slip(form, sorted(scene_words)) or _slip(form, others)
        if found:
            return found + ending
    if len(word) < 6:
        return ""
    return next(
        (n + end for form, end in forms if (n := _alike(form, (*scene_words, *known)))), ""
    )


def _slip(word: str, choices: Iterable[str]) -> str:
    """The one choice that the likeliest kind of slip leads to."""
    ranked: dict[int, list[str]] = {}
    for choice in choices:
        kind = _kind(word, choice)
        if kind is not _NONE and choice not in ranked.setdefault(kind, []):
            ranked[kind].append(choice)
    if not ranked:
        return ""
    likeliest = ranked[min(ranked)]
    same_start = [choice for choice in likeliest if choice[0] == word[0]] or likeliest
    return same_start[0] if len(same_start) == 1 or min(ranked) != _WRONG else ""


def _kind(word: str, choice: str) -> int:
    """How a word may have come from a choice; short words bear fewer kinds."""
    difference = len(choice) - len(word)
    if abs(difference) > 1 or min(len(word), len(choice)) < 3:
        return _NONE
    start = 0
    while start < min(len(word), len(choice)) and word[start] == choice[start]:
        start += 1
    if difference == 0:
        if word[start + 2 :] == choice[start + 2 :] and sorted(word) == sorted(choice):
            return _SWAPPED
        is_long = len(word) >= 6 and start > 0
        return _WRONG if is_long and word[start + 1 :] == choice[start + 1 :] else _NONE
    longer, shorter = (choice, word) if difference > 0 else (word, choice)
    if longer[start + 1 :] != shorter[start:] or start == 0:
        return _NONE
    if longer[start] == longer[start - 1] or longer[start : start + 2] == 2 * longer[start]:
        return _DOUBLED
    if len(shorter) == 3 and difference < 0:
        return _NONE  # "bring" and the like; a letter too many in a short word
    return _MISSING if difference > 0 else _EXTRA


def _alike(word: str, choices: Iterable[str]) -> str:
    """The most similar of long words, which may differ by two letters."""
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(word)
    best, found = _ALIKE, ""
    for choice in choices:
        if abs(len(choice) - len(word)) > 1 or choice[0] != word[0]:
            continue
        matcher.set_seq1(choice)
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
            continue
        ratio = matcher.ratio()
        if ratio > best or (ratio == best and not found):
            best, found = ratio, choice
    return found
