"""Which objects are between the fingers, and what a carried object stands on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z, Scene, SceneObject, Solid

TABLE = "table"
_INFLATION = 0.012  # m; half a finger pad: the tool point may be that far outside what it grips
_TOUCH_GAP = 0.012  # m; closer than padding, tracking error and sensing noise together
_STANDING_DEPTH = 0.006  # m; deeper than this is not "standing on" but a collision


def _local(point: Pose, item: SceneObject, part: Solid) -> NDArray[np.float64]:
    """The point in the frame of one part of an object, ``(3,)`` metres."""
    world_from_part = item.pose @ part.pose
    local: NDArray[np.float64] = world_from_part.inverse().apply(np.array([point.position]))[0]
    return local


def part_at_tool(item: SceneObject, tcp: Pose) -> Solid | None:
    """The part of an object that the tool point is in or beside, nearest centre first.

    In the hole of a thing that fits between the fingers, such as a ring, it is the whole thing.
    """
    best: tuple[float, Solid] | None = None
    for part in item.parts:
        local = _local(tcp, item, part)
        if (np.abs(local) <= 0.5 * np.asarray(part.size) + _INFLATION).all():
            distance = float(np.linalg.norm(local))
            if best is None or distance < best[0]:
                best = (distance, part)
    if best is not None:
        return best[1]
    whole = Solid(shape="box", size=item.size)
    fits = max(item.size[:2]) <= MAX_GRIPPER_WIDTH
    inside = (np.abs(_local(tcp, item, whole)) <= 0.5 * np.asarray(whole.size)).all()
    return whole if fits and inside else None


def objects_at_tool(scene: Scene, tcp: Pose) -> tuple[SceneObject, ...]:
    """Objects that the fingers enclose at a pose of the tool point, nearest first."""
    near = [item for item in scene.objects if part_at_tool(item, tcp) is not None]
    return tuple(
        sorted(
            near,
            key=lambda item: float(np.linalg.norm(np.subtract(item.pose.position, tcp.position))),
        )
    )


def grip_extent(item: SceneObject, tcp: Pose) -> tuple[float, float]:
    """Smallest and largest opening at which the fingers may stall on an object.

    The fingers turn what they grip until it lies flat between them, so that the smallest is a
    side and the largest a diagonal of the gripped part's cross-section.
    """
    part = part_at_tool(item, tcp) or item.parts[0]
    # The hand closes along its own y; a part that lies tilted offers its other sides.
    closing = tcp.matrix()[:3, 1]
    axes = np.abs((item.pose @ part.pose).matrix()[:3, :3].T @ closing)
    horizontal = [part.size[index] for index in range(3) if axes[index] > 0.05]
    return min(horizontal or part.size), float(np.hypot.reduce(horizontal or [max(part.size)]))


def supports(carried: SceneObject, objects: tuple[SceneObject, ...]) -> frozenset[str]:
    """Names of what an object stands on or in: objects just below it, or ``"table"``."""
    names = {item.name for item in objects if _stands_on(carried, item)}
    if carried.bottom_z - TABLE_TOP_Z < _TOUCH_GAP:
        names.add(TABLE)
    return frozenset(names)


def _stands_on(carried: SceneObject, item: SceneObject) -> bool:
    """Whether boxes overlap in the plane and the upper one's bottom is at a part's top."""
    own = carried.corners()
    for part in item.parts:
        pose = item.pose @ part.pose
        other = SceneObject(name="part", category="", pose=pose, size=part.size)
        gap = carried.bottom_z - other.top_z
        if not -_STANDING_DEPTH <= gap <= _TOUCH_GAP:
            continue
        theirs = other.corners()
        low = np.maximum(own[:, :2].min(axis=0), theirs[:, :2].min(axis=0))
        high = np.minimum(own[:, :2].max(axis=0), theirs[:, :2].max(axis=0))
        if (low < high).all():
            return True
    return False
