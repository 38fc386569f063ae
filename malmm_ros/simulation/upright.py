"""Tell of a box that lies on another face as of an upright one: the same solid, other axes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from malmm_ros.geometry import Pose, Quaternion, vector3
from malmm_ros.scene import SceneObject

_HALF = math.sqrt(0.5)
# By the body axis that points up (or down): the turn that makes it z, and where each new extent
# comes from.
_TURNS: dict[tuple[int, bool], tuple[Quaternion, tuple[int, int, int]]] = {
    (2, True): ((0.0, 0.0, 0.0, 1.0), (0, 1, 2)),
    (2, False): ((1.0, 0.0, 0.0, 0.0), (0, 1, 2)),
    (0, True): ((0.5, 0.5, 0.5, 0.5), (1, 2, 0)),
    (0, False): ((0.0, -_HALF, 0.0, _HALF), (2, 1, 0)),
    (1, True): ((-0.5, -0.5, -0.5, 0.5), (2, 0, 1)),
    (1, False): ((_HALF, 0.0, 0.0, _HALF), (0, 2, 1)),
}


def upright(item: SceneObject) -> SceneObject:
    """The same object by the axes of the face that is up, when all its faces look alike.

    Its heading is then that of its sides, whichever face it came to lie on; a heading of the
    body's own x axis means nothing once that axis is vertical. Objects with parts of their own
    (jars, rings) and those with one front stay as they are: which way up they are matters.
    """
    if item.solids or item.yaw_symmetry < 2:
        return item
    # The third row of the rotation: how much each body axis points up.
    up = item.pose.matrix()[2, :3]
    axis = int(np.argmax(np.abs(up)))
    is_up = bool(up[axis] >= 0.0)
    if axis == 2 and is_up:
        return item
    turn, order = _TURNS[axis, is_up]
    size = vector3([item.size[index] for index in order])
    symmetry = item.yaw_symmetry
    if axis != 2:
        symmetry = 4 if math.isclose(size[0], size[1], rel_tol=1e-6) else 2
    pose = item.pose @ Pose((0.0, 0.0, 0.0), turn)
    return replace(item, pose=pose, size=size, yaw_symmetry=symmetry)
