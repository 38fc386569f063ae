"""Blocks on the table, for planning tests."""

from __future__ import annotations

from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import TABLE_TOP_Z, SceneObject

CUBE = (0.05, 0.05, 0.05)


def block(
    name: str, x: float, y: float, *, size: Vector3 = CUBE, yaw: float = 0.0, bottom: float = 0.0
) -> SceneObject:
    z = TABLE_TOP_Z + bottom + 0.5 * size[2]
    return SceneObject(name=name, category="block", pose=Pose.from_yaw((x, y, z), yaw), size=size)
