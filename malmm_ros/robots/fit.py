"""Whether the open hand fits around an object at a pose, or would press into it."""

from __future__ import annotations

from collections.abc import Iterable

import coal
import numpy as np

from malmm_ros.geometry import Pose
from malmm_ros.scene import SceneObject, Solid

# Tip of a finger as a box in the tool point's frame (panda.urdf, "rubber tip"): along the
# finger's width, the closing direction and the approach; and how far it reaches past the tool
# point.
_TIP_SIZE = (0.0175, 0.0152, 0.0185)
_TIP_CENTER_Z = 0.00025
# The hand's body above the fingers, as one box; its face is 0.0374 before the tool point.
_PALM_SIZE = (0.06, 0.2, 0.06)
_PALM_CENTER_Z = -0.0374 - 0.03
_ALLOWED = 0.001  # m; what two soft pads and sensing together forgive


def misfit(item: SceneObject, tcp: Pose, width: float) -> str:
    """Say what of the hand would be inside an object, and how deep; empty when it fits.

    Args:
        item: What is to be between the fingers.
        tcp: Pose of the tool point, world frame.
        width: Full opening of the fingers, metres.
    """
    offset = 0.5 * (width + _TIP_SIZE[1])
    bodies = {
        "one finger": (_TIP_SIZE, (0.0, offset, _TIP_CENTER_Z)),
        "the other finger": (_TIP_SIZE, (0.0, -offset, _TIP_CENTER_Z)),
        "the palm": (_PALM_SIZE, (0.0, 0.0, _PALM_CENTER_Z)),
    }
    worst, text = _ALLOWED, ""
    for name, (size, center) in bodies.items():
        for part in item.parts:
            depth = _depth(coal.Box(*size), tcp @ Pose(center), part, item.pose @ part.pose)
            if depth > worst:
                worst = depth
                text = f"{name} would be {1000 * depth:.0f} mm inside {item.name!r}"
    return text


def overlapped(carried: SceneObject, objects: Iterable[SceneObject]) -> frozenset[str]:
    """Names of objects that a carried one would be inside of.

    Where it is, that cannot be: one of both was seen too large, or elsewhere.
    """
    return frozenset(
        item.name
        for item in objects
        for own in carried.parts
        for part in item.parts
        if _depth(_shape(own), carried.pose @ own.pose, part, item.pose @ part.pose) > 0.0
    )


def _depth(body: coal.CollisionGeometry, pose: Pose, part: Solid, part_pose: Pose) -> float:
    """How deep two convex bodies are in each other, metres; 0 when they are apart."""
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    coal.collide(body, _transform(pose), _shape(part), _transform(part_pose), request, result)
    if not result.isCollision():
        return 0.0
    return float(max(-contact.penetration_depth for contact in result.getContacts()))


def _shape(part: Solid) -> coal.CollisionGeometry:
    x, _, z = part.size
    if part.shape == "cylinder":
        return coal.Cylinder(0.5 * x, z)
    if part.shape == "sphere":
        return coal.Sphere(0.5 * x)
    return coal.Box(*part.size)


def _transform(pose: Pose) -> coal.Transform3s:
    matrix = pose.matrix()
    return coal.Transform3s(matrix[:3, :3], np.asarray(pose.position))
