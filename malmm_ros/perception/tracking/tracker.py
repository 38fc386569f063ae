"""Objects over time: names that stay, poses that rest, things that are out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import estimate
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.perception.solidity import do_overlap, parts_of, share_within
from malmm_ros.perception.tracking.asked_colors import asked_colors
from malmm_ros.perception.tracking.asked_kinds import asked_kinds
from malmm_ros.perception.tracking.association import AssociationConfig, Known, associate
from malmm_ros.perception.tracking.held import fallen, settled_in_hand
from malmm_ros.perception.tracking.history import HistoryConfig
from malmm_ros.perception.tracking.naming import new_names
from malmm_ros.perception.tracking.stacks import is_same_color, split_stacks
from malmm_ros.perception.tracking.track import Track
from malmm_ros.perception.tracking.visibility import View, look_at
from malmm_ros.scene import TABLE_TOP_Z, GripperState, SceneObject

# Metres around the box of what is held, within which detections are views of it.
_AROUND_HELD = 0.03
_HELD_MARGIN = 0.008
# Metres by which a side may always differ.
_OTHER_SIZE = 0.008
_SHORT_FALL = 0.025  # m
# So many points of a partial view within the known box, grown by so much (metres), agree with it.
_AS_KNOWN, _MISPLACED = 0.85, 0.008


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingConfig:
    """How long things are believed in.

    Attributes:
        confirmations: Frames in a row in which a newcomer must be seen; the first frame of all
            is believed at once.
        empty_share: Its place counts as empty when so much of its surface is looked through.
        empty_misses: Frames with an empty place after which it is forgotten.
        unseen_misses: Frames in which something is where it was, but not found as an object.
        naming_frames: Frames after which names are settled.
        doubts: Frames for which a change of size is not believed; three times as many for
            furniture.
        hidden_share: When so much of it is hidden, what is seen of it says nothing of its size.
        other: A view with a side that differs by this share shows a part of it, or more than it.
    """

    history: HistoryConfig = field(default_factory=HistoryConfig)
    association: AssociationConfig = field(default_factory=AssociationConfig)
    confirmations: int = 2
    empty_share: float = 0.5
    empty_misses: int = 2
    unseen_misses: int = 12
    naming_frames: int = 3
    doubts: int = 2
    hidden_share: float = 0.15
    other: float = 0.15

    def __post_init__(self) -> None:
        for name in ("empty_share", "hidden_share", "other"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be in (0, 1], got {getattr(self, name)}")
        for name in ("confirmations", "empty_misses", "unseen_misses", "naming_frames", "doubts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")


@dataclass(slots=True, kw_only=True, eq=False)
class _Candidate:
    """A newcomer that is not believed yet."""

    detection: Detection
    count: int


class Tracker:
    """Keeps the objects of one scene.

    Args:
        config: How long things are believed in.
    """

    def __init__(self, config: TrackingConfig | None = None) -> None:
        self._config = config or TrackingConfig()
        self._tracks: list[Track] = []
        self._candidates: list[_Candidate] = []
        self._names: set[str] = set()
        self._frames = 0

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All known objects, in the order in which they were first seen."""
        return tuple(self._tracks)

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
        self._carry(gripper)
        free = [item for item in self._tracks if item.tcp_from_object is None]
        seen = [self._without_held(item) for item in detections]
        seen = [item for item in seen if not self._shows_held(item)]
        seen = split_stacks(seen, free)
        known = [
            Known(position=item.pose.position, category=item.category, color=item.color)
            for item in free
        ]
        pairs = associate(known, seen, self._config.association)
        for index, track in enumerate(free):
            if index in pairs:
                self._measure(track, seen[pairs[index]], views)
            else:
                self._miss(track, views)
        taken = set(pairs.values())
        self._welcome([item for index, item in enumerate(seen) if index not in taken])
        self._frames += 1
        if self._frames == self._config.naming_frames:
            self._tracks = [item for item in self._tracks if not self._was_nothing(item, views)]
        self._name(phrases)
        return self.tracks

    def _was_nothing(self, track: Track, views: Sequence[View]) -> bool:
        """Whether it was seen once in the first frames, and later not, though nothing hid it."""
        if track.frames > 1 or not track.is_remembered or track.tcp_from_object is not None:
            return False
        return look_at(track.surface, views).hidden < 0.5

    def _carry(self, gripper: GripperState) -> None:
        """Move what is held with the hand; note what was taken or let go."""
        for track in self._tracks:
            is_held = track.name == gripper.held_object
            if is_held and track.tcp_from_object is None:
                pose = settled_in_hand(track.as_object(), gripper.tcp, gripper.width)
                track.tcp_from_object = gripper.tcp.inverse() @ pose
            elif not is_held and track.tcp_from_object is not None:
                track.tcp_from_object, track.is_released = None, True
                track.is_dropped = not gripper.is_open
                if gripper.is_open:
                    self._let_go(track)
            if track.tcp_from_object is not None:
                track.place(gripper.tcp @ track.tcp_from_object)
                track.is_remembered, track.misses = False, 0

    def _let_go(self, track: Track) -> None:
        """A short fall is taken for granted; a long one has to be seen."""
        pose = fallen(track.as_object(), self._others(track))
        if 0.0 < track.pose.position[2] - pose.position[2] < _SHORT_FALL:
            track.place(pose)

    def _others(self, track: Track) -> list[SceneObject]:
        return [other.as_object() for other in self._tracks if other is not track]

    def _without_held(self, detection: Detection) -> Detection:
        """What is left of a detection when the held object's points are taken from it.

        Close to a thing of its colour, what is held looks like a part of that.
        """
        for track in self._tracks:
            if track.tcp_from_object is None or not len(detection.cloud):
                continue
            local = np.abs(track.pose.inverse().apply(detection.cloud.points))
            is_held = (local <= 0.5 * track.size + _HELD_MARGIN).all(axis=1)
            if 0.02 < float(is_held.mean()) < 0.5:
                rest = replace(detection, cloud=detection.cloud.where(np.asarray(~is_held)))
                return self._fitted(rest, detection.category, detection.color)
        return detection

    def _shows_held(self, detection: Detection) -> bool:
        """Whether a detection is a view of the held object, by where its points are."""
        for track in self._tracks:
            if track.tcp_from_object is None:
                continue
            points = detection.cloud.points if len(detection.cloud) else detection.pose.position
            local = track.pose.inverse().apply(np.atleast_2d(points))
            inside = (np.abs(local) <= 0.5 * track.size + _AROUND_HELD).all(axis=1)
            if float(inside.mean()) > 0.5:
                return True
        return False

    def _measure(self, track: Track, detection: Detection, views: Sequence[View]) -> None:
        """Take in what was found, unless it is only the part that something leaves in sight."""
        track.vote(detection)
        detection = self._as_known(track, detection)
        shift = float(np.linalg.norm(np.subtract(detection.pose.position, track.pose.position)))
        is_elsewhere = shift > self._config.association.near
        # What was let go may show another side now: where it was seen then says nothing.
        is_hidden = detection.is_cut or (
            not track.is_released
            and not is_elsewhere
            and look_at(track.surface, views).hidden > self._config.hidden_share
        )
        growth = np.asarray(detection.size) - track.size
        limit = np.maximum(_OTHER_SIZE, self._config.other * track.size)
        is_other = bool((np.abs(growth) > limit).any())
        # Behind a tray's wall, or below a lid, only a part of it is in sight.
        is_hidden |= is_other and bool((growth < limit).all()) and not track.was_cut
        if track.was_cut and not detection.is_cut:
            track.restart(detection)  # seen whole for the first time
        elif is_hidden and not is_elsewhere and self._is_as_known(track, detection):
            track.glimpse()
        elif is_hidden and not is_other:
            track.measure(detection)  # it moved: a part of it there is better than the old place
        elif is_other and track.doubts < self._patience(track):
            track.doubt()
        elif is_other:
            track.restart(detection)
        elif is_elsewhere and track.as_object().is_fixed and track.doubts < self._patience(track):
            track.doubt()
        else:
            track.measure(detection)

    def _is_as_known(self, track: Track, detection: Detection) -> bool:
        """Whether what is seen of it lies where it is thought to be."""
        points = detection.cloud.points[:: max(1, len(detection.cloud) // 100)]
        box = (track.pose, track.size)
        return share_within(points, [box], inflation=_MISPLACED) >= _AS_KNOWN

    def _patience(self, track: Track) -> int:
        """Frames for which a change is not believed; furniture hardly ever changes."""
        return self._config.doubts * (3 if track.as_object().is_fixed else 1)

    def _as_known(self, track: Track, detection: Detection) -> Detection:
        """The detection with its box fitted as what the object is known to be."""
        if detection.category == track.category:
            return detection
        return self._fitted(detection, track.category, track.color)

    def _fitted(self, detection: Detection, category: str, color: str) -> Detection:
        """The detection with its box fitted anew to its points, as a thing of some kind."""
        found = estimate(
            detection.cloud,
            category=category,
            color=color,
            table_z=TABLE_TOP_Z,
            support_z=detection.pose.position[2] - 0.5 * detection.size[2],
        )
        if found is None:
            return detection
        return replace(
            found,
            phrase=detection.phrase,
            is_cut=detection.is_cut,
            cameras=detection.cameras,
        )

    def _miss(self, track: Track, views: Sequence[View]) -> None:
        """It was not found: forget it when its place is empty, else remember it."""
        track.is_remembered = True
        if self._is_seen_as_another(track):
            track.misses += 1
            if track.misses >= self._config.empty_misses:
                self._tracks.remove(track)
            return
        place = look_at(track.surface, views)
        if place.empty >= self._config.empty_share and track.is_released and not track.is_dropped:
            self._let_fall(track, views)
            return
        if place.empty >= self._config.empty_share:
            track.misses += 1
            is_gone = track.misses >= self._config.empty_misses
        elif place.seen >= self._config.empty_share and not track.as_object().is_fixed:
            track.misses += 1
            is_gone = track.misses >= self._config.unseen_misses
        else:
            is_gone = False
        if is_gone:
            self._tracks.remove(track)

    def _is_seen_as_another(self, track: Track) -> bool:
        """Whether something else of its colour, in sight, is where it is thought to be."""
        if track.category == FLAT or track.is_released:
            return False
        boxes = parts_of(track.as_object())
        return any(
            other is not track
            and not other.is_remembered
            and other.category != FLAT
            and is_same_color(other.color, track.color)
            and do_overlap(boxes, parts_of(other.as_object()))
            for other in self._tracks
        )

    def _let_fall(self, track: Track, views: Sequence[View]) -> None:
        """What was let go and is not where that was has fallen: out of sight, or it is gone."""
        track.is_released = False
        track.place(fallen(track.as_object(), self._others(track)))
        if look_at(track.surface, views).empty >= self._config.empty_share:
            track.misses += 1

    def _welcome(self, detections: Sequence[Detection]) -> None:
        """Believe newcomers that were seen often enough."""
        old, self._candidates = self._candidates, []
        ready: list[Detection] = []
        solids = [parts_of(track.as_object()) for track in self._tracks if track.category != FLAT]
        for detection in detections:
            boxes = parts_of(detection)
            if detection.category != FLAT and any(do_overlap(boxes, item) for item in solids):
                continue  # another view of what is known already
            count = 1 + max(
                (item.count for item in old if _is_same(item.detection, detection)), default=0
            )
            if count >= self._config.confirmations or not self._frames:
                ready.append(detection)
            else:
                self._candidates.append(_Candidate(detection=detection, count=count))
        ready.sort(key=lambda item: (round(item.pose.position[0], 2), item.pose.position[1]))
        self._tracks += [
            Track(name="", first=detection, config=self._config.history) for detection in ready
        ]

    def _name(self, phrases: Sequence[ObjectPhrase]) -> None:
        """Name newcomers, and what was taken for something else at first.

        In the first frames of all, every name is still open; later, one changes only when the
        object has turned out to be something else.
        """
        is_open = self._frames <= self._config.naming_frames
        before = [track.kind for track in self._tracks]
        categories = [track.category for track in self._tracks]
        for track in self._tracks:
            is_settled = not is_open and track.frames > self._config.naming_frames
            if track.tcp_from_object is None:
                track.settle_kind(is_settled=is_settled)
        for index, category in asked_kinds(self._tracks, phrases).items():
            self._tracks[index].take_category(category)
        for index, color in asked_colors(self._tracks, phrases).items():
            self._tracks[index].take_color(color)
        for track, category in zip(self._tracks, categories, strict=True):
            if track.category != category and not track.is_remembered:
                track.restart(self._fitted(track.latest, track.category, track.color))
        changed = [
            track
            for track, kind in zip(self._tracks, before, strict=True)
            if is_open or not track.name or track.kind != kind
        ]
        if is_open:
            self._names.clear()
        kinds = [track.kind for track in changed]
        for name, track in zip(new_names(kinds, self._names), changed, strict=True):
            self._names.add(name)
            track.name = name


def _is_same(first: Detection, second: Detection) -> bool:
    distance = np.linalg.norm(np.subtract(first.pose.position, second.pose.position))
    return bool(distance < 0.03) and first.category == second.category
