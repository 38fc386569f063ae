"""What one agent believes: the map, where things are, what teammates carry; possibly stale."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.mapping import Grid, SemanticMap
from malmm_ros.cooperation.transport.catalog import CATEGORY_NUMBERS, Category
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    Briefing,
    Hands,
    HeldObject,
    Observation,
    VisibleObject,
)

Whereabouts = Literal["lying", "held", "inside", "delivered"]

# A thing counts as gone when its place was in plain sight this often without it.
_MISSES = 2
# In plain sight is what lies this far from the agent and from the image's edges, and over the
# line to which nothing known rises.
_PLAIN_SIGHT_M = (0.9, 4.0)
_EDGE = math.radians(5.0)
_SAMPLES, _BESIDE_M = 48, 0.12
_GIVE_UP_FRAMES = 300


@dataclass(slots=True)
class KnownObject:
    """What is believed of one thing.

    Attributes:
        where: Whether it lies around, in a hand, in a container, or is delivered.
        holder: Of what is held, by whom.
        seen: Frame at which it was last seen.
        shunned_until: Frame until which it is not tried again.
    """

    id: int
    kind: str
    category: Category
    position: tuple[float, float, float]
    where: Whereabouts = "lying"
    holder: str = ""
    contents: tuple[tuple[int, str], ...] = ()
    seen: int = 0
    misses: int = 0
    shunned_until: int = -1


@dataclass(slots=True)
class KnownTeammate:
    """What is believed of a teammate; ``seen`` is −1 before it was ever seen."""

    name: str
    pose: AgentPose | None = None
    room: str = ""
    held: Hands | None = None
    seen: int = -1


@dataclass(slots=True)
class TransportMemory:
    """Semantic memory of one agent.

    Attributes:
        briefing: What it knew at first.
        chart: Its map.
        objects: All things it has seen or held and not seen missing, by id.
        bed: Centre of the bed, once seen.
        delivered: Targets it knows to be delivered, with their kinds.
        finds: Ids of targets and containers seen for the first time in the last observation.
    """

    briefing: Briefing
    chart: SemanticMap = field(init=False)
    objects: dict[int, KnownObject] = field(default_factory=dict)
    teammates: dict[str, KnownTeammate] = field(init=False)
    bed: tuple[float, float] | None = None
    delivered: dict[int, str] = field(default_factory=dict)
    finds: tuple[int, ...] = ()
    _observation: Observation | None = None

    def __post_init__(self) -> None:
        bounds = self.briefing.bounds
        self.chart = SemanticMap(Grid.over(bounds.x0, bounds.y0, bounds.x1, bounds.y1))
        self.teammates = {name: KnownTeammate(name) for name in self.briefing.teammates}

    @property
    def now(self) -> Observation:
        """The last observation."""
        assert self._observation is not None
        return self._observation

    @property
    def has_observed(self) -> bool:
        """Whether there was an observation yet."""
        return self._observation is not None

    def update(self, observation: Observation) -> None:
        """Take over everything that an observation shows."""
        before = self._observation.held if self._observation is not None else (None, None)
        self._observation = observation
        seen = self.chart.add_points(observation.scan)
        known = set(self.objects)
        self._note_hands(before)
        for item in observation.visible:
            self._note_visible(item)
        self._note_teammates()
        self._note_missing(seen)
        self.finds = tuple(
            item.id
            for item in observation.visible
            if item.id not in known and self._is_of_interest(item.id)
        )

    def candidates(self, category: Category) -> list[KnownObject]:
        """Things of a category that lie around, as far as is known, and are worth trying."""
        return [
            item
            for item in self.objects.values()
            if item.category == category
            and item.where == "lying"
            and item.shunned_until < self.now.frame
        ]

    def held(self, category: Category) -> HeldObject | None:
        """What the agent itself holds of a category."""
        return next((i for i in self.now.held if i is not None and i.category == category), None)

    def free_arm(self) -> Literal[0, 1] | None:
        """An arm that holds nothing."""
        if self.now.held[0] is None:
            return 0
        return 1 if self.now.held[1] is None else None

    def carried(self) -> list[tuple[int, str]]:
        """Targets in the hands and in a held container, with their kinds."""
        carried: list[tuple[int, str]] = []
        for item in self.now.held:
            if item is not None:
                carried += item.contents if item.category == "container" else ()
                carried += [(item.id, item.kind)] if item.category == "target" else []
        return carried

    def give_up(self, object_id: int) -> None:
        """Leave a thing alone for a while."""
        if object_id in self.objects:
            self.objects[object_id].shunned_until = self.now.frame + _GIVE_UP_FRAMES

    def lose(self, object_id: int) -> None:
        """Believe no longer that a thing is where it was."""
        self.objects.pop(object_id, None)

    def forget_teammate(self, name: str) -> None:
        """Know nothing of a teammate, as at first."""
        self.teammates[name] = KnownTeammate(name)

    def near_teammates(self, frames: int = 60) -> list[tuple[float, float]]:
        """Where teammates were seen a moment ago."""
        return [
            (mate.pose.x, mate.pose.y)
            for mate in self.teammates.values()
            if mate.pose is not None and self.now.frame - mate.seen <= frames
        ]

    def explored_share(self, room_name: str) -> float:
        """How much of a room's floor was seen, 0 to 1."""
        room = next(room for room in self.briefing.rooms if room.name == room_name)
        inside = room.inside
        window = self.chart.grid.window(inside.x0, inside.y0, inside.x1, inside.y1)
        return self.chart.explored_share(window)

    def is_at_bed(self, x: float, y: float) -> bool:
        """Whether what lies at a point is delivered, as far as the bed is known."""
        return (
            self.bed is not None
            and math.dist((x, y), self.bed) <= self.briefing.rules.delivery_m
            and self.briefing.bedroom.area.contains(x, y)
        )

    def _is_of_interest(self, object_id: int) -> bool:
        item = self.objects.get(object_id)
        return (
            item is not None and item.category in ("target", "container") and item.where == "lying"
        )

    def _note_hands(self, before: Hands) -> None:
        pose, agent = self.now.pose, self.briefing.agent
        held = {item.id for item in self.now.held if item is not None}
        inside = {i for item in self.now.held if item is not None for i, _ in item.contents}
        for item in before:
            if item is not None and item.id not in held | inside:
                self._note_dropped(item)
        for hand in self.now.held:
            if hand is None:
                continue
            known = KnownObject(
                hand.id, hand.kind, hand.category, (pose.x, pose.y, 1.0), "held", agent
            )
            known.contents, known.seen = hand.contents, self.now.frame
            self.objects[hand.id] = known
            for number, kind in hand.contents:
                self._note_inside(number, kind, known)

    def _note_dropped(self, item: HeldObject) -> None:
        """Something left the own hands and did not go into the own container."""
        x, y = self.now.pose.x, self.now.pose.y
        is_delivered = self.is_at_bed(x, y)
        for number in (item.id, *(number for number, _ in item.contents)):
            if number in self.objects:
                known = self.objects[number]
                known.position, known.holder = (x, y, 0.0), ""
                if is_delivered:
                    self._note_delivered(known)
                elif number == item.id:
                    known.where = "lying"

    def _note_inside(self, number: int, kind: str, container: KnownObject) -> None:
        known = self.objects.setdefault(
            number, KnownObject(number, kind, "target", container.position)
        )
        known.position, known.holder, known.seen = (
            container.position,
            container.holder,
            self.now.frame,
        )
        if container.where == "delivered":
            self._note_delivered(known)
        else:
            known.where = "inside"

    def _note_delivered(self, known: KnownObject) -> None:
        known.where = "delivered"
        if known.category == "target":
            self.delivered[known.id] = known.kind

    def _note_visible(self, item: VisibleObject) -> None:
        x, y, _ = item.position
        self.chart.mark(x, y, 1 + CATEGORY_NUMBERS[item.category])
        if item.category == "bed":
            self.bed = (x, y)
        if item.category not in ("target", "container"):
            return
        known = self.objects.setdefault(
            item.id, KnownObject(item.id, item.kind, item.category, item.position)
        )
        known.position, known.contents = item.position, item.contents
        known.seen, known.misses, known.holder = self.now.frame, 0, ""
        if self.is_at_bed(x, y):
            self._note_delivered(known)
        else:
            known.where = "lying"
        for number, kind in item.contents:
            self._note_inside(number, kind, known)

    def _note_teammates(self) -> None:
        for mate in self.now.teammates:
            room = self.briefing.room_at(mate.pose.x, mate.pose.y)
            self.teammates[mate.name] = KnownTeammate(
                mate.name, mate.pose, room.name if room else "", mate.held, self.now.frame
            )
            for hand in mate.held:
                if hand is None:
                    continue
                position = (mate.pose.x, mate.pose.y, 1.0)
                known = KnownObject(hand.id, hand.kind, hand.category, position, "held", mate.name)
                known.contents, known.seen = hand.contents, self.now.frame
                self.objects[hand.id] = known
                for number, kind in hand.contents:
                    self._note_inside(number, kind, known)

    def _note_missing(self, seen: NDArray[np.bool_]) -> None:
        """Forget what is not where it should be in plain sight."""
        visible = {item.id for item in self.now.visible}
        for known in list(self.objects.values()):
            if known.where != "lying" or known.id in visible:
                continue
            x, y, _ = known.position
            if seen[self.chart.grid.cell(x, y)] and self._is_in_plain_sight(known.position):
                known.misses += 1
                if known.misses >= _MISSES:
                    del self.objects[known.id]

    def _is_in_plain_sight(self, position: tuple[float, float, float]) -> bool:
        """Whether whatever lies at a point would have to be seen from here."""
        pose, rules = self.now.pose, self.briefing.rules
        x, y, z = position
        distance = pose.distance(x, y)
        if not _PLAIN_SIGHT_M[0] <= distance <= _PLAIN_SIGHT_M[1]:
            return False
        limit = 0.5 * math.radians(rules.field_of_view_deg) - _EDGE
        aside = math.remainder(math.atan2(y - pose.y, x - pose.x) - pose.heading, math.tau)
        if abs(aside) > limit or math.atan2(rules.eye_m - z, distance) > limit:
            return False
        share = np.linspace(0.0, 1.0 - 0.15 / distance, _SAMPLES)
        line = rules.eye_m + share * (z - rules.eye_m)
        along = np.stack((share * (x - pose.x), share * (y - pose.y)), axis=1)
        aside_m = _BESIDE_M / distance * np.array((y - pose.y, pose.x - x))
        start = np.array((pose.x, pose.y))
        return all(
            bool((self.chart.heights[self.chart.grid.cells(start + along + shift)] < line).all())
            for shift in (-aside_m, 0.0 * aside_m, aside_m)
        )
