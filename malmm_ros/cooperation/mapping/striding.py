"""Walk along a route by long strides: fewer turns than from cell to cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from malmm_ros.cooperation.mapping.route import Route
from malmm_ros.cooperation.mapping.steering import Point, Steering, sample

# Cells ahead on the route, the furthest that can be walked to straight is the aim.
_AHEAD_CELLS = (32, 26, 21, 17, 14, 11, 8)
_SAMPLES_A_CELL = 2
# Frames of a way for those of its length, as walked on three training episodes.
STRIDE_TURN_SHARE = 1.3
_ROOM_M = 0.07


class Striding(Steering):
    """Leads like :class:`Steering`, but aims as far ahead as the straight way is clear."""

    def _current_route(self, x: float, y: float, avoid: Sequence[Point]) -> Route | None:
        """The way as if nobody stood in it: who does walks on, and a detour is long.

        Steps keep clear of teammates all the same; only a step that was blocked makes the route
        lead around them.
        """
        return super()._current_route(x, y, avoid if self.replans else ())

    def _aim(self, route: Route, x: float, y: float) -> Point:
        near = super()._aim(route, x, y)
        last = len(route.cells) - 1
        clearances, grid = self._map.clearances(), self._map.grid
        for ahead in _AHEAD_CELLS:
            if self._index + ahead // 2 > last:
                continue
            aim = grid.centre(*route.cells[min(self._index + ahead, last)])
            share = np.linspace(0.0, 1.0, _SAMPLES_A_CELL * ahead)
            xs, ys = x + share * (aim[0] - x), y + share * (aim[1] - y)
            free = sample(clearances, grid, xs, ys)
            if (free >= min(self._radius_m + _ROOM_M, float(free[0]) - 0.02)).all():
                return aim
        return near
