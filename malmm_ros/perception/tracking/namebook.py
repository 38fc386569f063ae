"""Names that stay with their objects, also through times when an object is out of mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from malmm_ros.geometry import Vector3
from malmm_ros.perception.tracking.naming import new_names
from malmm_ros.perception.tracking.track import Track


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost:
    """An object that was forgotten, and where it was last."""

    name: str
    kind: str
    position: Vector3


class NameBook:
    """Gives names, and gives them back to what is seen again.

    A name is changed only when its object has turned out to be of another kind, and never while
    the hand holds it. While names are open, before anybody was told one, they follow what is
    seen.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._lost: list[_Lost] = []

    def lose(self, track: Track) -> None:
        """Keep the name of what is forgotten, for when it is seen again."""
        if track.name:
            self._lost.append(
                _Lost(name=track.name, kind=track.named_kind, position=track.pose.position)
            )

    def name(self, tracks: Sequence[Track], *, is_open: bool) -> None:
        """Name newcomers, and what has turned out to be of another kind."""
        changed = [
            track
            for track in tracks
            if track.tcp_from_object is None
            and (is_open or not track.name or track.named_kind != track.kind)
        ]
        if is_open:
            self._lost.clear()
            self._used = {track.name for track in tracks if track not in changed}
        new = [track for track in changed if not self._give_back(track)]
        kinds = [track.kind for track in new]
        for name, track in zip(new_names(kinds, self._used), new, strict=True):
            if track.name and not is_open:
                track.former_names[track.named_kind] = track.name
            self._used.add(name)
            track.take_name(name)

    def _give_back(self, track: Track) -> bool:
        """Name it as it was named before, or as a lost thing of its kind nearest to it."""
        if track.kind in track.former_names:
            name = track.former_names[track.kind]
            track.former_names[track.named_kind] = track.name
            track.take_name(name)
            return True
        lost = [item for item in self._lost if item.kind == track.kind]
        if track.name or not lost:
            return False
        place = track.pose.position
        nearest = min(lost, key=lambda item: np.linalg.norm(np.subtract(item.position, place)))
        self._lost.remove(nearest)
        track.take_name(nearest.name)
        return True
