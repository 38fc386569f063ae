"""The map an agent draws from what depth reads: class, occupied, explored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from malmm_ros.cooperation.mapping.grid import CELL_M, Grid

# Heights above the floor, metres.
FREE_BELOW_M, OCCUPIED_FROM_M = 0.05, 0.1
WALL_FROM_M, TRUE_WALL_FROM_M = 2.0, 2.9

# What is further away than this makes no difference.
_FAR_M = 10.0

COST_FREE, COST_WITHIN_2, COST_WITHIN_1, COST_OCCUPIED = 1.0, 5.0, 10.0, 1000.0
COST_UNKNOWN, COST_WALL, COST_TRUE_WALL = 2.5, 500_000.0, 5_000_000.0
# Of an unseen cell where a wall is presumed: a known door is worth a detour of some metres.
COST_PRESUMED = 30.0


class SemanticMap:
    """Cells of 0.125 m.

    Attributes:
        grid: Where the cells lie.
        heights: ``(rows, columns)``, metres: the highest that was seen in a cell; −1 unseen.
        classes: ``(rows, columns)``, number of the class seen last; 0 is none.
        presumed: ``(rows, columns)``, where a wall is believed to be until the cell is seen; empty
            at first.
        version: Grows whenever an obstacle is found or a cell is seen for the first time.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.heights: NDArray[np.float32] = np.full((grid.rows, grid.columns), -1.0, np.float32)
        self.classes: NDArray[np.uint8] = np.zeros((grid.rows, grid.columns), np.uint8)
        self.presumed: NDArray[np.bool_] = np.zeros((grid.rows, grid.columns), bool)
        self.version = 0
        self._costs: tuple[int, NDArray[np.float64]] | None = None
        self._clearances: tuple[int, NDArray[np.float64]] | None = None
        self._obstacles_version = 0

    @property
    def explored(self) -> NDArray[np.bool_]:
        """Cells that were seen."""
        return np.asarray(self.heights >= 0.0)

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """Unseen cells where a wall is presumed."""
        return self.presumed & ~self.explored

    @property
    def occupied(self) -> NDArray[np.bool_]:
        """Cells that nobody can stand on: furniture and walls."""
        return np.asarray(self.heights >= OCCUPIED_FROM_M)

    @property
    def wall(self) -> NDArray[np.bool_]:
        """Cells that reach above every piece of furniture."""
        return np.asarray(self.heights > WALL_FROM_M)

    def add_points(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Take over points that depth reads.

        Args:
            points: ``(N, 3)``, metres, world frame, z above the floor.

        Returns:
            ``(rows, columns)``: the cells they fall into.
        """
        seen: NDArray[np.bool_] = np.zeros(self.heights.shape, dtype=bool)
        if len(points) == 0:
            return seen
        rows, columns = self.grid.cells(points)
        heights = np.where(points[:, 2] < FREE_BELOW_M, 0.0, points[:, 2]).astype(np.float32)
        seen[rows, columns] = True
        # Many points a cell: sorted, the highest is written last.
        order = np.argsort(heights, kind="stable")
        highest = np.full(self.heights.shape, -1.0, np.float32)
        highest[rows[order], columns[order]] = heights[order]
        self._raise_to(highest)
        return seen

    def _raise_to(self, highest: NDArray[np.float32]) -> None:
        higher = highest > self.heights
        if not higher.any():
            return
        was_occupied = self.occupied
        was_wall = self.wall
        self.heights[higher] = highest[higher]
        self.version += 1
        if (self.occupied & ~was_occupied).any() or (self.wall & ~was_wall).any():
            self._obstacles_version += 1

    def mark(self, x: float, y: float, number: int) -> None:
        """Note the class of what lies at a point."""
        self.classes[self.grid.cell(x, y)] = number

    def clearances(self) -> NDArray[np.float64]:
        """From each cell's centre to the nearest known obstacle, metres."""
        if self._clearances is None or self._clearances[0] != self._obstacles_version:
            occupied = self.occupied
            cells = np.full(occupied.shape, np.inf)
            if occupied.any():  # without any, the transform has nothing to measure from
                cells = ndimage.distance_transform_edt(~occupied)
            metres = np.clip(cells * CELL_M - 0.5 * CELL_M, 0.0, _FAR_M)
            self._clearances = (self._obstacles_version, metres)
        return self._clearances[1]

    def costs(self) -> NDArray[np.float64]:
        """What entering each cell costs a route."""
        if self._costs is None or self._costs[0] != self.version:
            clearance = self.clearances()
            costs = np.full(self.heights.shape, COST_FREE)
            costs[clearance <= 2.1 * CELL_M] = COST_WITHIN_2
            costs[clearance <= 1.1 * CELL_M] = COST_WITHIN_1
            costs[self.occupied] = COST_OCCUPIED
            costs[~self.explored] += COST_UNKNOWN
            costs[self.doubtful] += COST_PRESUMED
            costs[self.wall] += COST_WALL
            costs[self.heights > TRUE_WALL_FROM_M] += COST_TRUE_WALL
            self._costs = (self.version, costs)
        return self._costs[1]

    def frontier(self) -> NDArray[np.bool_]:
        """Free, seen cells beside unseen ones."""
        unseen = ~self.explored
        beside = ndimage.binary_dilation(unseen)
        free = self.explored & ~self.occupied & (self.clearances() > 2 * CELL_M)
        return np.asarray(beside & free)

    def explored_share(self, window: tuple[slice, slice]) -> float:
        """How much of a part of the map was seen, 0 to 1."""
        return float(self.explored[window].mean())
