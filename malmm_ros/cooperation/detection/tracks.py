"""One identity for each thing, however often it is seen: by place and class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from malmm_ros.cooperation.detection.detector import Detection

# Two sightings this near each other are of one thing: of the same class, or of any.
_SAME_CLASS_M, _ANY_CLASS_M = 0.4, 0.12
_FIRST_ID = 1000


@dataclass(slots=True)
class Track:
    """One thing as it was seen so far.

    Attributes:
        id: What the agent calls it by.
        votes: Sum of scores, by class.
        is_refused: Whether it turned out to be no target and no container.
        is_held: Whether it is in somebody's hands as far as is known.
    """

    id: int
    position: tuple[float, float, float]
    votes: dict[str, float] = field(default_factory=dict)
    is_refused: bool = False
    is_held: bool = False

    @property
    def kind(self) -> str:
        """The class that most speaks for."""
        return max(self.votes, key=lambda kind: self.votes[kind])

    def distance(self, position: tuple[float, float, float]) -> float:
        """To a point."""
        return math.dist(self.position, position)


class Tracks:
    """All that one agent has seen."""

    def __init__(self) -> None:
        self._tracks: dict[int, Track] = {}
        self._next = _FIRST_ID

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks.values())

    def get(self, number: int) -> Track | None:
        """The one of an id."""
        return self._tracks.get(number)

    def note(self, detections: list[Detection]) -> list[tuple[Track, Detection]]:
        """Find the track of each thing in one image, or begin it; the nearest pairs first."""
        pairs = sorted(
            (gap, track.id, index)
            for index, item in enumerate(detections)
            for track in self._tracks.values()
            if (gap := self._gap(track, item)) is not None
        )
        chosen: dict[int, Track] = {}
        taken: set[int] = set()
        for _, number, index in pairs:
            if index not in chosen and number not in taken:
                chosen[index] = self._tracks[number]
                taken.add(number)
        return [
            (self._update(chosen.get(index), item), item) for index, item in enumerate(detections)
        ]

    def forget(self, number: int) -> None:
        """Believe that there is nothing."""
        self._tracks.pop(number, None)

    @staticmethod
    def _gap(track: Track, item: Detection) -> float | None:
        gap = track.distance(item.position)
        limit = _SAME_CLASS_M if track.kind == item.kind else _ANY_CLASS_M
        return None if track.is_held or gap > limit else gap

    def _update(self, track: Track | None, item: Detection) -> Track:
        if track is None:
            track = Track(id=self._next, position=item.position)
            self._tracks[track.id] = track
            self._next += 1
        track.position = item.position
        track.votes[item.kind] = track.votes.get(item.kind, 0.0) + item.score
        return track


class BedFinder:
    """Where the bed's middle is: that of all that was seen of it."""

    def __init__(self) -> None:
        self._low, self._high = (math.inf, math.inf), (-math.inf, -math.inf)

    def note(self, item: Detection) -> tuple[float, float]:
        """Take over one sighting; the middle as it is believed now."""
        low, high = item.segment.points[:, :2].min(axis=0), item.segment.points[:, :2].max(axis=0)
        self._low = (min(self._low[0], float(low[0])), min(self._low[1], float(low[1])))
        self._high = (max(self._high[0], float(high[0])), max(self._high[1], float(high[1])))
        return (0.5 * (self._low[0] + self._high[0]), 0.5 * (self._low[1] + self._high[1]))
