"""Scatter things over a layout as the benchmark does, and put agents into different rooms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from malmm_ros.cooperation.transport.catalog import (
    FURNITURE,
    TASKS,
    THINGS,
    TaskName,
    containers_of,
    families_of,
)
from malmm_ros.cooperation.transport.collision import Obstacles
from malmm_ros.cooperation.transport.episode import Episode, Start, Thing
from malmm_ros.cooperation.transport.layout import Furniture, Layout, Room
from malmm_ros.errors import SimulationError

FIRST_THING_ID = 100
TARGETS = 10
MOST_ON_FURNITURE, MOST_OF_FAMILY = 4, 6
FLOOR_CLEARANCE_M, CONTAINER_CLEARANCE_M = 0.5, 0.65
CONTAINER_COUNTS = (5, 2)
CONTAINER_ROOMS = (2, 1)
MOST_AGENTS = 4

# Which family lies on the furniture of which room; and how the rest is shared among rooms'
# floors. The weights were fitted so that the shares of the benchmark come out; a test holds them.
_ON_FURNITURE = {
    ("Kitchen", "table"): "bakery",
    ("Kitchen", "chair"): "bakery",
    ("Livingroom", "coffee_table"): "fruit",
    ("Livingroom", "sofa"): "pocket",
    ("Livingroom", "chair"): "pocket",
    ("Office", "table"): "desk",
    ("Office", "chair"): "desk",
}
_ON_FLOOR = {
    "fruit": {"Livingroom": 0.47, "Kitchen": 0.53},
    "bakery": {"Kitchen": 0.22, "Livingroom": 0.78},
    "desk": {"Office": 0.45, "Livingroom": 0.55},
    "pocket": {"Livingroom": 0.88, "Office": 0.12},
}
_BETWEEN_M = 0.3
_AGENT_FREE_M = 0.45
_TRIES = 300


@dataclass(slots=True)
class _Scatter:
    """What has been placed so far."""

    layout: Layout
    obstacles: Obstacles
    rng: np.random.Generator
    things: list[Thing]

    def add(self, kind: str, room: str, point: tuple[float, float, float], on: int | None) -> None:
        x, y, z = (round(value, 3) for value in point)
        number = FIRST_THING_ID + len(self.things)
        self.things.append(Thing(id=number, kind=kind, room=room, position=(x, y, z), on=on))

    def is_apart(self, x: float, y: float) -> bool:
        return all(
            math.hypot(x - item.position[0], y - item.position[1]) >= _BETWEEN_M
            for item in self.things
        )

    def floor_point(self, room: Room, clearance: float) -> tuple[float, float] | None:
        """A free point of a room's floor, or ``None`` when none was found."""
        floor = room.inside
        for _ in range(_TRIES):
            x = float(self.rng.uniform(floor.x0, floor.x1))
            y = float(self.rng.uniform(floor.y0, floor.y1))
            if self.obstacles.clearance(x, y) >= clearance and self.is_apart(x, y):
                return (x, y)
        return None


def generate_episode(
    layout: Layout,
    *,
    name: str,
    task: TaskName,
    containers: Literal[0, 1],
    rng: np.random.Generator,
) -> Episode:
    """Fill a layout.

    Args:
        layout: Furnished.
        name: Of the episode.
        task: Whose things are the targets; the other task's distract.
        containers: 0 for five of each family, 1 for two.
        rng: Decides everything else.

    Raises:
        SimulationError: There is no room for everything.
    """
    scatter = _Scatter(layout, Obstacles.of(layout), rng, [])
    left = _draw_families(rng)
    _place_on_furniture(scatter, left)
    _place_on_floor(scatter, left)
    _place_containers(scatter, containers)
    return Episode(
        name=name,
        layout=layout,
        task=task,
        containers=containers,
        things=tuple(scatter.things),
        starts=_draw_starts(scatter),
    )


def _draw_families(rng: np.random.Generator) -> Counter[str]:
    """How many things each sub-family gets: ten a task, at most six of one."""
    counts: Counter[str] = Counter()
    for task in TASKS:
        first, second = families_of(task)
        counts[first] = int(rng.integers(TARGETS - MOST_OF_FAMILY, MOST_OF_FAMILY + 1))
        counts[second] = TARGETS - counts[first]
    return counts


def _place_on_furniture(scatter: _Scatter, left: Counter[str]) -> None:
    placed: Counter[str] = Counter()
    pieces = scatter.layout.furniture
    for index in scatter.rng.permutation(len(pieces)):
        piece = pieces[int(index)]
        room = scatter.layout.room(piece.room)
        family = _ON_FURNITURE.get((room.kind, piece.kind))
        if family is None:
            continue
        kind = FURNITURE[piece.kind]
        wanted = int(scatter.rng.integers(kind.least_things, kind.most_things + 1))
        for _ in range(min(wanted, left[family], MOST_ON_FURNITURE - placed[family])):
            point = _furniture_point(scatter, piece)
            if point is None:
                break
            _add(scatter, family, piece.room, point, on=piece)
            placed[family] += 1
            left[family] -= 1


