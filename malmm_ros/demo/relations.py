"""Plain geometry between two objects: on, left of, behind, beside; from poses alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from malmm_ros.robots.contact import part_at_tool
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject

_CONTACT = 0.012  # m between faces that touch
_MOVED = 0.01  # m
_LIFTED = 0.03  # m above the table
_NEAR = 0.15  # m between the faces of neighbours
_DISTANCE_ERROR = 0.02  # m from a distance that was asked for
# World frame: x away from the robot, y to its left.
_WAYS = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0),
         "back": (1.0, 0.0)}  # fmt: skip


def was_moved(name: str, before: Scene, after: Scene) -> bool:
    """Whether an object is elsewhere than it was."""
    start, end = before.find(name), after.find(name)
    if start is None or end is None:
        return start is not end
    return math.dist(start.pose.position, end.pose.position) > _MOVED


def shifted_by(name: str, way: str, distance: float, before: Scene, after: Scene) -> bool:
    """Whether an object moved so far, metres, that way and stands on the table."""
    start, end = before.find(name), after.find(name)
    if start is None or end is None or not _is_on_table(end):
        return False
    dx, dy = (end.pose.position[i] - start.pose.position[i] for i in (0, 1))
    wx, wy = _WAYS[way]
    return math.hypot(dx - distance * wx, dy - distance * wy) <= _DISTANCE_ERROR


def is_lifted(item: SceneObject, scene: Scene) -> bool:
    """Whether an object is between closed fingers and off the table; poses say no more."""
    if part_at_tool(item, scene.gripper.tcp) is None or scene.gripper.is_open:
        return False
    return item.bottom_z > TABLE_TOP_Z + _LIFTED


def is_on_side_of_table(item: SceneObject, side: str) -> bool:
    """Whether an object is clearly on one side of the middle of the table."""
    wx, wy = _WAYS[side]
    x, y = item.pose.position[0] - 0.25, item.pose.position[1]
    return wx * x + wy * y > 0.05


def holds_between(
    item: SceneObject, relation: str, anchor: SceneObject | None, scene: Scene,
    *, distance: float | None,
) -> bool:  # fmt: skip
    """Whether an object stands in a relation to another.

    Args:
        item: What was moved.
        relation: ``on``, ``over``, ``left``, ``right``, ``front``, ``behind`` or ``beside``.
        anchor: ``None``: the table.
        scene: For what stands below the object.
        distance: Between the faces, metres, when the sentence said one.
    """
    if anchor is None:
        return relation == "on" and _is_on_table(item) and not _below(item, scene)
    if item.name == anchor.name:
        return False
    if relation == "over" and distance is not None:
        is_above = _is_over(item, anchor)
        return is_above and abs(item.bottom_z - anchor.top_z - distance) <= _DISTANCE_ERROR
    if relation in ("on", "over"):
        return _stands_on(item, anchor, scene)
    if not _is_on_table(item):
        return False
    gap = _gap(item, anchor)
    if gap < -0.002 or not _is_near(gap, distance):
        return False
    if relation == "beside":
        return True
    wx, wy = _WAYS[relation]
    dx, dy = (item.pose.position[i] - anchor.pose.position[i] for i in (0, 1))
    return dx * wx + dy * wy > abs(dx * wy) + abs(dy * wx)


def _is_near(gap: float, distance: float | None) -> bool:
    return gap <= _NEAR if distance is None else abs(gap - distance) <= _DISTANCE_ERROR


def tower_bases(
    blocks: Sequence[SceneObject], scene: Scene, count: int, *, is_exact: bool,
    colors: Sequence[str] = (),
) -> list[SceneObject]:  # fmt: skip
    """The lowest blocks of towers of so many, one straight on the other.

    Args:
        blocks: Of which the tower may consist.
        scene: A block of another kind within a tower spoils it, when the number is exact.
        count: Of levels, the least or exactly.
        is_exact: Nothing may be on top.
        colors: All of which must be in the tower.
    """
    found = []
    for base in blocks:
        if not _is_on_table(base):
            continue
        tower = [base]
        while above := [item for item in scene.objects if _rests(item, tower[-1])]:
            tower.append(above[0])
        own = [item for item in tower if item in blocks]
        is_right = len(own) == len(tower) == count if is_exact else len(own) >= count
        if is_right and all(any(color == item.color for item in tower) for color in colors):
            found.append(base)
    return found


def _rests(item: SceneObject, lower: SceneObject) -> bool:
    """Whether an object stands on another, its middle over it."""
    if item.name == lower.name or abs(item.bottom_z - lower.top_z) > _CONTACT:
        return False
    return item.pose.position[2] > lower.pose.position[2] and _is_over(item, lower)


def _below(item: SceneObject, scene: Scene) -> list[SceneObject]:
    return [other for other in scene.objects if _rests(item, other)]


def _stands_on(item: SceneObject, anchor: SceneObject, scene: Scene) -> bool:
    """Directly, or on a tower whose lowest block does when the anchor is a flat area."""
    if _rests(item, anchor):
        return True
    is_area = anchor.size[2] < 0.012
    return is_area and any(
        _stands_on(o, anchor, scene) for o in _below(item, scene) if o != anchor
    )


def _is_on_table(item: SceneObject) -> bool:
    """At the table's height; a flat area below makes no difference."""
    return abs(item.bottom_z - TABLE_TOP_Z) <= _CONTACT


def _is_over(item: SceneObject, lower: SceneObject) -> bool:
    x, y = _local(item, lower)
    return abs(x) <= 0.5 * lower.size[0] and abs(y) <= 0.5 * lower.size[1]


def _gap(item: SceneObject, anchor: SceneObject) -> float:
    """Between the faces as seen from above, metres, to a few millimetres; negative: overlap."""
    x, y = _local(item, anchor)
    turn = item.pose.yaw - anchor.pose.yaw
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    half_x = 0.5 * (c * item.size[0] + s * item.size[1])
    half_y = 0.5 * (s * item.size[0] + c * item.size[1])
    gaps = (abs(x) - 0.5 * anchor.size[0] - half_x, abs(y) - 0.5 * anchor.size[1] - half_y)
    return math.hypot(*gaps) if min(gaps) > 0.0 else max(gaps)


def _local(item: SceneObject, anchor: SceneObject) -> tuple[float, float]:
    """The item's middle in the anchor's frame, seen from above, metres."""
    dx, dy = (item.pose.position[i] - anchor.pose.position[i] for i in (0, 1))
    c, s = math.cos(anchor.pose.yaw), math.sin(anchor.pose.yaw)
    return (c * dx + s * dy, -s * dx + c * dy)
