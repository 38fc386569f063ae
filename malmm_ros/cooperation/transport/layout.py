"""A furnished floor: rooms, walls with door openings, furniture; metres, x right, y up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from malmm_ros.configuration import from_mapping
from malmm_ros.cooperation.transport.catalog import FURNITURE, RoomKind

WALL_HEIGHT_M = 3.0
WALL_THICKNESS_M = 0.25
CELL_M = 0.125

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle:
    """Parallel to the axes."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def centre(self) -> Point:
        """Its middle."""
        return (0.5 * (self.x0 + self.x1), 0.5 * (self.y0 + self.y1))

    def contains(self, x: float, y: float) -> bool:
        """Whether a point is inside or on the edge."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def distance(self, x: float, y: float) -> float:
        """From a point to the nearest point of it; 0 inside."""
        return math.hypot(max(self.x0 - x, 0.0, x - self.x1), max(self.y0 - y, 0.0, y - self.y1))

    def gap(self, other: Rectangle) -> float:
        """Free room between two of them; 0 where they touch or overlap."""
        return math.hypot(
            max(self.x0 - other.x1, 0.0, other.x0 - self.x1),
            max(self.y0 - other.y1, 0.0, other.y0 - self.y1),
        )

    def grown(self, margin: float) -> Rectangle:
        """Larger by a margin on every side; smaller if it is negative."""
        return Rectangle(
            x0=self.x0 - margin, y0=self.y0 - margin, x1=self.x1 + margin, y1=self.y1 + margin
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One room.

    Attributes:
        name: As agents call it, ``"<Kitchen> (1000)"``.
        area: Up to the middle of its walls.
    """

    name: str
    kind: RoomKind
    area: Rectangle

    @property
    def inside(self) -> Rectangle:
        """The floor between its walls."""
        return self.area.grown(-0.5 * WALL_THICKNESS_M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    """A piece of wall between corners and door frames."""

    area: Rectangle


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """An opening, as deep as the wall, between two rooms."""

    rooms: tuple[str, str]
    area: Rectangle


@dataclass(frozen=True, slots=True, kw_only=True)
class Furniture:
    """A solid box on the floor.

    Attributes:
        id: Number that observations call it by.
    """

    id: int
    kind: str
    room: str
    area: Rectangle

    @property
    def height(self) -> float:
        """Of its top, metres."""
        return FURNITURE[self.kind].size[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A floor plan with its furniture.

    Attributes:
        name: Plan and layout, ``"plan_1/0"``.
    """

    name: str
    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    doors: tuple[Door, ...]
    furniture: tuple[Furniture, ...]

    @property
    def bounds(self) -> Rectangle:
        """Around all walls."""
        areas = [wall.area for wall in self.walls]
        return Rectangle(
            x0=min(area.x0 for area in areas),
            y0=min(area.y0 for area in areas),
            x1=max(area.x1 for area in areas),
            y1=max(area.y1 for area in areas),
        )

    @property
    def bed(self) -> Furniture:
        """The one bed, where targets are brought."""
        return next(piece for piece in self.furniture if piece.kind == "bed")

    def room_at(self, x: float, y: float) -> Room | None:
        """The room of a point; in a door, one of the two; ``None`` outside."""
        return next((room for room in self.rooms if room.area.contains(x, y)), None)

    def room(self, name: str) -> Room:
        """A room by its name."""
        return next(room for room in self.rooms if room.name == name)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Layout:
        """Read it back.

        Raises:
            ConfigurationError: It does not fit.
        """
        return from_mapping(cls, values, where="layout")
