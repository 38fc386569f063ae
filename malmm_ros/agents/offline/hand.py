"""How the hand can take an object or let go of it: yaws, heights, room for the fingers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.naming import is_container
from malmm_ros.geometry import Vector3, wrap_angle
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject, Workspace

GRASPABLE = 0.075  # m; what the fingers close on, as the prompts state it
FINGERTIP = 0.009  # m; past the tool point
CLEARANCE = 0.010  # m; least height of the tool point over a surface
FINGER_DEPTH = 0.035  # m; between the tool point and what would meet the palm
SAFE_HEIGHT = 0.10
_OPENING = 0.08
_FINGER = (0.012, 0.010)  # m; half extents across and along the closing direction
_PALM = (0.032, 0.102)
_EDGE = 0.001
_OFF_CENTER = 0.010  # m; the fingers still close on what lies that far off


@dataclass(frozen=True, slots=True, kw_only=True)
class Grasp:
    """A pose of the tool point; ``conflicts`` names what the open hand would touch there."""

    position: Vector3
    yaw: float
    conflicts: tuple[str, ...] = ()


def grasps(item: SceneObject, scene: Scene) -> list[Grasp]:
    """Ways to take an object, best first; empty when it is too wide for the hand."""
    options: list[Grasp] = []
    if item.grasp is not None:
        x, y, z = item.grasp.position
        options.append(_grasp(item, (x, y, z), _near_zero(item.grasp.yaw), scene))
    x, y = _within_workspace(item)
    position = (x, y, grasp_height(item))
    found = [_grasp(item, position, yaw, scene) for yaw in _closing_yaws(item)]
    found.sort(key=lambda option: (len(option.conflicts), abs(option.yaw)))
    # The same grips with the hand turned round: other joint angles, when these fail.
    turned = [_grasp(item, o.position, wrap_angle(o.yaw + math.pi), scene) for o in found]
    return [*options, *found, *turned]


def _within_workspace(item: SceneObject) -> layout.Point:
    """The object's middle, or up to a centimetre beside it where that is out of bounds."""
    space = Workspace()
    x, y = layout.center(item)
    inside = (
        min(max(x, space.low[0] + _EDGE), space.high[0] - _EDGE),
        min(max(y, space.low[1] + _EDGE), space.high[1] - _EDGE),
    )
    return inside if layout.distance(inside, (x, y)) <= _OFF_CENTER else (x, y)


def grasp_height(item: SceneObject) -> float:
    """Height of the tool point: the middle, but off the surface and clear of the palm."""
    middle = item.pose.position[2]
    # What is sensed a little too low still does not lie in the table.
    floor = max(layout.bottom_z(item), TABLE_TOP_Z) + CLEARANCE
    return max(middle, layout.top_z(item) - FINGER_DEPTH, floor)


def _closing_yaws(item: SceneObject) -> list[float]:
    width, length, _ = item.size
    if item.yaw_symmetry == 0:
        if width > GRASPABLE:
            return []
        return [0.0, 0.25 * math.pi, -0.25 * math.pi, 0.5 * math.pi]
    yaws: list[float] = []
    if length <= GRASPABLE:
        yaws.append(_near_zero(item.pose.yaw))
    if width <= GRASPABLE:
        yaws.append(_near_zero(item.pose.yaw + 0.5 * math.pi))
    return yaws


def _near_zero(yaw: float) -> float:
    """The equivalent grip nearest to yaw 0: the hand repeats every half turn."""
    return wrap_angle(yaw, math.pi)


def _grasp(item: SceneObject, position: Vector3, yaw: float, scene: Scene) -> Grasp:
    walls = [other.name for other in scene.objects if is_container(other)]
    found = hand_conflicts(position, yaw, scene, ignore=[item.name, *walls])
    return Grasp(position=position, yaw=yaw, conflicts=tuple(one.name for one in found))


def hand_conflicts(
    position: Vector3, yaw: float, scene: Scene, *, ignore: Sequence[str]
) -> list[SceneObject]:
    """Bodies that the open hand would touch at a pose of the tool point."""
    x, y, z = position
    found: dict[str, SceneObject] = {}
    for side in (-1.0, 1.0):
        reach = side * (0.5 * _OPENING + _FINGER[1])
        middle = (x - reach * math.sin(yaw), y + reach * math.cos(yaw))
        shape = layout.rectangle(middle, half=_FINGER, yaw=yaw)
        for item in layout.obstacles_at(shape, (z - FINGERTIP, z + 0.05), scene, ignore=ignore):
            found[item.name] = item
    palm = layout.rectangle((x, y), half=_PALM, yaw=yaw)
    for item in layout.obstacles_at(palm, (z + FINGER_DEPTH, z + 0.15), scene, ignore=ignore):
        found[item.name] = item
    return list(found.values())


def placing_yaws(held: SceneObject, tool_yaw: float, wanted: Sequence[float]) -> list[float]:
    """Yaws of the tool that turn a held object to one of the wanted yaws, nearest to 0 first."""
    period = 2.0 * math.pi / held.yaw_symmetry if held.yaw_symmetry else 2.0 * math.pi
    turns = max(held.yaw_symmetry, 1)
    relative = held.pose.yaw - tool_yaw if held.yaw_symmetry else 0.0
    yaws = {
        round(wrap_angle(yaw - relative + index * period), 3)
        for yaw in wanted
        for index in range(turns)
    }
    return sorted(yaws, key=lambda yaw: (round(abs(yaw), 2), yaw))


def safe_height(
    start: layout.Point, end: layout.Point, scene: Scene, *, ignore: Sequence[str]
) -> float:
    """Height that is free above everything near the straight way between two points."""
    middle = (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]))
    heading = math.atan2(end[1] - start[1], end[0] - start[0])
    half = (0.5 * layout.distance(start, end) + 0.08, 0.10)
    shape = layout.rectangle(middle, half=half, yaw=heading)
    near = layout.obstacles_at(shape, (0.0, 3.0), scene, ignore=ignore)
    return max((layout.top_z(item) for item in near), default=0.0)
