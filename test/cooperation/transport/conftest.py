from __future__ import annotations

from collections.abc import Callable

import pytest

from malmm_ros.cooperation.transport.episode import Episode, Start, Thing
from malmm_ros.cooperation.transport.floorplans import FloorPlan
from malmm_ros.cooperation.transport.layout import Furniture, Layout, Rectangle

PLAN = FloorPlan(
    name="two_rooms",
    rooms=(("Kitchen", 0.0, 0.0, 6.0, 5.0), ("Bedroom", 6.0, 0.0, 12.0, 5.0)),
    doors=((0, 1, 0.5),),
)
TABLE = Furniture(
    id=0, kind="table", room="<Kitchen> (1000)", area=Rectangle(x0=2.0, y0=3.0, x1=3.375, y1=3.75)
)
BED = Furniture(
    id=1, kind="bed", room="<Bedroom> (2000)", area=Rectangle(x0=9.5, y0=1.5, x1=11.5, y1=3.125)
)
SHELF = Furniture(
    id=2, kind="shelf", room="<Kitchen> (1000)", area=Rectangle(x0=4.0, y0=1.0, x1=4.375, y1=2.0)
)
LAYOUT = Layout(
    name="two_rooms/0",
    rooms=PLAN.named_rooms(),
    walls=PLAN.walls(),
    doors=PLAN.openings(),
    furniture=(TABLE, BED, SHELF),
)
EpisodeMaker = Callable[..., Episode]


def thing(number: int, kind: str, x: float, y: float, z: float = 0.05) -> Thing:
    room = LAYOUT.room_at(x, y)
    assert room is not None
    return Thing(id=number, kind=kind, room=room.name, position=(x, y, z))


def start(x: float, y: float, heading_deg: float = 0.0) -> Start:
    room = LAYOUT.room_at(x, y)
    assert room is not None
    return Start(room=room.name, x=x, y=y, heading_deg=heading_deg)


@pytest.fixture
def make_episode() -> EpisodeMaker:
    """A kitchen at the left (table, shelf) and a bedroom at the right, a door between."""

    def make(
        things: tuple[Thing, ...] = (thing(100, "apple", 2.0, 1.0),),
        starts: tuple[Start, ...] = (start(1.0, 1.0), start(1.0, 2.0)),
    ) -> Episode:
        return Episode(
            name="test/hand", layout=LAYOUT, task="food", containers=0, things=things,
            starts=starts,
        )  # fmt: skip

    return make
