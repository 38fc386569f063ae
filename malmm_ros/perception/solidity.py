"""Two solid things are never at one place: what overlaps was seen twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.perception.detection import Detection
from malmm_ros.scene import SceneObject

# So much of a thing within another is more than errors of pose and size explain.
OVERLAP = 0.4
_TICKS = (np.arange(5) + 0.5) / 5.0 - 0.5

Box = tuple[Pose, NDArray[np.float64]]


def parts_of(item: Detection | SceneObject) -> list[Box]:
    """World pose and extents of each solid part."""
    thing = item
    if isinstance(item, Detection):
        thing = SceneObject(
            name="", category="", pose=item.pose, size=item.size, solids=item.solids
        )
    assert isinstance(thing, SceneObject)
    return [(thing.pose @ part.pose, np.asarray(part.size)) for part in thing.parts]


def share_within(
    points: NDArray[np.float64], boxes: Sequence[Box], *, inflation: float = 0.0
) -> float:
    """Share of points ``(N, 3)`` that lie in any of some boxes; 0 for no points."""
    if not len(points):
        return 0.0
    inside = np.zeros(len(points), bool)
    for pose, size in boxes:
        local = np.abs(pose.inverse().apply(points))
        inside |= (local <= 0.5 * size + inflation).all(axis=1)
    return float(inside.mean())


def do_overlap(first: Sequence[Box], second: Sequence[Box]) -> bool:
    """Whether a good part of one thing's solid lies within the other's."""
    for one, other in ((first, second), (second, first)):
        if share_within(_filled(one), other) > OVERLAP:
            return True
    return False


def _filled(boxes: Sequence[Box]) -> NDArray[np.float64]:
    grid = np.stack(np.meshgrid(_TICKS, _TICKS, _TICKS), -1).reshape(-1, 3)
    return np.concatenate([pose.apply(grid * size) for pose, size in boxes])
