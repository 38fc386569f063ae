"""What an object was taken for, frame after frame, and what it therefore is."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.perception.detection import Detection

# A view that is cut off says less; what was asked for is more likely there.
_CUT, _ASKED = 0.3, 1.5
# So many times the votes of what it is called must speak for something else, once it has a name.
_DECISIVE = 2.0
_LEAST = 3.0


@dataclass(slots=True, kw_only=True)
class Votes:
    """Weighted counts of categories and colours; the phrase that went with a category."""

    categories: dict[str, float] = field(default_factory=dict)
    colors: dict[str, float] = field(default_factory=dict)
    phrases: dict[str, str] = field(default_factory=dict)

    def add(self, detection: Detection) -> None:
        """Count one view."""
        weight = (_CUT if detection.is_cut else 1.0) * (_ASKED if detection.phrase else 1.0)
        weight *= max(0.1, detection.score)
        for votes, key in (
            (self.categories, detection.category),
            (self.colors, detection.color),
        ):
            votes[key] = votes.get(key, 0.0) + weight
        if detection.phrase:
            self.phrases[detection.category] = detection.phrase

    def category(self, present: str, *, is_settled: bool) -> str:
        """What it is; a settled object changes on a decisive majority only."""
        return _winner(self.categories, present, is_settled=is_settled)

    def color(self, present: str, *, is_settled: bool) -> str:
        """Its colour, likewise."""
        return _winner(self.colors, present, is_settled=is_settled)


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
