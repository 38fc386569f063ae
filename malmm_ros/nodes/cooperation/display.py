"""What RViz shows of the flat: walls and furniture once, agents and things as they move."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from malmm_ros.cooperation.naming import namespace_of
from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS
from malmm_ros.cooperation.transport.layout import WALL_HEIGHT_M, Layout, Rectangle
from malmm_ros.cooperation.transport.state import Body, ThingState
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.nodes.conversions import header, seconds
from malmm_ros.nodes.markers import MarkerBoard
from malmm_ros.nodes.qos import LATCHED

WALLS, FURNISHING, ROOMS = "walls", "furniture", "rooms"
THINGS_SHOWN, AGENTS, CARRIED, SPOKEN = "things", "agents", "carried", "spoken"

_AGENT_HEIGHT_M = 1.2
# How long what somebody said stays above its head.
_SPOKEN_FRAMES = 90
_AGENT_COLORS = ((0.84, 0.24, 0.16), (0.16, 0.35, 0.82), (0.90, 0.59, 0.08), (0.51, 0.24, 0.67))
_WALL_COLOR = (0.45, 0.47, 0.52)
_OTHER_COLOR, _DELIVERED_COLOR = (0.6, 0.6, 0.6), (0.12, 0.59, 0.24)
_INK = (0.1, 0.1, 0.12)

Markers = dict[tuple[str, str], Marker]


class WorldDisplay:
    """Publishes ``flat_markers`` once an episode, ``cooperation_markers`` and ``/tf`` as it goes.

    Args:
        node: Ours.
        rate_hz: How often at most, wall time.
    """

    def __init__(self, node: Node, *, rate_hz: float) -> None:
        self._node, self._period_s = node, 1.0 / rate_hz
        self._shown_s = -math.inf
        self._flat = node.create_publisher(MarkerArray, "flat_markers", LATCHED)
        self._moving = node.create_publisher(MarkerArray, "cooperation_markers", LATCHED)
        self._frames = node.create_publisher(TFMessage, "/tf", 100)
        self._boards = (MarkerBoard(), MarkerBoard())

    def begin(self, world: TransportWorld) -> None:
        """Show another flat."""
        markers = flat_markers(world.episode.layout)
        self._flat.publish(self._boards[0].show(markers, self._now_s()))
        self.show(world, is_forced=True)

    def show(self, world: TransportWorld, *, is_forced: bool = False) -> None:
        """Show this moment, unless the last one is too fresh."""
        now_s = time.monotonic()
        if not is_forced and now_s - self._shown_s < self._period_s:
            return
        self._shown_s, stamp_s = now_s, self._now_s()
        self._frames.publish(TFMessage(transforms=agent_frames(world, stamp_s)))
        if is_forced or self._moving.get_subscription_count():
            self._moving.publish(self._boards[1].show(moving_markers(world), stamp_s))

    def _now_s(self) -> float:
        return seconds(self._node.get_clock().now().to_msg())


def agent_frames(world: TransportWorld, stamp_s: float) -> list[TransformStamped]:
    """From ``world`` to each ``alice/base``: on the floor, x ahead, z up."""
    frames = []
    for name, body in world.floor.bodies.items():
        frame = TransformStamped(
            header=header(stamp_s), child_frame_id=f"{namespace_of(name)}/base"
        )
        frame.transform.translation.x = body.x
        frame.transform.translation.y = body.y
        frame.transform.rotation.z = math.sin(0.5 * body.heading)
        frame.transform.rotation.w = math.cos(0.5 * body.heading)
        frames.append(frame)
    return frames


def flat_markers(layout: Layout) -> Markers:
    """What never moves in an episode."""
    markers: Markers = {}
    for index, wall in enumerate(layout.walls):
        # Low enough to look over.
        markers[WALLS, f"wall {index}"] = _box(
            wall.area, 0.4 * WALL_HEIGHT_M, _WALL_COLOR, alpha=0.6
        )
    for piece in layout.furniture:
        color = FURNITURE[piece.kind].color
        markers[FURNISHING, f"furniture {piece.id}"] = _box(piece.area, piece.height, color)
    for room in layout.rooms:
        x, y = room.area.centre
        markers[ROOMS, room.name] = _text(room.name, (x, y, 0.1), height=0.35)
    return markers


def moving_markers(world: TransportWorld) -> Markers:
    """Agents, what they carry and say, and what lies around."""
    markers: Markers = {}
    for thing in world.floor.things.values():
        if thing.is_lying:
            markers[THINGS_SHOWN, f"thing {thing.id}"] = _thing(thing, thing.position, thing)
    words = _recent_words(world)
    for body, color in zip(world.floor.bodies.values(), _AGENT_COLORS, strict=False):
        markers[AGENTS, f"body {body.name}"] = _body(body, color, world.rules.radius_m)
        markers[AGENTS, f"name {body.name}"] = _text(
            body.name, (body.x, body.y, _AGENT_HEIGHT_M + 0.25), height=0.3, color=color
        )
        for arm, held in enumerate(body.held):
            if held is not None:
                markers.update(_held(body, arm, held))
        if body.name in words:
            markers[SPOKEN, f"words {body.name}"] = _text(
                words[body.name], (body.x, body.y, _AGENT_HEIGHT_M + 0.6), height=0.2
            )
    return markers


def _recent_words(world: TransportWorld) -> Mapping[str, str]:
    return {
        item.message.sender: item.message.text
        for item in world.sent
        if world.frame - item.message.frame <= _SPOKEN_FRAMES
    }


def _held(body: Body, arm: int, thing: ThingState) -> Markers:
    """What a hand holds, beside the body, and what lies in it, above it."""
    side = 1.0 if arm == 0 else -1.0
    x = body.x - side * 0.3 * math.sin(body.heading)
    y = body.y + side * 0.3 * math.cos(body.heading)
    markers = {(CARRIED, f"thing {thing.id}"): _thing(thing, (x, y, 0.9), thing)}
    for index, item in enumerate(thing.contents):
        place = (x, y, 1.05 + 0.15 * index)
        markers[CARRIED, f"thing {item.id}"] = _thing(item, place, thing)
    return markers


def _body(body: Body, color: tuple[float, float, float], radius_m: float) -> Marker:
    marker = Marker(type=Marker.CYLINDER, color=_color(color))
    marker.pose.position.x, marker.pose.position.y = body.x, body.y
    marker.pose.position.z = 0.5 * _AGENT_HEIGHT_M
    marker.pose.orientation.w = 1.0
    marker.scale.x = marker.scale.y = 2.0 * radius_m
    marker.scale.z = _AGENT_HEIGHT_M
    return marker


def _thing(thing: ThingState, place: tuple[float, float, float], outer: ThingState) -> Marker:
    color = THINGS[thing.kind].color
    if thing.category == "other":
        color = _OTHER_COLOR
    elif outer.is_delivered:
        color = _DELIVERED_COLOR
    marker = Marker(type=Marker.CUBE, color=_color(color))
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = place
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y, marker.scale.z = THINGS[thing.kind].size
    return marker


def _box(
    area: Rectangle, height: float, color: tuple[float, float, float], *, alpha: float = 1.0
) -> Marker:
    marker = Marker(type=Marker.CUBE, color=_color(color, alpha))
    marker.pose.position.x, marker.pose.position.y = area.centre
    marker.pose.position.z = 0.5 * height
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y = area.x1 - area.x0, area.y1 - area.y0
    marker.scale.z = height
    return marker


def _text(
    text: str,
    place: tuple[float, float, float],
    *,
    height: float,
    color: tuple[float, float, float] = _INK,
) -> Marker:
    marker = Marker(type=Marker.TEXT_VIEW_FACING, text=text, color=_color(color))
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = place
    marker.pose.orientation.w = 1.0
    marker.scale.z = height
    return marker


def _color(color: tuple[float, float, float], alpha: float = 1.0) -> ColorRGBA:
    red, green, blue = color
    return ColorRGBA(r=float(red), g=float(green), b=float(blue), a=alpha)