def _furniture_point(scatter: _Scatter, piece: Furniture) -> tuple[float, float] | None:
    """A point near an edge from which it can be reached, apart from what lies there."""
    rng, area = scatter.rng, piece.area
    inset = 0.25 if piece.kind == "chair" else 0.2
    for _ in range(_TRIES):
        side = int(rng.integers(4))
        x = float(rng.uniform(area.x0 + 0.2, area.x1 - 0.2))
        y = float(rng.uniform(area.y0 + 0.2, area.y1 - 0.2))
        if side < 2:
            y, out = (area.y0 + inset, (0.0, -1.0)) if side == 0 else (area.y1 - inset, (0.0, 1.0))
        else:
            x, out = (area.x0 + inset, (-1.0, 0.0)) if side == 2 else (area.x1 - inset, (1.0, 0.0))
        reach = inset + 0.35
        stand = (x + reach * out[0], y + reach * out[1])
        is_apart = scatter.is_apart(x, y)
        if is_apart and scatter.obstacles.clearance(*stand) >= 0.3 - 1e-9:
            return (x, y)
    return None


def _place_on_floor(scatter: _Scatter, left: Counter[str]) -> None:
    for family, shares in _ON_FLOOR.items():
        for _ in range(left[family]):
            kind = str(scatter.rng.choice(list(shares), p=list(shares.values())))
            rooms = [room for room in scatter.layout.rooms if room.kind == kind]
            room = rooms[int(scatter.rng.integers(len(rooms)))]
            point = scatter.floor_point(room, FLOOR_CLEARANCE_M)
            if point is None:
                raise SimulationError(f"no free floor for a thing in {room.name}")
            _add(scatter, family, room.name, point, on=None)


def _add(
    scatter: _Scatter,
    family: str,
    room: str,
    point: tuple[float, float],
    *,
    on: Furniture | None,
) -> None:
    names = [kind.name for kind in THINGS.values() if kind.family == family]
    name = names[int(scatter.rng.integers(len(names)))]
    z = 0.5 * THINGS[name].size[2] + (on.height if on else 0.0)
    scatter.add(name, room, (*point, z), on.id if on else None)


def _place_containers(scatter: _Scatter, setting: int) -> None:
    """Each task's containers in rooms of their own."""
    rng, taken = scatter.rng, set[str]()
    for task in TASKS:
        barred = {"Bedroom", "Porch", "Office" if task == "food" else "Kitchen"}
        rooms = [r for r in scatter.layout.rooms if r.kind not in barred and r.name not in taken]
        order = [rooms[int(i)] for i in rng.permutation(len(rooms))][: CONTAINER_ROOMS[setting]]
        taken |= {room.name for room in order}
        names = containers_of(task)
        for index in range(CONTAINER_COUNTS[setting]):
            room = order[index % len(order)]
            point = scatter.floor_point(room, CONTAINER_CLEARANCE_M)
            if point is None:
                raise SimulationError(f"no free floor for a container in {room.name}")
            name = names[int(rng.integers(len(names)))]
            scatter.add(name, room.name, (*point, 0.5 * THINGS[name].size[2]), None)


def _draw_starts(scatter: _Scatter) -> tuple[Start, ...]:
    """As many as may take part, in different rooms."""
    rng = scatter.rng
    rooms = [room for room in scatter.layout.rooms if room.kind not in ("Bedroom", "Porch")]
    starts = []
    for index in rng.permutation(len(rooms))[:MOST_AGENTS]:
        room = rooms[int(index)]
        point = scatter.floor_point(room, _AGENT_FREE_M)
        if point is None:
            raise SimulationError(f"no free floor for an agent in {room.name}")
        x, y = (round(value, 3) for value in point)
        heading = 15.0 * int(rng.integers(24))
        starts.append(Start(room=room.name, x=x, y=y, heading_deg=heading))
    return tuple(starts)


def shares_by_room(episodes: Sequence[Episode]) -> dict[str, dict[str, float]]:
    """Over episodes, which share of each sub-family lies in which kind of room."""
    counts: dict[str, Counter[str]] = {}
    for episode in episodes:
        for thing in episode.things:
            kind = THINGS[thing.kind]
            if not kind.is_container:
                room = episode.layout.room(thing.room)
                counts.setdefault(kind.family, Counter())[room.kind] += 1
    return {
        family: {room: number / rooms.total() for room, number in sorted(rooms.items())}
        for family, rooms in counts.items()
    }
