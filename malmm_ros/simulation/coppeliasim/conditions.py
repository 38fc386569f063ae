"""What success asks for: geometry on the objects' poses, or the scene's own sensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from malmm_ros.scene import GripperState
from malmm_ros.simulation.coppeliasim.bodies import Bodies
from malmm_ros.simulation.coppeliasim.description import Condition
from malmm_ros.simulation.coppeliasim.session import Session

# Between neighbours in a tower: centres seen from above, and off the height that they should have.
_COLUMN_RADIUS, _HEIGHT_TOLERANCE = 0.03, 0.012
# A hand that is not open holds what reaches this near to its tool point.
_GRASP_RADIUS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Decides on a task's conditions.

    Attributes:
        sensors: Handles of proximity sensors by path.
    """

    conditions: tuple[Condition, ...]
    session: Session
    bodies: Bodies
    sensors: Mapping[str, int]

    def verdict(self, gripper: GripperState) -> tuple[bool, str]:
        """Whether all hold and the objects rest, and what is missing."""
        said = []
        for condition in self.conditions:
            holds, text = _CHECKS[condition.kind](self, condition, gripper)
            if not holds:
                return False, text
            said.append(text)
        for name in dict.fromkeys(name for item in self.conditions for name in item.objects):
            if not self.bodies.speed(name).is_rest:
                return False, f"{name} still moves"
        return True, "; ".join(said)


def _within(judge: Judge, condition: Condition, _: GripperState) -> tuple[bool, str]:
    frame = judge.bodies.pose(condition.of).inverse()
    inside, outside = [], ""
    for name in condition.objects:
        offset = (frame @ judge.bodies.pose(name)).position
        off = [value - middle for value, middle in zip(offset, condition.center, strict=True)]
        if all(abs(value) <= half for value, half in zip(off, condition.half, strict=True)):
            inside.append(name)
        else:
            outside = (
                f"{name} is {math.hypot(off[0], off[1]):.3f} m beside and {off[2]:+.3f} m above "
                f"its place at {condition.of}"
            )
    holds = len(inside) >= (condition.count or len(condition.objects))
    return holds, f"{', '.join(inside)} at {condition.of}" if holds else outside


def _stacked(judge: Judge, condition: Condition, _: GripperState) -> tuple[bool, str]:
    area, bodies = condition.of, judge.bodies
    top = bodies.pose(area).position[2] + 0.5 * bodies.size(area)[2]
    width, length, _height = bodies.size(area)
    frame = bodies.pose(area).inverse()
    column: list[str] = []
    rest = list(condition.objects)
    below: tuple[float, float] | None = None
    while True:
        found = ""
        for name in rest:
            pose, half = bodies.pose(name), 0.5 * bodies.size(name)[2]
            x, y, z = pose.position
            local = (frame @ pose).position
            over_area = abs(local[0]) <= 0.5 * width and abs(local[1]) <= 0.5 * length
            near = below is None or math.hypot(x - below[0], y - below[1]) <= _COLUMN_RADIUS
            if over_area and near and abs(z - half - top) <= _HEIGHT_TOLERANCE:
                found, below, next_top = name, (x, y), z + half
                break
        if not found:
            break
        column.append(found)
        rest.remove(found)
        top = next_top
    needed = condition.count or len(condition.objects)
    if len(column) >= needed:
        return True, f"{len(column)} stand on {area}: {', '.join(column)}"
    return False, f"{len(column)} of {needed} stand in a column on {area}"


def _detected(judge: Judge, condition: Condition, _: GripperState) -> tuple[bool, str]:
    sensor = judge.sensors[condition.sensor]
    seen = [name for name in condition.objects if _is_seen(judge, sensor, name)]
    needed = condition.count or len(condition.objects)
    where = f"by the scene's sensor {condition.sensor}"
    if len(seen) >= needed:
        return True, f"{', '.join(seen)} detected {where}"
    return False, f"{len(seen)} of {needed} detected {where}"


def _is_seen(judge: Judge, sensor: int, name: str) -> bool:
    answer = judge.session.call("checkProximitySensor", sensor, judge.bodies.handle(name))
    return int(answer[0] if isinstance(answer, tuple | list) else answer) > 0


def _nothing_grasped(judge: Judge, _: Condition, gripper: GripperState) -> tuple[bool, str]:
    if gripper.is_open:
        return True, "nothing is grasped"
    for name, item in judge.bodies.items.items():
        if item.is_fixed:
            continue
        local = (judge.bodies.pose(name).inverse() @ gripper.tcp).position
        beyond = [
            max(0.0, abs(value) - 0.5 * extent)
            for value, extent in zip(local, judge.bodies.size(name), strict=True)
        ]
        if math.hypot(*beyond) <= _GRASP_RADIUS:
            return False, f"the hand still holds {name}"
    return True, "nothing is grasped"


_CHECKS: dict[str, Callable[[Judge, Condition, GripperState], tuple[bool, str]]] = {
    "within": _within,
    "stacked": _stacked,
    "detected": _detected,
    "nothing_grasped": _nothing_grasped,
}
