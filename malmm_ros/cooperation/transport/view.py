"""What an agent's camera shows: the transport world drawn by MuJoCo, only when somebody looks.

The drawing moves nothing and decides nothing; the world stays what it is without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import mujoco

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.layout import (
    WALL_HEIGHT_M,
    WALL_THICKNESS_M,
    Rectangle,
)
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.state import Body, Floor, ThingState
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import SimulationError
from malmm_ros.simulation.rendering import CameraRenderer, snapshot

# Low enough that the level camera does not see its own body.
_BODY_HEIGHT_M = 1.0
# Where hands are: ahead, to the left, up; below the own image's edge.
_HANDS_M = ((0.22, 0.16, 0.62), (0.22, -0.16, 0.62))
_CONTENT_OFFSETS_M = ((-0.08, 0.0), (0.04, 0.07), (0.04, -0.07), (0.0, 0.0))
_AGENT_COLORS = ("0.84 0.24 0.16", "0.16 0.35 0.82", "0.90 0.60 0.10", "0.50 0.24 0.66")
_FLOOR_COLORS = {
    "Kitchen": "0.86 0.80 0.66",
    "Livingroom": "0.70 0.62 0.50",
    "Office": "0.62 0.66 0.72",
    "Bedroom": "0.74 0.64 0.68",
    "Porch": "0.60 0.60 0.58",
}
_ROUND = ("apple", "orange", "burger")
_FLAT_ROUND = ("bowl", "plate")


class EgocentricView:
    """Draws one episode for its agents; give :meth:`look` to ``TransportWorld.use_camera``.

    An OpenGL context belongs to one thread: look and close in the thread that first looked.
    """

    def __init__(self, episode: Episode, agents: Sequence[str], rules: TransportRules) -> None:
        self._agents = tuple(agents)
        self._size_px = rules.image_px
        self._model = mujoco.MjModel.from_xml_string(_mjcf(episode, agents, rules))
        self._data = mujoco.MjData(self._model)
        self._renderer: CameraRenderer | None = None

    def look(self, world: TransportWorld, agent: str) -> RgbdImage:
        """Draw what an agent faces now.

        Returns:
            Square colour and depth; labels name the things as :func:`body_name` does.

        Raises:
            SimulationError: No such agent, or nothing can be drawn on this machine.
        """
        if agent not in self._agents:
            raise SimulationError(f"{agent} has no camera; there are {', '.join(self._agents)}")
        if self._renderer is None:
            size = self._size_px
            self._renderer = CameraRenderer(self._model, width_px=size, height_px=size)
        self._place(world.floor)
        return self._renderer.render(agent, snapshot(self._model, self._data), with_labels=True)

    def close(self) -> None:
        """Free the context."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _place(self, floor: Floor) -> None:
        for body in floor.bodies.values():
            self._move(body.name, (body.x, body.y, 0.0), body.heading)
            for thing, hand in zip(body.held, _HANDS_M, strict=True):
                if thing is not None:
                    self._place_thing(thing, _at_hand(body, hand), body.heading)
        for thing in floor.things.values():
            if thing.is_lying:
                self._place_thing(thing, thing.position, 0.0)

    def _place_thing(
        self, thing: ThingState, position: tuple[float, float, float], heading: float
    ) -> None:
        self._move(body_name(thing.kind, thing.id), position, heading)
        x, y, z = position
        for item, (dx, dy) in zip(thing.contents, _CONTENT_OFFSETS_M, strict=False):
            inside = (x + dx, y + dy, z + 0.5 * THINGS[item.kind].size[2])
            self._move(body_name(item.kind, item.id), inside, heading)

    def _move(self, name: str, position: tuple[float, float, float], heading: float) -> None:
        index = self._model.body(name).mocapid[0]
        self._data.mocap_pos[index] = position
        self._data.mocap_quat[index] = (math.cos(0.5 * heading), 0, 0, math.sin(0.5 * heading))


def body_name(kind: str, number: int) -> str:
    """What labels call a thing or a piece of furniture: ``"apple (103)"``."""
    return f"{kind} ({number})"


