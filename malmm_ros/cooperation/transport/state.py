"""What changes during an episode: where agents and things are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from malmm_ros.cooperation.transport.catalog import THINGS, Category
from malmm_ros.cooperation.transport.collision import TOUCH_M, Obstacles, disc_gap
from malmm_ros.cooperation.transport.episode import Episode, Thing
from malmm_ros.cooperation.transport.observation import ActionStatus
from malmm_ros.errors import SimulationError

if TYPE_CHECKING:
    from malmm_ros.cooperation.transport.actions import FailureReason
    from malmm_ros.cooperation.transport.activities import Activity
    from malmm_ros.cooperation.transport.rules import TransportRules

_DROP_DISTANCES_M = (0.45, 0.35, 0.25, 0.15, 0.0)


@dataclass(slots=True)
class ThingState:
    """Where one thing is.

    Attributes:
        holder: Name of the agent whose hand holds it or the container it lies in.
        inside: The container it lies in.
    """

    id: int
    kind: str
    category: Category
    position: tuple[float, float, float]
    holder: str | None = None
    inside: ThingState | None = None
    contents: list[ThingState] = field(default_factory=list)
    is_delivered: bool = False

    @property
    def is_lying(self) -> bool:
        """Whether it lies somewhere for itself."""
        return self.holder is None and self.inside is None


@dataclass(slots=True)
class Body:
    """One agent's body and what it is doing.

    Attributes:
        heading: Radians, counter-clockwise from x.
        held: By arm.
        activity: ``None`` when its last action has ended.
    """

    name: str
    x: float
    y: float
    heading: float
    held: list[ThingState | None] = field(default_factory=lambda: [None, None])
    activity: Activity | None = None
    status: ActionStatus = "success"
    is_valid: bool = True
    failure: FailureReason | None = None

    @property
    def load(self) -> int:
        """How many targets it carries."""
        return sum(
            len(thing.contents) if thing.category == "container" else 1
            for thing in self.held
            if thing is not None
        )

    def holds(self, category: Category) -> ThingState | None:
        """What it holds of a category."""
        return next((t for t in self.held if t is not None and t.category == category), None)


class Floor:
    """The bodies and things on a layout, and the rules of moving and laying down."""

    def __init__(self, episode: Episode, names: tuple[str, ...], rules: TransportRules) -> None:
        self.episode = episode
        self.rules = rules
        self.obstacles = Obstacles.of(episode.layout)
        self.bodies = {
            name: Body(name, start.x, start.y, math.radians(start.heading_deg))
            for name, start in zip(names, episode.starts, strict=False)
        }
        self.things = {thing.id: _state(thing, episode) for thing in episode.things}
        bed = episode.layout.bed
        self._bed = bed.area.centre
        self._bedroom = episode.layout.room(bed.room).area

    def move(self, body: Body, distance: float) -> bool:
        """Walk straight ahead, unless the swept disc would touch anything; then stay."""
        start = (body.x, body.y)
        end = (
            body.x + distance * math.cos(body.heading),
            body.y + distance * math.sin(body.heading),
        )
        if self.obstacles.hit(start, end, self.rules.radius_m) is not None:
            return False
        for other in self.bodies.values():
            if other is not body:
                gap = disc_gap(start, end, (other.x, other.y))
                if gap < 2.0 * self.rules.radius_m - TOUCH_M:
                    return False
        body.x, body.y = end
        return True

    def check(self) -> None:
        """Assert that no agent is inside anything.

        Raises:
            SimulationError: One is; a fault of this program.
        """
        radius = self.rules.radius_m
        bodies = list(self.bodies.values())
        for index, body in enumerate(bodies):
            distances = self.obstacles.distances(body.x, body.y)
            nearest = int(distances.argmin())
            if distances[nearest] < radius - 2 * TOUCH_M:
                raise SimulationError(f"{body.name} is inside {self.obstacles.names[nearest]}")
            for other in bodies[:index]:
                gap = math.hypot(body.x - other.x, body.y - other.y)
                if gap < 2 * radius - 2 * TOUCH_M:
                    raise SimulationError(f"{body.name} is inside {other.name}")

    def lay_down(self, body: Body, thing: ThingState) -> None:
        """Put a held thing on the floor before the agent, as far ahead as is free."""
        x, y = body.x, body.y
        for distance in _DROP_DISTANCES_M:
            ahead = (
                body.x + distance * math.cos(body.heading),
                body.y + distance * math.sin(body.heading),
            )
            if self.obstacles.hit((body.x, body.y), ahead, 0.05) is None:
                x, y = ahead
                break
        body.held[body.held.index(thing)] = None
        thing.holder = None
        thing.position = (x, y, 0.5 * THINGS[thing.kind].size[2])
        for item in thing.contents:
            item.holder = None
            item.position = thing.position
        if self.is_at_bed(x, y):
            for item in (thing, *thing.contents):
                item.is_delivered = True

    def is_at_bed(self, x: float, y: float) -> bool:
        """Whether what lies at a point is delivered."""
        near = math.hypot(x - self._bed[0], y - self._bed[1]) <= self.rules.delivery_m
        return near and self._bedroom.contains(x, y)

    def delivered(self) -> dict[str, int]:
        """How many targets of each kind are delivered."""
        done = dict.fromkeys(self.episode.goal, 0)
        for thing in self.things.values():
            if thing.is_delivered and thing.category == "target":
                done[thing.kind] += 1
        return done


def _state(thing: Thing, episode: Episode) -> ThingState:
    kind = THINGS[thing.kind]
    category: Category = "other"
    if kind.task == episode.task:
        category = "container" if kind.is_container else "target"
    return ThingState(thing.id, thing.kind, category, thing.position)
