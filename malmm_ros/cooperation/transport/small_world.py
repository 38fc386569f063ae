"""Two rooms made by hand: for tests, and to put agents into a situation of one's choice.

A kitchen at the left with a table and a shelf, a bedroom at the right, a door between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.cooperation.transport.catalog import TaskName
from malmm_ros.cooperation.transport.episode import Episode, Start, Thing
from malmm_ros.cooperation.transport.floorplans import FloorPlan
from malmm_ros.cooperation.transport.layout import Furniture, Layout, Rectangle
from malmm_ros.errors import SimulationError

_PLAN = FloorPlan(
    name="two_rooms",
    rooms=(("Kitchen", 0.0, 0.0, 6.0, 5.0), ("Bedroom", 6.0, 0.0, 12.0, 5.0)),
    doors=((0, 1, 0.5),),
)
KITCHEN, BEDROOM = (room.name for room in _PLAN.named_rooms())
LAYOUT = Layout(
    name="two_rooms/0",
    rooms=_PLAN.named_rooms(),
    walls=_PLAN.walls(),
    doors=_PLAN.openings(),
    furniture=(
        Furniture(
            id=0, kind="table", room=KITCHEN, area=Rectangle(x0=2.0, y0=3.0, x1=3.375, y1=3.75)
        ),
        Furniture(
            id=1, kind="bed", room=BEDROOM, area=Rectangle(x0=9.5, y0=1.5, x1=11.5, y1=3.125)
        ),
        Furniture(
            id=2, kind="shelf", room=KITCHEN, area=Rectangle(x0=4.0, y0=1.0, x1=4.375, y1=2.0)
        ),
    ),
)


def thing(number: int, kind: str, x: float, y: float, z: float = 0.05) -> Thing:
    """Something that lies at a point; metres, the floor at z = 0.

    Raises:
        SimulationError: The point is outside.
    """
    return Thing(id=number, kind=kind, room=_room(x, y), position=(x, y, z))


def start(x: float, y: float, heading_deg: float = 0.0) -> Start:
    """Where an agent stands at first; 0° faces x, the bedroom.

    Raises:
        SimulationError: The point is outside.
    """
    return Start(room=_room(x, y), x=x, y=y, heading_deg=heading_deg)


def small_episode(
    things: Sequence[Thing], starts: Sequence[Start], *, task: TaskName = "food"
) -> Episode:
    """An episode in the two rooms; what of the task lies there are the targets."""
    return Episode(
        name="small/0",
        layout=LAYOUT,
        task=task,
        containers=0,
        things=tuple(things),
        starts=tuple(starts),
    )


def _room(x: float, y: float) -> str:
    room = LAYOUT.room_at(x, y)
    if room is None:
        raise SimulationError(f"({x}, {y}) is in no room")
    return room.name
