"""Kinds that are asked for, where a doubtful view makes another form of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.perception.tracking.asked_colors import are_neighbours
from malmm_ros.perception.tracking.track import Track


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mistaken:
    """For what a kind is mistaken, and its largest extent, metres, from and to."""

    forms: frozenset[str]
    low: float
    high: float


def _mistaken(*forms: str, low: float = 0.02, high: float = 0.15) -> _Mistaken:
    return _Mistaken(forms=frozenset((*forms, "object")), low=low, high=high)


_MISTAKEN: dict[str, _Mistaken] = {
    "cap": _mistaken("cylinder", "lid", "block", "peg", high=0.06),
    "lid": _mistaken("cylinder", "cap", "ring", "cradle", "block", low=0.05, high=0.11),
    "ring": _mistaken("cradle", "lid", "cap", "block", low=0.035, high=0.08),
    "block": _mistaken("cylinder", "cradle", "can", "rubbish", "lid", low=0.03, high=0.1),
    "ball": _mistaken("tomato", "cylinder", "block", low=0.03, high=0.1),
    "tomato": _mistaken("ball", "cylinder", "block", low=0.03, high=0.1),
    "rubbish": _mistaken("block", "lid", "meat", "cylinder", low=0.03, high=0.16),
    "jar": _mistaken("cylinder", "can", "block", low=0.07, high=0.16),
    "bin": _mistaken("cylinder", "hoop", "container", low=0.14, high=0.35),
    "hoop": _mistaken("bin", "cylinder", low=0.1, high=0.35),
    "container": _mistaken("block", "lid", "base", "bin", low=0.11, high=0.45),
    "bottle": _mistaken("cylinder", "peg", "block", low=0.15, high=0.4),
    "peg": _mistaken("cylinder", "block", "can", low=0.06, high=0.2),
    "can": _mistaken("cylinder", "block", "peg", low=0.05, high=0.13),
}  # fmt: skip


def asked_kinds(tracks: Sequence[Track], phrases: Sequence[ObjectPhrase]) -> dict[int, str]:
    """Tracks that must be of the kind a phrase asks for, though taken for a similar form.

    Only where somebody named the kind, nothing of it is there, and nobody asks for the other
    thing by its own kind; and only for the one thing in doubt: every view of it was cut off,
    half hidden or from an odd side, or views disagreed. What was seen well is what it is, and
    the phrase is one that nothing fits. What the hand holds is not renamed.

    Returns:
        Index of the track to the category that was asked for.
    """
    found: dict[int, str] = {}
    named = [phrase for phrase in phrases if not phrase.is_implied]
    asked = {phrase.category for phrase in phrases}
    for phrase in named:
        rule = _MISTAKEN.get(phrase.category)
        if rule is None or any(phrase.fits(track.category) for track in tracks):
            continue
        near = [
            index
            for index, track in enumerate(tracks)
            if track.tcp_from_object is None
            and track.category in rule.forms - asked
            and track.votes.may_be_category(phrase.category, track.category)
            and rule.low <= float(track.size.max()) <= rule.high
            and _fits_color(track, phrase)
        ]
        if len(near) == 1:
            found[near[0]] = phrase.category
    return found


def _fits_color(track: Track, phrase: ObjectPhrase) -> bool:
    if not phrase.color or track.color == phrase.color:
        return True
    return are_neighbours(track.color, phrase.color)
