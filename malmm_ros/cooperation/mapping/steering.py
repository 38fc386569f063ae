"""Follow routes with half-metre steps and turns of 15°, on a map that grows meanwhile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from malmm_ros.cooperation.mapping.grid import CELL_M, Grid
from malmm_ros.cooperation.mapping.route import Cell, Route, find_route
from malmm_ros.cooperation.mapping.semantic_map import COST_OCCUPIED, SemanticMap

Move = Literal["forward", "turn_left", "turn_right"]
Point = tuple[float, float]

_AHEAD_CELLS = 5
_HEADING_TOLERANCE = math.radians(18.0)
_NOTCH = math.radians(15.0)
_REPLAN_AFTER = 10
_OFF_ROUTE_CELLS = 6
_LOOK_BACK, _LOOK_ON = 4, 14
_SAMPLES = 9
_HEADINGS = 24


class Steering:
    """Leads one agent to one place after the other.

    Attributes:
        replans: How often the way was found blocked since the last :meth:`head_for`.
    """

    def __init__(
        self, chart: SemanticMap, *, radius_m: float, step_m: float, rng: np.random.Generator
    ) -> None:
        self._map = chart
        self._radius_m = radius_m
        self._step_m = step_m
        self._rng = rng
        self._goal: Point | None = None
        self._route: Route | None = None
        self._index = 0
        self._age = 0
        self._version = -1
        self._avoided: tuple[Point, ...] = ()
        self._heading: float | None = None  # a detour that was decided on, until it is walked
        self.replans = 0

    def head_for(self, goal: Point) -> None:
        """Set a new goal; a goal near the old one keeps the route."""
        if self._goal is None or math.dist(goal, self._goal) > CELL_M:
            self._route = None
            self.replans = 0
        self._goal = goal

    def clearances_at(
        self, xs: NDArray[np.float64], ys: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """From points to the nearest known obstacle, metres."""
        return sample(self._map.clearances(), self._map.grid, xs, ys)

    def forget(self) -> None:
        """Drop the goal and its route."""
        self._goal = self._route = self._heading = None
        self.replans = 0

    def note_blocked(self, x: float, y: float, heading: float, avoid: Sequence[Point]) -> None:
        """Take note that a step ran into something; sidestep, then find another way."""
        self.replans += 1
        self._route = None
        headings = heading + _NOTCH * np.arange(_HEADINGS)
        clear = np.flatnonzero(self._are_clear(x, y, headings, avoid))
        clear = clear[(clear > 2) & (clear < _HEADINGS - 2)]
        if len(clear):
            self._heading = float(headings[int(self._rng.choice(clear))])

    def next_move(
        self, x: float, y: float, heading: float, avoid: Sequence[Point] = ()
    ) -> Move | None:
        """The next move towards the goal.

        Args:
            x: Where the agent stands.
            y: Likewise.
            heading: Where it faces, radians.
            avoid: Where teammates were just seen.

        Returns:
            ``None`` when there is no way.
        """
        if self._heading is not None:
            return self._detour(heading)
        route = self._current_route(x, y, avoid)
        if route is None:
            return None
        aim = self._aim(route, x, y)
        error = _difference(math.atan2(aim[1] - y, aim[0] - x), heading)
        if abs(error) < _HEADING_TOLERANCE:
            if self._are_clear(x, y, np.array([heading]), avoid)[0]:
                return "forward"
        elif abs(error) > 2 * _NOTCH:
            return "turn_left" if error > 0 else "turn_right"
        return self._around(x, y, heading, aim, avoid)

    def _detour(self, heading: float) -> Move:
        assert self._heading is not None
        error = _difference(self._heading, heading)
        if abs(error) <= 0.5 * _NOTCH + 1e-6:
            self._heading = None
            return "forward"
        return "turn_left" if error > 0 else "turn_right"

    def _around(
        self, x: float, y: float, heading: float, aim: Point, avoid: Sequence[Point]
    ) -> Move:
        """The heading that clears what is near and loses least."""
        notches = np.arange(_HEADINGS)
        headings = heading + _NOTCH * notches
        clear = self._are_clear(x, y, headings, avoid)
        turns = np.minimum(notches, _HEADINGS - notches)
        ends = np.hypot(
            x + self._step_m * np.cos(headings) - aim[0],
            y + self._step_m * np.sin(headings) - aim[1],
        )
        scores = np.where(clear, ends + 0.02 * turns, np.inf)
        best = int(scores.argmin())
        if not np.isfinite(scores[best]):
            best = int((ends + 0.02 * turns).argmin())  # perhaps the map is wrong
        self._heading = float(headings[best])
        return self._detour(heading)

    def _are_clear(
        self, x: float, y: float, headings: NDArray[np.floating], avoid: Sequence[Point]
    ) -> NDArray[np.bool_]:
        """Whether steps in several directions touch nothing that is known, ``(N,)``."""
        along = np.linspace(0.0, self._step_m, _SAMPLES)
        xs = x + np.cos(headings)[:, None] * along
        ys = y + np.sin(headings)[:, None] * along
        clearances = sample(self._map.clearances(), self._map.grid, xs, ys)
        # Who stands nearer than he should must be able to leave.
        limit = np.minimum(self._radius_m + 0.02, clearances[:, :1] - 0.02)
        is_clear = np.asarray((clearances >= limit).all(axis=1))
        for other_x, other_y in avoid:
            gaps = np.hypot(xs - other_x, ys - other_y)
            limit = np.minimum(2 * self._radius_m + 0.05, gaps[:, :1])
            is_clear &= np.asarray((gaps >= limit - 1e-9).all(axis=1))
        return is_clear

    def _current_route(self, x: float, y: float, avoid: Sequence[Point]) -> Route | None:
        self._age += 1
        if self._route is not None and self._is_stale(x, y, avoid):
            self._route = None
        if self._route is None:
            assert self._goal is not None
            grid = self._map.grid
            costs = self._map.costs()
            if avoid:
                costs = _with_discs(costs, grid, avoid, 2 * self._radius_m + CELL_M)
            self._route = find_route(costs, grid.cell(x, y), grid.cell(*self._goal))
            self._index, self._age, self._version = 0, 0, self._map.version
            self._avoided = tuple(avoid)
        return self._route

    def _is_stale(self, x: float, y: float, avoid: Sequence[Point]) -> bool:
        assert self._route is not None
        if self._age > _REPLAN_AFTER:
            return True
        self._index = self._nearest(self._route, x, y)
        row, column = self._map.grid.cell(x, y)
        near = self._route.cells[self._index]
        if max(abs(row - near[0]), abs(column - near[1])) > _OFF_ROUTE_CELLS:
            return True
        if any(self._is_in_the_way(mate) for mate in avoid):
            return True
        if self._version == self._map.version:
            return False
        costs = self._map.costs()
        ahead = self._route.cells[self._index + 1 : -_OFF_ROUTE_CELLS]
        return any(costs[cell] >= COST_OCCUPIED for cell in ahead)

    def _is_in_the_way(self, mate: Point) -> bool:
        """Whether a teammate stands on the route now who was not there when it was found."""
        assert self._route is not None
        if any(math.dist(mate, other) < 2 * CELL_M for other in self._avoided):
            return False
        ahead = self._route.cells[self._index : self._index + 2 * _LOOK_ON]
        reach = 2 * self._radius_m + CELL_M
        return any(math.dist(self._map.grid.centre(*cell), mate) < reach for cell in ahead)

    def _nearest(self, route: Route, x: float, y: float) -> int:
        row, column = self._map.grid.cell(x, y)
        first = max(0, self._index - _LOOK_BACK)
        part = route.cells[first : self._index + _LOOK_ON]
        gaps = [abs(row - cell[0]) + abs(column - cell[1]) for cell in part]
        return first + gaps.index(min(gaps))

    def _aim(self, route: Route, x: float, y: float) -> Point:
        """A cell some way ahead; the next one where an obstacle is between."""
        self._index = self._nearest(route, x, y)
        last = len(route.cells) - 1
        for ahead in (_AHEAD_CELLS, 3, 1):
            cell: Cell = route.cells[min(self._index + ahead, last)]
            aim = self._map.grid.centre(*cell)
            xs, ys = np.linspace(x, aim[0], _SAMPLES), np.linspace(y, aim[1], _SAMPLES)
            cells = self._map.grid.cells(np.column_stack((xs, ys)))
            if not self._map.occupied[cells][:-1].any():
                return aim
        return aim


def sample(
    field: NDArray[np.float64], grid: Grid, xs: NDArray[np.float64], ys: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of a field of cells at points, linear between the cells' centres."""
    rows = (ys - grid.y0) / CELL_M - 0.5
    columns = (xs - grid.x0) / CELL_M - 0.5
    result: NDArray[np.float64] = ndimage.map_coordinates(
        field, np.stack((rows, columns)), order=1, mode="nearest"
    )
    return result


def _with_discs(
    costs: NDArray[np.float64], grid: Grid, centres: Sequence[Point], radius_m: float
) -> NDArray[np.float64]:
    """Costs with what teammates cover made occupied."""
    costs = costs.copy()
    ys = grid.y0 + (np.arange(grid.rows) + 0.5) * CELL_M
    xs = grid.x0 + (np.arange(grid.columns) + 0.5) * CELL_M
    for x, y in centres:
        covered = np.hypot(xs[None, :] - x, ys[:, None] - y) < radius_m
        costs[covered] += COST_OCCUPIED
    return costs


def _difference(first: float, second: float) -> float:
    return math.remainder(first - second, math.tau)
