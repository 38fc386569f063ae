"""Where what is held, or was just let go of, must be: from the hand, and from gravity."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from malmm_ros.geometry import Pose, vector3, wrap_angle
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Solid

# What differs more from the opening is not what the fingers hold, metres.
_OTHER_WIDTH = 0.02
# Half a finger pad: the tool point may be that far beside what it grips.
_BESIDE = 0.015
# Turns beyond this would mean that the fingers lie on no side of it.
_LARGEST_TURN = math.radians(30.0)


def settled_in_hand(item: SceneObject, tcp: Pose, width: float) -> Pose:
    """Where an object is after two fingers closed on it at the same time.

    They bring what they grip to the middle between them and, where it has flat sides, turn it
    until these lie on the pads.

    Args:
        item: As it was seen before.
        tcp: Pose of the tool point, world frame.
        width: Full opening of the fingers, metres.
    """
    part = _gripped(item, tcp, width)
    if part is None:
        return item.pose
    pose = item.pose
    if item.yaw_symmetry and item.pose.tilt < 0.05:
        turn = wrap_angle(tcp.yaw - pose.yaw, 0.5 * math.pi)
        if abs(turn) <= _LARGEST_TURN:
            center = pose @ part.pose
            upright = Pose.from_yaw((0.0, 0.0, 0.0), turn)
            pose = Pose(center.position) @ upright @ Pose(center.position).inverse() @ pose
    closing = tcp.matrix()[:3, 1]
    offset = float(np.dot(np.subtract((pose @ part.pose).position, tcp.position), closing))
    return Pose(vector3(np.asarray(pose.position) - offset * closing), pose.orientation)


def fallen(item: SceneObject, others: Iterable[SceneObject]) -> Pose:
    """Where an object comes to rest when it falls straight down.

    Args:
        item: Where it was let go.
        others: What may be below it.
    """
    x, y, z = item.pose.position
    # The middles of its parts, so that a ring falls down around a peg.
    middles = np.array([(item.pose @ part.pose).position for part in item.parts])
    floor = TABLE_TOP_Z
    for other in others:
        for part in other.parts:
            pose = other.pose @ part.pose
            local = np.abs(pose.inverse().apply(middles)[:, :2])
            top = pose.position[2] + 0.5 * part.size[2]
            is_over = bool((local <= 0.5 * np.asarray(part.size[:2])).all(axis=1).any())
            if is_over and top <= item.bottom_z + 0.02:
                floor = max(floor, top)
    return Pose((x, y, z - (item.bottom_z - floor)), item.pose.orientation)


def _gripped(item: SceneObject, tcp: Pose, width: float) -> Solid | None:
    """The part, or the whole, at the tool point that is about as wide as the opening."""
    closing = tcp.matrix()[:3, 1]
    best: tuple[float, Solid] | None = None
    for part in (Solid(shape="box", size=item.size), *item.solids):
        pose = item.pose @ part.pose
        local = np.abs(pose.inverse().apply(np.array([tcp.position]))[0])
        if (local > 0.5 * np.asarray(part.size) + _BESIDE).any():
            continue
        along = int(np.argmax(np.abs(pose.matrix()[:3, :2].T @ closing)))
        misfit = abs(part.size[along] - width)
        if misfit < _OTHER_WIDTH and (best is None or misfit < best[0] - 1e-9):
            best = (misfit, part)
    return None if best is None else best[1]
