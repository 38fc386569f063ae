"""What an object was taken for, frame after frame, and what it therefore is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from malmm_ros.perception.detection import Detection

# A view that is cut off says less; what was asked for is more likely there.
_CUT, _ASKED = 0.3, 1.5
# So many times the votes of what it is called must speak for something else, once it has a name.
_DECISIVE = 2.0
_LEAST = 3.0
# A view does not tell a kind when so much of the outline is hidden, the best solid fits so badly,
# or a thing so high (m) shows less than this share of its height.
_HIDDEN, _POOR_FIT, _HIGH, _RISE = 0.15, 0.7, 0.03, 0.4
# What so many of the views were taken for may be meant.
_SECOND = 0.2


@dataclass(slots=True, kw_only=True)
class Votes:
    """Weighted counts of categories and colours; the phrase that went with a category.

    Attributes:
        clear: Categories that a view showed which leaves no doubt.
        second_colors: What colours may be as well; counted like them.
    """

    categories: dict[str, float] = field(default_factory=dict)
    colors: dict[str, float] = field(default_factory=dict)
    second_colors: dict[str, float] = field(default_factory=dict)
    clear: set[str] = field(default_factory=set)
    phrases: dict[str, str] = field(default_factory=dict)

    def add(self, detection: Detection) -> None:
        """Count one view."""
        weight = (_CUT if detection.is_cut else 1.0) * (_ASKED if detection.phrase else 1.0)
        weight *= max(0.1, detection.score)
        for votes, key in (
            (self.categories, detection.category),
            (self.colors, detection.color),
            (self.second_colors, detection.second_color),
        ):
            votes[key] = votes.get(key, 0.0) + weight
        if is_clear(detection):
            self.clear.add(detection.category)
        if detection.phrase:
            self.phrases[detection.category] = detection.phrase

    def category(self, present: str, *, is_settled: bool) -> str:
        """What it is; a settled object changes on a decisive majority only."""
        return _winner(self.categories, present, is_settled=is_settled)

    def color(self, present: str, *, is_settled: bool) -> str:
        """Its colour, likewise."""
        return _winner(self.colors, present, is_settled=is_settled)

    def may_be_category(self, asked: str, present: str) -> bool:
        """Whether it may be of another kind: no view was clear, or some said so."""
        return present not in self.clear or _share(self.categories, asked) >= _SECOND

    def may_be_color(self, asked: str) -> bool:
        """Whether it may be of another colour: the light leaves that open, or views said so."""
        likely = _share(self.second_colors, asked), _share(self.colors, asked)
        return max(likely) >= _SECOND


def is_clear(detection: Detection) -> bool:
    """Whether a view leaves no doubt about the kind of a thing."""
    if detection.is_cut or detection.hidden > _HIDDEN or detection.score < _POOR_FIT:
        return False
    height = detection.size[2]
    if height < _HIGH or len(detection.cloud) < 2:
        return True
    low, high = np.percentile(detection.cloud.points[:, 2], (3.0, 97.0))
    return bool(high - low > _RISE * height)


def _share(votes: dict[str, float], key: str) -> float:
    return votes.get(key, 0.0) / max(1e-9, sum(votes.values()))


def insist(votes: dict[str, float], name: str) -> None:
    """Let a name win, now and against what a few later views say."""
    votes[name] = 2.0 * sum(votes.values()) + _LEAST


def _winner(votes: dict[str, float], present: str, *, is_settled: bool) -> str:
    if not votes:
        return present
    best, count = max(votes.items(), key=lambda item: (item[1], item[0] == present))
    if not is_settled:
        return best
    is_decisive = count >= _LEAST and count > _DECISIVE * votes.get(present, 0.0)
    return best if is_decisive else present
