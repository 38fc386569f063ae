"""Objects over time: names that stay, poses that rest, things that are out of sight."""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.perception.tracking.absence import miss, was_nothing
from malmm_ros.perception.tracking.asked_colors import asked_colors
from malmm_ros.perception.tracking.asked_kinds import asked_kinds
from malmm_ros.perception.tracking.association import Known, associate
from malmm_ros.perception.tracking.configuration import TrackingConfig
from malmm_ros.perception.tracking.fitting import fitted
from malmm_ros.perception.tracking.hand import carry, shows_held, without_held
from malmm_ros.perception.tracking.measuring import measure
from malmm_ros.perception.tracking.namebook import NameBook
from malmm_ros.perception.tracking.newcomers import Newcomers
from malmm_ros.perception.tracking.stacks import split_stacks
from malmm_ros.perception.tracking.track import Track
from malmm_ros.perception.tracking.visibility import View
from malmm_ros.scene import GripperState


class Tracker:
    """Keeps the objects of one scene.

    Args:
        config: How long things are believed in.
    """

    def __init__(self, config: TrackingConfig | None = None) -> None:
        self._config = config or TrackingConfig()
        self._tracks: list[Track] = []
        self._newcomers = Newcomers(self._config.confirmations)
        self._names = NameBook()
        self._frames = 0

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All known objects, in the order in which they were first seen."""
        return tuple(self._tracks)

    @property
    def is_settled(self) -> bool:
        """Whether names are given for good: enough frames were seen."""
        return self._frames >= self._config.naming_frames

    def update(
        self,
        detections: Sequence[Detection],
        views: Sequence[View],
        gripper: GripperState,
        phrases: Sequence[ObjectPhrase] = (),
    ) -> tuple[Track, ...]:
        """Take one moment in.

        Args:
            detections: Of all cameras together, each object once; world frame.
            views: What the cameras saw, to tell hidden places from empty ones.
            gripper: Where the hand is; ``held_object`` names what it carries.
            phrases: What is looked for.
        """
        carry(self._tracks, gripper)
        free = [item for item in self._tracks if item.tcp_from_object is None]
        seen = [without_held(item, self._tracks) for item in detections]
        seen = [item for item in seen if not shows_held(item, self._tracks)]
        seen = split_stacks(seen, free)
        known = [
            Known(position=item.pose.position, category=item.category, color=item.color)
            for item in free
        ]
        pairs = associate(known, seen, self._config.association)
        for index, track in enumerate(free):
            if index in pairs:
                measure(track, seen[pairs[index]], self._config)
            elif miss(track, self._tracks, views, self._config):
                self._forget(track)
        taken = set(pairs.values())
        self._welcome([item for index, item in enumerate(seen) if index not in taken])
        self._frames += 1
        if self._frames == self._config.naming_frames:
            for track in self.tracks:
                if was_nothing(track, views):
                    self._forget(track)
        self._settle_kinds(phrases)
        self._names.name(self._tracks, is_open=self._frames <= self._config.naming_frames)
        return self.tracks

    def _forget(self, track: Track) -> None:
        self._tracks.remove(track)
        self._names.lose(track)

    def _welcome(self, detections: Sequence[Detection]) -> None:
        ready = self._newcomers.welcome(detections, self._tracks, is_first=not self._frames)
        self._tracks += [
            Track(name="", first=detection, config=self._config.history) for detection in ready
        ]

    def _settle_kinds(self, phrases: Sequence[ObjectPhrase]) -> None:
        """Decide what everything is that is not held.

        In the first frames of all the majority decides; later, a kind changes only when the
        object has turned out to be something else.
        """
        is_open = self._frames <= self._config.naming_frames
        categories = [track.category for track in self._tracks]
        for track in self._tracks:
            if track.tcp_from_object is None:
                is_settled = not is_open and track.frames > self._config.naming_frames
                track.settle_kind(is_settled=is_settled)
        for index, category in asked_kinds(self._tracks, phrases).items():
            self._tracks[index].take_category(category)
        for index, color in asked_colors(self._tracks, phrases).items():
            self._tracks[index].take_color(color)
        for track, category in zip(self._tracks, categories, strict=True):
            if track.category != category and not track.is_remembered:
                track.restart(fitted(track.latest, track.category, track.color))
