"""Physical conditions that several tasks ask for."""

from __future__ import annotations

import math

from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.tasks.task import Evidence

_HEIGHT_TOLERANCE = 0.008
_TILT_TOLERANCE = math.radians(8.0)


def is_within(evidence: Evidence, name: str, area: Prop) -> bool:
    """Whether an object's centre is over a flat area."""
    pose = evidence.pose(area.name).inverse() @ evidence.pose(name)
    width, length, _ = area.item.size
    return abs(pose.position[0]) <= 0.5 * width and abs(pose.position[1]) <= 0.5 * length


def stands_at_level(evidence: Evidence, prop: Prop, level: int) -> bool:
    """Whether a cube stands flat on a side, ``level`` cubes of its size above the table."""
    pose = evidence.pose(prop.name)
    edge = prop.item.size[2]
    height = pose.position[2] - TABLE_TOP_Z
    if abs(height - (level + 0.5) * edge) > _HEIGHT_TOLERANCE:
        return False
    # Any of the cube's three axes may point up.
    steepest = max(abs(value) for value in pose.matrix()[2, :3])
    return float(steepest) >= math.cos(_TILT_TOLERANCE)


def offset_in(evidence: Evidence, name: str, frame: Prop) -> tuple[float, float, float]:
    """Centre of an object in the frame of another's centre, metres."""
    return (evidence.pose(frame.name).inverse() @ evidence.pose(name)).position


def is_upright(evidence: Evidence, name: str) -> bool:
    """Whether its z axis points up or down."""
    return abs(math.cos(evidence.pose(name).tilt)) >= math.cos(_TILT_TOLERANCE)


def is_left_alone(evidence: Evidence, name: str) -> bool:
    """Whether an object is at rest and no robot touches it."""
    return evidence.speed(name).is_rest and not evidence.is_touched_by_robot(name)
