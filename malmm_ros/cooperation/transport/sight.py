"""What can be seen from where: ray casting against boxes and a height field, nothing rendered."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.transport.collision import Obstacles
from malmm_ros.cooperation.transport.layout import CELL_M, Layout, Point

_RAYS = 160
_RAY_STEP_M = 0.5 * CELL_M
_NEAREST_M = 0.2
# Objects lie on furniture: a line that only grazes its top is not cut off.
_GRAZE_M = 1e-3


class Sight:
    """Lines of sight in one layout.

    Attributes:
        heights: ``(rows, columns)``, metres, of what fills each cell; 0 is bare floor.
        origin: Corner of the first cell.
    """

    def __init__(self, layout: Layout, *, eye_m: float, field_of_view: float, range_m: float):
        self._obstacles = Obstacles.of(layout)
        self._eye_m = eye_m
        self._half_view = 0.5 * field_of_view
        bounds = layout.bounds
        self.origin: Point = (bounds.x0, bounds.y0)
        self.heights = _height_field(self._obstacles, layout)
        self._angles = np.linspace(-self._half_view, self._half_view, _RAYS)
        self._ranges = np.arange(_NEAREST_M, range_m, _RAY_STEP_M)

    def is_clear(
        self,
        start: tuple[float, float, float],
        points: NDArray[np.float64],
        *,
        without: Sequence[int | None] | None = None,
    ) -> NDArray[np.bool_]:
        """Whether lines from a point to others pass all walls and furniture.

        Args:
            start: Usually an eye.
            points: ``(N, 3)``.
            without: For each point a piece of furniture, by its index, that does not hide it.

        Returns:
            ``(N,)``.
        """
        boxes, tops = self._obstacles.boxes, self._obstacles.heights - _GRAZE_M
        origin = np.asarray(start)
        delta = points - origin
        with np.errstate(divide="ignore", invalid="ignore"):
            enter = np.zeros((len(points), len(boxes)))
            leave = np.ones((len(points), len(boxes)))
            for axis, (lows, highs) in enumerate(
                (
                    (boxes[:, 0], boxes[:, 2]),
                    (boxes[:, 1], boxes[:, 3]),
                    (np.zeros(len(tops)), tops),
                )
            ):
                first = (lows - origin[axis]) / delta[:, axis, None]
                second = (highs - origin[axis]) / delta[:, axis, None]
                low, high = np.fmin(first, second), np.fmax(first, second)
                enter, leave = np.fmax(enter, low), np.fmin(leave, high)
        cut = np.array(enter < leave, dtype=bool)
        for index, own in enumerate(without or ()):
            if own is not None:
                cut[index, own] = False
        return np.asarray(~cut.any(axis=1))

    def is_in_view(
        self, x: float, y: float, heading: float, points: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether points ``(N, 3)`` fall into the square image of the level camera."""
        dx, dy = points[:, 0] - x, points[:, 1] - y
        ahead = dx * math.cos(heading) + dy * math.sin(heading)
        aside = -dx * math.sin(heading) + dy * math.cos(heading)
        limit = ahead * math.tan(self._half_view)
        up = points[:, 2] - self._eye_m
        result: NDArray[np.bool_] = (
            (ahead > 0.0) & (np.abs(aside) <= limit) & (np.abs(up) <= limit)
        )
        return result

    def scan(self, x: float, y: float, heading: float) -> NDArray[np.float32]:
        """What depth reads: the highest visible point of each cell along a fan of rays.

        A cell is visible if its top is not below what stands before it, and if it falls into the
        image.

        Returns:
            ``(N, 3)``, metres, world frame.
        """
        angles, ranges = heading + self._angles[:, None], self._ranges[None, :]
        xs, ys = x + np.cos(angles) * ranges, y + np.sin(angles) * ranges
        rows = ((ys - self.origin[1]) / CELL_M).astype(np.int64)
        columns = ((xs - self.origin[0]) / CELL_M).astype(np.int64)
        count_y, count_x = self.heights.shape
        is_inside = (ys >= self.origin[1]) & (xs >= self.origin[0])
        is_inside &= (rows < count_y) & (columns < count_x)
        tops = self.heights[np.where(is_inside, rows, 0), np.where(is_inside, columns, 0)]
        # The image is flat: its upper edge is nearer the horizon at the sides.
        limit = math.tan(self._half_view) * np.cos(self._angles)[:, None]
        slopes = (tops - self._eye_m) / ranges
        before = np.maximum.accumulate(slopes, axis=1)
        is_seen = slopes >= np.concatenate(
            (np.full((len(self._angles), 1), -np.inf), before[:, :-1]), axis=1
        )
        is_seen &= is_inside & (slopes >= -limit)
        zs = np.minimum(tops, self._eye_m + limit * ranges)
        points: NDArray[np.float32] = np.stack((xs, ys, zs), axis=-1)[is_seen].astype(np.float32)
        return points


def _height_field(obstacles: Obstacles, layout: Layout) -> NDArray[np.float64]:
    bounds = layout.bounds
    xs = np.arange(bounds.x0 + 0.5 * CELL_M, bounds.x1, CELL_M)
    ys = np.arange(bounds.y0 + 0.5 * CELL_M, bounds.y1, CELL_M)
    heights = np.zeros((len(ys), len(xs)))
    for (x0, y0, x1, y1), height in zip(obstacles.boxes, obstacles.heights, strict=True):
        covered = ((y0 < ys) & (ys < y1))[:, None] & ((x0 < xs) & (xs < x1))[None, :]
        heights = np.where(covered, np.maximum(heights, height), heights)
    return heights
