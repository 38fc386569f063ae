"""Put furniture into the rooms of a floor plan so that every room stays passable."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.transport.catalog import FURNITURE, RoomKind
from malmm_ros.cooperation.transport.floorplans import FloorPlan
from malmm_ros.cooperation.transport.layout import (
    CELL_M,
    Door,
    Furniture,
    Layout,
    Rectangle,
    Room,
)
from malmm_ros.errors import SimulationError

# What stands in a room; chairs come to the table before them.
_PIECES: dict[RoomKind, tuple[str, ...]] = {
    "Kitchen": ("counter", "fridge", "table", "chair", "chair"),
    "Livingroom": ("sofa", "shelf", "coffee_table", "chair"),
    "Office": ("shelf", "table", "chair"),
    "Bedroom": ("bed", "wardrobe"),
    "Porch": (),
}
_AT_WALL = ("counter", "fridge", "sofa", "shelf", "bed", "wardrobe")
_PASSAGE_M = 0.75
_DOOR_FREE_M = 0.875
_TRIES = 400
_ROOM_TRIES = 50


def furnish(plan: FloorPlan, name: str, rng: np.random.Generator) -> Layout:
    """Furnish a floor plan.

    Args:
        plan: Its rooms decide what stands where.
        name: Of the layout.
        rng: Decides the places.

    Raises:
        SimulationError: A room is too small for its furniture.
    """
    rooms, doors = plan.named_rooms(), plan.openings()
    furniture: list[Furniture] = []
    for room in rooms:
        own = [door for door in doors if room.name in door.rooms]
        for piece in _furnish_room(room, own, rng):
            number = len(furniture)
            furniture.append(Furniture(id=number, kind=piece[0], room=room.name, area=piece[1]))
    return Layout(
        name=name, rooms=rooms, walls=plan.walls(), doors=doors, furniture=tuple(furniture)
    )


def _furnish_room(
    room: Room, doors: list[Door], rng: np.random.Generator
) -> list[tuple[str, Rectangle]]:
    for _ in range(_ROOM_TRIES):
        pieces: list[tuple[str, Rectangle]] = []
        for kind in _PIECES[room.kind]:
            area = _place(kind, room, doors, pieces, rng)
            if area is None:
                break
            pieces.append((kind, area))
        else:
            return pieces
    raise SimulationError(f"{room.name} is too small for its furniture")


def _place(
    kind: str,
    room: Room,
    doors: list[Door],
    pieces: list[tuple[str, Rectangle]],
    rng: np.random.Generator,
) -> Rectangle | None:
    table = next((area for name, area in reversed(pieces) if "table" in name), None)
    for _ in range(_TRIES):
        beside: Rectangle | None = None
        if kind == "chair" and table is not None:
            area, beside = _beside(table, rng), table
        elif kind in _AT_WALL:
            area = _at_wall(kind, room.inside, rng)
        else:
            area = _in_the_open(kind, room.inside, rng)
        others = [other for _, other in pieces if other is not beside]
        if _fits(area, room, doors, others, is_at_wall=kind in _AT_WALL):
            return area
    return None


def _at_wall(kind: str, floor: Rectangle, rng: np.random.Generator) -> Rectangle:
    length, depth, _ = FURNITURE[kind].size
    side = int(rng.integers(4))
    if side < 2:  # along x, at the lower or the upper wall
        x = _uniform(floor.x0, floor.x1 - length, rng)
        y = floor.y0 if side == 0 else floor.y1 - depth
        return Rectangle(x0=x, y0=y, x1=x + length, y1=y + depth)
    y = _uniform(floor.y0, floor.y1 - length, rng)
    x = floor.x0 if side == 2 else floor.x1 - depth
    return Rectangle(x0=x, y0=y, x1=x + depth, y1=y + length)


def _in_the_open(kind: str, floor: Rectangle, rng: np.random.Generator) -> Rectangle:
    size = FURNITURE[kind].size
    length, depth = (size[0], size[1]) if rng.random() < 0.5 else (size[1], size[0])
    x = _uniform(floor.x0 + _PASSAGE_M, floor.x1 - _PASSAGE_M - length, rng)
    y = _uniform(floor.y0 + _PASSAGE_M, floor.y1 - _PASSAGE_M - depth, rng)
    return Rectangle(x0=x, y0=y, x1=x + length, y1=y + depth)


def _beside(table: Rectangle, rng: np.random.Generator) -> Rectangle:
    """A chair that touches the table in the middle of one of its sides."""
    size = FURNITURE["chair"].size[0]
    side = int(rng.integers(4))
    x = _snap(table.centre[0] - 0.5 * size)
    y = _snap(table.centre[1] - 0.5 * size)
    if side == 0:
        y = table.y0 - size
    elif side == 1:
        y = table.y1
    elif side == 2:
        x = table.x0 - size
    else:
        x = table.x1
    return Rectangle(x0=x, y0=y, x1=x + size, y1=y + size)


def _fits(
    area: Rectangle,
    room: Room,
    doors: list[Door],
    others: list[Rectangle],
    *,
    is_at_wall: bool,
) -> bool:
    if any(area.gap(other) < _PASSAGE_M for other in others):
        return False
    if any(area.gap(door.area) < _DOOR_FREE_M for door in doors):
        return False
    floor = room.inside
    gaps = (area.x0 - floor.x0, floor.x1 - area.x1, area.y0 - floor.y0, floor.y1 - area.y1)
    if is_at_wall:  # against a wall, in a corner, or far enough to walk between
        return all(gap < 1e-9 or gap >= _PASSAGE_M for gap in gaps)
    return all(gap >= _PASSAGE_M - CELL_M for gap in gaps)


def _uniform(low: float, high: float, rng: np.random.Generator) -> float:
    return _snap(float(rng.uniform(low, high))) if high > low else _snap(low)


def _snap(value: float) -> float:
    return round(value / CELL_M) * CELL_M
