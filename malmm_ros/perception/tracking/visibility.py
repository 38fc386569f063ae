"""Whether a place is seen, hidden, or seen to be empty: what absence of a detection means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage

# Metres by which a measured depth may differ from a surface and still be that surface.
_SURFACE = 0.012


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """An image and which of its pixels show the robot.

    Attributes:
        robot: ``(H, W)``; true pixels hide what is behind them.
    """

    image: RgbdImage
    robot: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """Shares of a thing's surface, 0 to 1; they sum to 1.

    Attributes:
        seen: Something is measured just there.
        empty: A camera looks through it at what is behind.
        hidden: Outside of all images, without a reading, or behind something nearer.
    """

    seen: float
    empty: float
    hidden: float


def look_at(points: NDArray[np.float64], views: Sequence[View]) -> Visibility:
    """Compare surface points with what cameras measure along their rays.

    Args:
        points: ``(N, 3)``, world frame; a sample of a thing's surface as it was seen.
        views: From wherever.
    """
    if not len(points):
        return Visibility(seen=0.0, empty=0.0, hidden=1.0)
    is_seen, is_empty = np.zeros(len(points), bool), np.zeros(len(points), bool)
    for view in views:
        beyond = _beyond(points, view)
        is_seen |= np.abs(beyond) <= _SURFACE
        is_empty |= beyond > _SURFACE
    is_empty &= ~is_seen
    seen, empty = float(is_seen.mean()), float(is_empty.mean())
    return Visibility(seen=seen, empty=empty, hidden=1.0 - seen - empty)


def _beyond(points: NDArray[np.float64], view: View) -> NDArray[np.float64]:
    """How far behind each point its ray ends, metres; −∞ where that says nothing."""
    image = view.image
    result = np.full(len(points), -np.inf)
    local = image.world_from_camera.inverse().apply(points)
    front = np.flatnonzero(local[:, 2] > 0.05)
    columns, rows = np.rint(image.camera.project(local[front])).astype(int).T
    height, width = image.depth.shape
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    front, columns, rows = front[inside], columns[inside], rows[inside]
    depth = image.depth[rows, columns].astype(np.float64)
    usable = np.isfinite(depth) & (depth > 0.0) & ~view.robot[rows, columns]
    result[front[usable]] = depth[usable] - local[front[usable], 2]
    return result
