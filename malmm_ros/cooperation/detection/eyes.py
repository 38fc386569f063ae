"""One agent's eyes: what it makes of its camera's images, its own pose and its own hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.detection.chart_points import chart_points
from malmm_ros.cooperation.detection.detector import (
    BACKGROUND,
    Detection,
    Sighting,
    detect,
)
from malmm_ros.cooperation.detection.tracks import BedFinder, Tracks
from malmm_ros.cooperation.transport.actions import Arm, FailureReason
from malmm_ros.cooperation.transport.catalog import FURNITURE, Category
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    Briefing,
    Hands,
    HeldObject,
    Observation,
    VisibleObject,
    VisibleTeammate,
)

# What floats this near a teammate's axis is in its hands.
_IN_HANDS_M, _HANDS_FROM_M = 0.45, 0.35
_BED_SCORE = 0.7
_INSIDE_M = 0.17
_DROP_M = 0.45
_LEAST_POINTS = 5
_HIGHEST_THING_M = 0.35

OnSighting = Callable[[RgbdImage, Sighting], None]


class Eyes:
    """Turns pixels into what an agent observes; keeps what it saw apart from what is true.

    Args:
        briefing: What the agent knows at first.
        mates: Names of the agents that a class stands for: the team knows its colours.
        on_sighting: Told of every image that was looked at, with its labels.
    """

    def __init__(
        self,
        briefing: Briefing,
        mates: Mapping[str, str],
        *,
        on_sighting: OnSighting | None = None,
    ) -> None:
        self._briefing = briefing
        self._mates = {kind: name for kind, name in mates.items() if name in briefing.teammates}
        self._on_sighting = on_sighting
        self._bed = BedFinder()
        self._own: dict[int, int] = {}
        self._grasped: dict[int, int] = {}
        self.tracks = Tracks()

    def perceive(self, observation: Observation) -> Observation:
        """The observation with what was recognised; while an action goes on nobody looks."""
        held = self._translate(observation)
        with_labels = observation.look
        observation = replace(observation, look=lambda: _without_labels(with_labels()))
        if observation.status == "ongoing":
            return replace(observation, held=held)
        image = with_labels()
        sighting = detect(_without_labels(image))
        if self._on_sighting is not None:
            self._on_sighting(image, sighting)
        mates = [item for item in sighting.detections if item.kind in self._mates]
        things = [
            item
            for item in sighting.detections
            if item.is_thing and len(item.segment.points) >= _LEAST_POINTS
        ]
        in_hands = [item for item in things if _is_carried(item, mates)]
        lying = [item for item in things if item not in in_hands]
        blocking = {item.number for item in sighting.detections if _is_blocking(item)}
        rules = self._briefing.rules
        visible = self._visible_things(lying) + self._visible_furniture(sighting.detections)
        visible.sort(key=lambda item: (observation.pose.distance(*item.position[:2]), item.id))
        return replace(
            observation,
            held=held,
            visible=tuple(visible[: rules.most_visible]),
            teammates=tuple(self._teammates(mates, in_hands, observation.pose)),
            scan=chart_points(image, sighting, blocking=blocking, range_m=rules.sensing_m),
        )

    def note_grasp(self, number: int, arm: Arm) -> None:
        """Remember what an arm reaches for, to know it by once it is held."""
        self._grasped[arm] = number

    def note_failure(self, number: int, failure: FailureReason) -> None:
        """Learn from a grasp that was refused."""
        track = self.tracks.get(number)
        if track is not None and failure == "not_movable":
            track.is_refused = True
        elif failure == "unknown_object":
            self.tracks.forget(number)

    def _translate(self, observation: Observation) -> Hands:
        """The own hands, by the names under which their things were seen."""
        pose = observation.pose
        still: set[int] = set()
        hands: list[HeldObject | None] = []
        for arm, hand in enumerate(observation.held):
            if hand is None:
                hands.append(None)
                continue
            if hand.id not in self._own:
                self._own[hand.id] = self._grasped.get(arm, -hand.id)
            contents = tuple((self._own.get(n, -n), kind) for n, kind in hand.contents)
            hands.append(replace(hand, id=self._own[hand.id], contents=contents))
            still |= {self._own[hand.id], *(number for number, _ in contents)}
        for track in self.tracks:
            if track.id in still:
                track.is_held = True
            elif track.is_held:
                forward = pose.forward
                track.is_held = False
                track.position = (
                    pose.x + _DROP_M * forward[0],
                    pose.y + _DROP_M * forward[1],
                    0.05,
                )
        return (hands[0], hands[1])

    def _category(self, kind: str) -> Category:
        if kind in self._briefing.container_kinds:
            return "container"
        return "target" if kind in self._briefing.goal else "other"

    def _visible_things(self, lying: list[Detection]) -> list[VisibleObject]:
        return [
            VisibleObject(
                id=track.id,
                kind=track.kind,
                category="other" if track.is_refused else self._category(track.kind),
                position=item.position,
            )
            for track, item in self.tracks.note(lying)
        ]

    def _visible_furniture(self, found: Sequence[Detection]) -> list[VisibleObject]:
        seen = []
        for item in found:
            if item.kind != "bed" or item.score < _BED_SCORE:
                continue
            x, y, z = item.position
            if self._briefing.bedroom.area.contains(x, y):
                x, y = self._bed.note(item)
                seen.append(VisibleObject(id=0, kind="bed", category="bed", position=(x, y, z)))
        return seen[-1:]

    def _teammates(
        self, mates: list[Detection], in_hands: list[Detection], own: AgentPose
    ) -> list[VisibleTeammate]:
        return [
            VisibleTeammate(
                name=self._mates[item.kind],
                # No more is known of where it faces than that it is somewhere.
                pose=AgentPose(x=x, y=y, heading=math.atan2(own.y - y, own.x - x)),
                held=self._hands_of([part for part in in_hands if _is_carried(part, [item])]),
            )
            for item in {item.kind: item for item in mates}.values()
            for x, y in [_axis(item, own, self._briefing.rules.radius_m)]
        ]

    def _hands_of(self, carried: list[Detection]) -> Hands:
        """What a teammate seems to hold: targets right above a container are in it."""
        numbered = [(self._known(item), item) for item in carried]
        containers = [(n, i) for n, i in numbered if self._category(i.kind) == "container"][:1]
        targets = [(n, i) for n, i in numbered if self._category(i.kind) == "target"]
        hands: list[HeldObject] = []
        for number, item in containers:
            inside = [(n, i) for n, i in targets if _gap(i, item) < _INSIDE_M]
            targets = [pair for pair in targets if pair not in inside]
            contents = tuple((n, i.kind) for n, i in inside)
            hands.append(
                HeldObject(id=number, kind=item.kind, category="container", contents=contents)
            )
        hands += [
            HeldObject(id=number, kind=item.kind, category="target") for number, item in targets
        ]
        listed: list[HeldObject | None] = [*hands, None, None]
        return (listed[0], listed[1])

    def _known(self, item: Detection) -> int:
        (track, _), *_ = self.tracks.note([item])
        return track.id


def _without_labels(image: RgbdImage) -> RgbdImage:
    """What a camera shows, and nothing that only a renderer knows."""
    return replace(image, labels=None, label_names=())


def _is_blocking(item: Detection) -> bool:
    """Whether it is furniture or wall; all furniture is higher than what can be carried."""
    is_high = float(item.segment.points[:, 2].max()) > _HIGHEST_THING_M
    return is_high and (item.kind in FURNITURE or item.kind == BACKGROUND)


def _gap(first: Detection, second: Detection) -> float:
    return math.dist(first.position[:2], second.position[:2])


def _axis(item: Detection, own: AgentPose, radius_m: float) -> tuple[float, float]:
    """The middle of a round body whose near side is seen."""
    near = item.segment.points[:, :2].mean(axis=0).tolist()
    away = math.hypot(near[0] - own.x, near[1] - own.y) or 1.0
    depth = 0.7 * radius_m / away
    return (near[0] + depth * (near[0] - own.x), near[1] + depth * (near[1] - own.y))


def _is_carried(item: Detection, mates: Sequence[Detection]) -> bool:
    """Whether something is in the hands of one of those seen."""
    is_high = float(item.segment.points[:, 2].min()) > _HANDS_FROM_M
    return item.is_thing and is_high and any(_gap(item, mate) < _IN_HANDS_M for mate in mates)