def _at_hand(body: Body, hand: tuple[float, float, float]) -> tuple[float, float, float]:
    ahead, left, up = hand
    cosine, sine = math.cos(body.heading), math.sin(body.heading)
    return (body.x + ahead * cosine - left * sine, body.y + ahead * sine + left * cosine, up)


def _mjcf(episode: Episode, agents: Sequence[str], rules: TransportRules) -> str:
    layout = episode.layout
    floors = "".join(
        _box_geom(room.area, -0.02, 0.0, _FLOOR_COLORS[room.kind]) for room in layout.rooms
    )
    walls = "".join(
        _box_geom(wall.area, 0.0, WALL_HEIGHT_M, "0.88 0.87 0.83") for wall in layout.walls
    )
    furniture = "".join(
        f"<body name={quoteattr(body_name(piece.kind, piece.id))}>"
        f"{_box_geom(piece.area, 0.0, piece.height, _color(FURNITURE[piece.kind].color))}</body>"
        for piece in layout.furniture
    )
    things = "".join(_thing_body(thing.kind, thing.id) for thing in episode.things)
    bodies = "".join(
        _agent_body(name, _AGENT_COLORS[index % len(_AGENT_COLORS)], rules)
        for index, name in enumerate(agents)
    )
    ceiling = _box_geom(
        layout.bounds.grown(WALL_THICKNESS_M),
        WALL_HEIGHT_M,
        WALL_HEIGHT_M + 0.05,
        "0.93 0.93 0.93",
    )
    x, y = layout.bounds.centre
    size = rules.image_px
    return (
        f'<mujoco><statistic center="{x} {y} 1" extent="1"/>'
        f'<visual><map znear="0.02" zfar="60"/><global offwidth="{size}" offheight="{size}"/>'
        '<headlight ambient="0.55 0.55 0.55" diffuse="0.45 0.45 0.45" specular="0 0 0"/>'
        '<quality shadowsize="0"/></visual><worldbody>'
        f'<body name="floor">{floors}</body><body name="wall">{walls}</body>'
        f'<body name="ceiling">{ceiling}</body>{furniture}{things}{bodies}</worldbody></mujoco>'
    )


def _box_geom(area: Rectangle, low: float, high: float, color: str) -> str:
    x, y = area.centre
    half = (0.5 * (area.x1 - area.x0), 0.5 * (area.y1 - area.y0), 0.5 * (high - low))
    return (
        f'<geom type="box" contype="0" conaffinity="0" pos="{x} {y} {0.5 * (low + high)}" '
        f'size="{half[0]} {half[1]} {half[2]}" rgba="{color} 1"/>'
    )


def _thing_body(kind: str, number: int) -> str:
    thing = THINGS[kind]
    length, width, height = (0.5 * value for value in thing.size)
    if kind in _ROUND:
        shape = f'type="ellipsoid" size="{length} {width} {height}"'
    elif kind in _FLAT_ROUND:
        shape = f'type="cylinder" size="{length} {height}"'
    else:
        shape = f'type="box" size="{length} {width} {height}"'
    # Where it is placed before it is first seen does not matter: below the floor.
    return (
        f'<body name={quoteattr(body_name(kind, number))} mocap="true" pos="0 0 -5">'
        f'<geom {shape} contype="0" conaffinity="0" rgba="{_color(thing.color)} 1"/></body>'
    )


def _agent_body(name: str, color: str, rules: TransportRules) -> str:
    half = 0.5 * _BODY_HEIGHT_M
    return (
        f'<body name={quoteattr(name)} mocap="true">'
        f'<geom type="cylinder" size="{rules.radius_m} {half}" pos="0 0 {half}" '
        f'contype="0" conaffinity="0" rgba="{color} 1"/>'
        f'<geom type="box" size="0.03 0.08 0.05" pos="{rules.radius_m} 0 0.8" '
        'contype="0" conaffinity="0" rgba="0.1 0.1 0.1 1"/>'
        f'<camera name={quoteattr(name)} pos="0 0 {rules.eye_m}" xyaxes="0 -1 0 0 0 1" '
        f'fovy="{rules.field_of_view_deg}"/></body>'
    )


def _color(color: tuple[float, float, float]) -> str:
    return " ".join(f"{value:.3f}" for value in color)
