"""A scene as RViz shows it: boxes with names, grasps, what is held; what is gone is deleted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from malmm_ros.colors import COLORS
from malmm_ros.geometry import Pose
from malmm_ros.nodes.conversions import header, point_message, pose_message
from malmm_ros.perception import Grasp
from malmm_ros.scene import MAX_GRIPPER_WIDTH, Scene, SceneObject

BOXES, NAMES, GRASPS, CHOSEN, HELD = "objects", "names", "grasps", "chosen grasp", "held object"

_TEXT_HEIGHT = 0.025
_GRAY = (0.6, 0.6, 0.6)
_SEEN, _REMEMBERED = 0.85, 0.4  # opacity
_HAND_DEPTH = 0.04  # of a drawn hand, metres
_MOST_GRASPS = 30  # drawn per object, the best ones
_REPEATS = 10  # of a deletion
_EDGES = ((0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7))  # fmt: skip  # noqa: E501


class MarkerBoard:
    """Gives markers their numbers, and deletes those that are not shown any more.

    A marker keeps its number as long as it is shown; markers of one name have the same. Deletions
    are told several times, since only the last message is kept for who is slow or comes late.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shown: set[tuple[str, str]] = set()
        self._gone: dict[tuple[str, int], int] = {}
        self._next = 0

    def show(self, markers: Mapping[tuple[str, str], Marker], stamp_s: float) -> MarkerArray:
        """Show these and no others.

        Args:
            markers: By namespace and name.
            stamp_s: Of all of them.
        """
        for namespace, name in sorted(self._shown - set(markers)):
            self._gone[namespace, self._numbers[name]] = _REPEATS
        self._shown = set(markers)
        names = {name for _, name in self._shown}
        self._numbers = {name: self._numbers[name] for name in self._numbers if name in names}
        messages = [
            Marker(header=header(stamp_s), ns=namespace, id=number, action=Marker.DELETE)
            for namespace, number in self._gone
        ]
        self._gone = {key: left - 1 for key, left in self._gone.items() if left > 1}
        for (namespace, name), marker in markers.items():
            if name not in self._numbers:
                self._numbers[name] = self._next
                self._next += 1
            marker.header, marker.ns = header(stamp_s), namespace
            marker.id, marker.action = self._numbers[name], Marker.ADD
            self._gone.pop((namespace, marker.id), None)
            messages.append(marker)
        return MarkerArray(markers=messages)


def object_markers(scene: Scene) -> dict[tuple[str, str], Marker]:
    """Boxes in their colours, transparent where remembered only, with names above them."""
    markers: dict[tuple[str, str], Marker] = {}
    for item in scene.objects:
        markers[BOXES, item.name] = _box(item)
        markers[NAMES, item.name] = _name(item)
    return markers


def grasp_markers(
    scene: Scene, grasps: Mapping[str, Sequence[Grasp]]
) -> dict[tuple[str, str], Marker]:
    """Proposed grasps as thin hands, the chosen one of each object as a thick one."""
    markers: dict[tuple[str, str], Marker] = {}
    for item in scene.objects:
        proposed = sorted(grasps.get(item.name, ()), key=lambda grasp: -grasp.score)
        if proposed:
            lines = [_hand(grasp.tcp, grasp.width) for grasp in proposed[:_MOST_GRASPS]]
            color = ColorRGBA(r=0.2, g=0.4, b=0.9, a=0.5)
            markers[GRASPS, item.name] = _lines(np.concatenate(lines), 0.001, color)
        if item.grasp is not None:
            color = ColorRGBA(r=0.0, g=0.7, b=0.2, a=1.0)
            markers[CHOSEN, item.name] = _lines(_hand(item.grasp, MAX_GRIPPER_WIDTH), 0.004, color)
    return markers


def held_markers(scene: Scene) -> dict[tuple[str, str], Marker]:
    """The edges of what is in the hand."""
    held = scene.find(scene.gripper.held_object)
    if held is None:
        return {}
    corners = held.corners()
    edges = np.array([corners[index] for edge in _EDGES for index in edge])
    return {(HELD, held.name): _lines(edges, 0.004, ColorRGBA(r=1.0, g=0.6, b=0.0, a=1.0))}


def _box(item: SceneObject) -> Marker:
    marker = Marker(type=Marker.CUBE, pose=pose_message(item.pose))
    # RViz refuses a box without thickness.
    marker.scale.x, marker.scale.y, marker.scale.z = (max(1e-4, extent) for extent in item.size)
    red, green, blue = COLORS.get(item.color, _GRAY)
    alpha = _REMEMBERED if item.is_remembered else _SEEN
    marker.color = ColorRGBA(r=float(red), g=float(green), b=float(blue), a=alpha)
    return marker


def _name(item: SceneObject) -> Marker:
    text = f"{item.name} (held)" if item.is_held else item.name
    if item.is_remembered:
        text += " (remembered)"
    marker = Marker(type=Marker.TEXT_VIEW_FACING, text=text)
    x, y, _ = item.pose.position
    marker.pose.position = point_message((x, y, item.top_z + _TEXT_HEIGHT))
    marker.scale.z = _TEXT_HEIGHT
    marker.color = ColorRGBA(r=0.1, g=0.1, b=0.1, a=1.0)
    return marker


def _hand(tcp: Pose, width: float) -> NDArray[np.float64]:
    """Ends ``(8, 3)`` of the four lines of a hand: wrist, palm and two fingers."""
    half, back = 0.5 * width, -_HAND_DEPTH
    points = np.array(
        [
            *((0.0, 0.0, 2.0 * back), (0.0, 0.0, back)),
            *((0.0, -half, back), (0.0, half, back)),
            *((0.0, -half, back), (0.0, -half, 0.0)),
            *((0.0, half, back), (0.0, half, 0.0)),
        ]
    )
    return tcp.apply(points)


def _lines(ends: NDArray[np.float64], thickness: float, color: ColorRGBA) -> Marker:
    """Lines between each two of the points ``(2 N, 3)``; those that are not finite left out."""
    marker = Marker(type=Marker.LINE_LIST, color=color)
    marker.scale.x = thickness
    marker.pose.orientation.w = 1.0
    pairs = ends.reshape(-1, 2, 3)
    marker.points = [
        Point(x=float(x), y=float(y), z=float(z))
        for pair in pairs
        if math.isfinite(pair.sum())
        for x, y, z in pair
    ]
    return marker
