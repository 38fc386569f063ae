"""Where an agent's disc may be and go: exact distances between discs, swept discs and boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.transport.layout import (
    WALL_HEIGHT_M,
    Layout,
    Point,
    Rectangle,
)

Boxes = NDArray[np.float64]
# Two discs or boxes may touch; rounding must not count as being inside.
TOUCH_M = 1e-9
# Motion along an axis that is too small to be divided by, metres.
_STANDING = 1e-12


class Obstacles:
    """The walls and furniture of a layout.

    Attributes:
        boxes: ``(N, 4)``, corners ``x0, y0, x1, y1``, metres.
        heights: ``(N,)``, of their tops, metres.
        names: What each is, for reports.
    """

    def __init__(
        self, areas: Sequence[Rectangle], *, heights: Sequence[float], names: Sequence[str]
    ) -> None:
        self.boxes: Boxes = np.array([[a.x0, a.y0, a.x1, a.y1] for a in areas]).reshape(-1, 4)
        self.heights = np.array(heights, dtype=np.float64)
        self.names = tuple(names)

    @classmethod
    def of(cls, layout: Layout) -> Obstacles:
        """Furniture first, in its order, then walls."""
        furniture, walls = layout.furniture, layout.walls
        return cls(
            [piece.area for piece in furniture] + [wall.area for wall in walls],
            heights=[piece.height for piece in furniture] + [WALL_HEIGHT_M] * len(walls),
            names=[f"{piece.kind} ({piece.id})" for piece in furniture] + ["wall"] * len(walls),
        )

    def distances(self, x: float, y: float) -> NDArray[np.float64]:
        """From a point to each box, ``(N,)``; 0 inside."""
        boxes = self.boxes
        dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0)
        dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0)
        result: NDArray[np.float64] = np.hypot(dx, dy)
        return result

    def clearance(self, x: float, y: float) -> float:
        """From a point to the nearest box."""
        return float(self.distances(x, y).min())

    def hit(self, start: Point, end: Point, radius: float) -> str | None:
        """What a disc that is swept from one point to another runs into, if anything."""
        distances = segment_distances(start, end, self.boxes)
        nearest = int(distances.argmin())
        return self.names[nearest] if distances[nearest] < radius - TOUCH_M else None


def segment_distances(start: Point, end: Point, boxes: Boxes) -> NDArray[np.float64]:
    """Smallest distance between a segment and each box, ``(N,)``; 0 where they meet.

    Both are convex, so where they do not meet, the smallest distance is at an end of the segment
    or at a corner of the box.
    """
    ends = np.minimum(_point_distances(start, boxes), _point_distances(end, boxes))
    x, y = boxes[:, (0, 2, 0, 2)], boxes[:, (1, 1, 3, 3)]
    dx, dy = end[0] - start[0], end[1] - start[1]
    squared = dx * dx + dy * dy
    if squared > 0.0:
        along = np.clip(((x - start[0]) * dx + (y - start[1]) * dy) / squared, 0.0, 1.0)
        corners = np.hypot(x - start[0] - along * dx, y - start[1] - along * dy).min(axis=1)
        ends = np.minimum(ends, corners)
        ends[_crosses(start, (dx, dy), boxes)] = 0.0
    result: NDArray[np.float64] = ends
    return result


def disc_gap(start: Point, end: Point, other: Point) -> float:
    """Smallest distance between the centre of a moved disc and a resting point."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    squared = dx * dx + dy * dy
    along = 0.0
    if squared > 0.0:
        along = ((other[0] - start[0]) * dx + (other[1] - start[1]) * dy) / squared
        along = min(max(along, 0.0), 1.0)
    return math.hypot(other[0] - start[0] - along * dx, other[1] - start[1] - along * dy)


def _point_distances(point: Point, boxes: Boxes) -> NDArray[np.float64]:
    dx = np.maximum(np.maximum(boxes[:, 0] - point[0], point[0] - boxes[:, 2]), 0.0)
    dy = np.maximum(np.maximum(boxes[:, 1] - point[1], point[1] - boxes[:, 3]), 0.0)
    result: NDArray[np.float64] = np.hypot(dx, dy)
    return result


def _crosses(start: Point, delta: Point, boxes: Boxes) -> NDArray[np.bool_]:
    """Whether the segment passes through each box (slab test)."""
    enter, leave = np.zeros(len(boxes)), np.ones(len(boxes))
    for axis in (0, 1):
        low, high = boxes[:, axis] - start[axis], boxes[:, axis + 2] - start[axis]
        if abs(delta[axis]) < _STANDING:
            outside = (low > 0.0) | (high < 0.0)
            leave[outside] = -1.0
            continue
        first, second = low / delta[axis], high / delta[axis]
        enter = np.maximum(enter, np.minimum(first, second))
        leave = np.minimum(leave, np.maximum(first, second))
    result: NDArray[np.bool_] = enter <= leave
    return result
