"""The four floor plans: two for training, two others for tests; rooms that share their walls."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from malmm_ros.cooperation.transport.catalog import RoomKind
from malmm_ros.cooperation.transport.layout import (
    WALL_THICKNESS_M,
    Door,
    Rectangle,
    Room,
    Wall,
)

# Wide enough for two agents to pass each other.
DOOR_WIDTH_M = 1.25
_FIRST_NUMBER = 1000
_NUMBER_STEP = 1000

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPlan:
    """Rooms without furniture.

    Attributes:
        rooms: Kind and corners ``x0, y0, x1, y1`` of each.
        doors: Pairs of indices into ``rooms`` that share a wall, and where along it: 0 to 1.
    """

    name: str
    rooms: tuple[tuple[RoomKind, float, float, float, float], ...]
    doors: tuple[tuple[int, int, float], ...]

    def named_rooms(self) -> tuple[Room, ...]:
        """The rooms with the numbers by which agents tell them apart."""
        return tuple(
            Room(
                name=f"<{kind}> ({_FIRST_NUMBER + _NUMBER_STEP * index})",
                kind=kind,
                area=Rectangle(x0=x0, y0=y0, x1=x1, y1=y1),
            )
            for index, (kind, x0, y0, x1, y1) in enumerate(self.rooms)
        )

    def openings(self) -> tuple[Door, ...]:
        """Each door in the wall that its two rooms share."""
        rooms = self.named_rooms()
        return tuple(
            _opening(rooms[first], rooms[second], where) for first, second, where in self.doors
        )

    def walls(self) -> tuple[Wall, ...]:
        """All walls, cut where doors are; corners belong to both walls that meet there."""
        doors = [door.area for door in self.openings()]
        half = 0.5 * WALL_THICKNESS_M
        walls = []
        for line, intervals in _edges(self.rooms, is_vertical=True).items():
            cuts = [(d.y0, d.y1) for d in doors if d.x0 < line < d.x1 and d.x1 - d.x0 < 0.5]
            for low, high in _pieces(intervals, cuts):
                area = Rectangle(x0=line - half, y0=low, x1=line + half, y1=high)
                walls.append(Wall(area=area))
        for line, intervals in _edges(self.rooms, is_vertical=False).items():
            cuts = [(d.x0, d.x1) for d in doors if d.y0 < line < d.y1 and d.y1 - d.y0 < 0.5]
            for low, high in _pieces(intervals, cuts):
                area = Rectangle(x0=low, y0=line - half, x1=high, y1=line + half)
                walls.append(Wall(area=area))
        return tuple(walls)


def _opening(first: Room, second: Room, where: float) -> Door:
    half, wide = 0.5 * WALL_THICKNESS_M, 0.5 * DOOR_WIDTH_M
    a, b = first.area, second.area
    names = (first.name, second.name)
    for line in {a.x0, a.x1} & {b.x0, b.x1}:
        low, high = max(a.y0, b.y0), min(a.y1, b.y1)
        if high - low > DOOR_WIDTH_M + 2 * WALL_THICKNESS_M:
            y = _on_cells(low + where * (high - low))
            area = Rectangle(x0=line - half, y0=y - wide, x1=line + half, y1=y + wide)
            return Door(rooms=names, area=area)
    for line in {a.y0, a.y1} & {b.y0, b.y1}:
        low, high = max(a.x0, b.x0), min(a.x1, b.x1)
        if high - low > DOOR_WIDTH_M + 2 * WALL_THICKNESS_M:
            x = _on_cells(low + where * (high - low))
            area = Rectangle(x0=x - wide, y0=line - half, x1=x + wide, y1=line + half)
            return Door(rooms=names, area=area)
    raise ValueError(f"{names[0]} and {names[1]} share no wall that is wide enough for a door")


def _on_cells(value: float) -> float:
    """Where the frame of an opening of ten cells lies on the borders of cells."""
    return round(value * 8.0) / 8.0


def _edges(
    rooms: Iterable[tuple[RoomKind, float, float, float, float]], *, is_vertical: bool
) -> dict[float, list[Interval]]:
    edges: dict[float, list[Interval]] = {}
    for _, x0, y0, x1, y1 in rooms:
        lines, interval = ((x0, x1), (y0, y1)) if is_vertical else ((y0, y1), (x0, x1))
        for line in lines:
            edges.setdefault(line, []).append(interval)
    return edges


def _pieces(intervals: list[Interval], cuts: list[Interval]) -> list[Interval]:
    """The union of intervals, longer by half a wall at its ends, without the cuts."""
    half = 0.5 * WALL_THICKNESS_M
    joined: list[Interval] = []
    for low, high in sorted(intervals):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    pieces = []
    for low, high in joined:
        inner = sorted(cut for cut in cuts if low < cut[0] and cut[1] < high)
        borders = [low - half, *itertools.chain.from_iterable(inner), high + half]
        pieces += list(zip(borders[::2], borders[1::2], strict=True))
    return pieces


FLOOR_PLANS: dict[str, FloorPlan] = {
    plan.name: plan
    for plan in (
        FloorPlan(
            name="plan_1",
            rooms=(
                ("Kitchen", 0.0, 0.0, 5.0, 5.5),
                ("Livingroom", 5.0, 0.0, 11.0, 5.5),
                ("Office", 11.0, 0.0, 16.0, 5.5),
                ("Bedroom", 0.0, 5.5, 5.0, 11.0),
                ("Livingroom", 5.0, 5.5, 11.0, 11.0),
                ("Livingroom", 11.0, 5.5, 16.0, 11.0),
                ("Porch", 5.0, 11.0, 11.0, 13.0),
            ),
            doors=(
                (0, 1, 0.5),
                (1, 2, 0.5),
                (1, 4, 0.25),
                (3, 4, 0.3),
                (4, 5, 0.65),
                (2, 5, 0.5),
                (4, 6, 0.75),
            ),
        ),
        FloorPlan(
            name="plan_2",
            rooms=(
                ("Livingroom", 0.0, 0.0, 5.0, 5.0),
                ("Kitchen", 5.0, 0.0, 9.5, 5.0),
                ("Livingroom", 9.5, 0.0, 14.0, 5.0),
                ("Office", 14.0, 0.0, 18.0, 5.0),
                ("Office", 0.0, 5.0, 4.5, 10.0),
                ("Livingroom", 4.5, 5.0, 9.5, 10.0),
                ("Livingroom", 9.5, 5.0, 14.0, 10.0),
                ("Bedroom", 14.0, 5.0, 18.0, 10.0),
            ),
            doors=(
                (0, 1, 0.5),
                (1, 2, 0.4),
                (2, 3, 0.5),
                (0, 4, 0.5),
                (4, 5, 0.3),
                (1, 5, 0.25),
                (5, 6, 0.7),
                (2, 6, 0.75),
                (6, 7, 0.4),
            ),
        ),
        FloorPlan(
            name="plan_3",
            rooms=(
                ("Office", 0.0, 0.0, 5.0, 4.5),
                ("Kitchen", 5.0, 0.0, 10.0, 4.5),
                ("Livingroom", 10.0, 0.0, 15.5, 4.5),
                ("Livingroom", 0.0, 4.5, 5.0, 10.0),
                ("Livingroom", 5.0, 4.5, 10.0, 10.0),
                ("Bedroom", 10.0, 4.5, 15.5, 10.0),
                ("Porch", 0.0, 10.0, 5.0, 12.0),
            ),
            doors=(
                (0, 1, 0.5),
                (1, 2, 0.5),
                (0, 3, 0.25),
                (1, 4, 0.75),
                (3, 4, 0.4),
                (4, 5, 0.6),
                (2, 5, 0.3),
                (3, 6, 0.7),
            ),
        ),
        FloorPlan(
            name="plan_4",
            rooms=(
                ("Bedroom", 0.0, 0.0, 5.0, 5.0),
                ("Livingroom", 5.0, 0.0, 11.0, 5.0),
                ("Kitchen", 0.0, 5.0, 5.0, 10.0),
                ("Livingroom", 5.0, 5.0, 11.0, 10.0),
                ("Office", 0.0, 10.0, 4.5, 14.5),
                ("Livingroom", 4.5, 10.0, 9.0, 14.5),
                ("Office", 9.0, 10.0, 13.0, 14.5),
            ),
            doors=(
                (0, 1, 0.5),
                (1, 3, 0.5),
                (2, 3, 0.6),
                (2, 4, 0.5),
                (4, 5, 0.5),
                (3, 5, 0.3),
                (5, 6, 0.5),
            ),
        ),
    )
}
TRAINING_PLANS = ("plan_3", "plan_4")
TEST_PLANS = ("plan_1", "plan_2")
