"""How long ways take, over the whole map at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from malmm_ros.cooperation.mapping.grid import CELL_M
from malmm_ros.cooperation.mapping.semantic_map import SemanticMap

# Turning and keeping clear cost time beside walking the shortest way; fitted to 28 legs of the
# training episodes, as was the time that the end of a way to the bed takes.
TURN_SHARE = 1.65
ARRIVAL_FRAMES = 40.0

# Cells of this many map cells a side: estimates need no more, and take a quarter of the time.
_COARSE = 2
_NEAR_CELLS = 4
# What entering a cell with a presumed wall costs: somewhere in it there may be a door.
_DOUBT_M = 1.5


def walking_graph(
    free: NDArray[np.bool_], cell_m: float, extra: NDArray[np.float64] | None = None
) -> csr_matrix:
    """Free cells with their eight neighbours, weighted in metres.

    Args:
        free: ``(rows, columns)``.
        cell_m: A cell's side.
        extra: ``(rows, columns)``, metres that each cell costs on top.

    Returns:
        Over all cells, row by row.
    """
    rows, columns = free.shape
    numbers = np.arange(rows * columns).reshape(rows, columns)
    sources, ends, weights = [], [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        here = (slice(0, rows - down), slice(max(0, -right), columns - max(0, right)))
        there = (slice(down, rows), slice(max(0, right), columns + min(0, right)))
        both = free[here] & free[there]
        sources.append(numbers[here][both])
        ends.append(numbers[there][both])
        metres = np.full(int(both.sum()), cell_m * math.hypot(down, right))
        if extra is not None:
            metres += 0.5 * (extra[here][both] + extra[there][both])
        weights.append(metres)
    joined = (np.concatenate(sources), np.concatenate(ends))
    graph = csr_matrix((np.concatenate(weights), joined), shape=(free.size, free.size))
    return graph + graph.T


class WalkingTimes:
    """Estimates of frames on what an agent believes; unknown floor counts as free.

    Args:
        chart: The agent's map, which grows meanwhile.
        radius_m: Of the agent.
        walk_m: How far it walks in a frame.
        turn_share: What turning and keeping clear cost beside the shortest way.
    """

    def __init__(
        self,
        chart: SemanticMap,
        *,
        radius_m: float,
        walk_m: float,
        turn_share: float = TURN_SHARE,
    ) -> None:
        self._chart = chart
        self._radius_m = radius_m
        self._frames_per_m = turn_share / walk_m
        self._version = -1
        self._fields: dict[tuple[int, int], NDArray[np.float64]] = {}

    def frames(self, start: tuple[float, float], goal: tuple[float, float]) -> float:
        """From one point to the free place nearest to another; ``inf`` where there is no way."""
        field, cell = self._field(start), self._cell(goal)
        return self._at(field, cell)

    def _cell(self, point: tuple[float, float]) -> tuple[int, int]:
        row, column = self._chart.grid.cell(*point)
        return (row // _COARSE, column // _COARSE)

    def _field(self, start: tuple[float, float]) -> NDArray[np.float64]:
        """``(rows, columns)``, frames from a point to every coarse cell."""
        if self._version != self._chart.version:
            self._version = self._chart.version
            self._fields.clear()
            self._graph, self._free = self._build()
        cell = self._cell(start)
        if cell not in self._fields:
            near = _nearest(self._free, cell)
            metres = dijkstra(self._graph, indices=near[0] * self._free.shape[1] + near[1])
            self._fields[cell] = metres.reshape(self._free.shape) * self._frames_per_m
        return self._fields[cell]

    def _build(self) -> tuple[csr_matrix, NDArray[np.bool_]]:
        free = _any_of_blocks(self._chart.clearances() > self._radius_m)
        extra = np.where(_any_of_blocks(self._chart.doubtful), _DOUBT_M, 0.0)
        return walking_graph(free, _COARSE * CELL_M, extra), free

    def _at(self, field: NDArray[np.float64], cell: tuple[int, int]) -> float:
        """At the free cells nearest to one, and the way from there: things lie on furniture."""
        top, left = (max(0, index - _NEAR_CELLS) for index in cell)
        part = field[top : cell[0] + _NEAR_CELLS + 1, left : cell[1] + _NEAR_CELLS + 1]
        rows, columns = np.indices(part.shape)
        aside = np.hypot(rows + top - cell[0], columns + left - cell[1])
        is_reached = np.isfinite(part)
        if not is_reached.any():
            return math.inf
        # What is a little further may lie behind a wall.
        is_near = is_reached & (aside <= aside[is_reached].min() + 0.5)
        metres = aside * _COARSE * CELL_M
        return float((part + metres * self._frames_per_m)[is_near].min())


def _nearest(free: NDArray[np.bool_], cell: tuple[int, int]) -> tuple[int, int]:
    rows, columns = np.nonzero(free)
    best = int(np.hypot(rows - cell[0], columns - cell[1]).argmin())
    return (int(rows[best]), int(columns[best]))


def _any_of_blocks(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any map cell of each coarse cell is set."""
    rows, columns = (-(-size // _COARSE) for size in cells.shape)
    padded = np.zeros((rows * _COARSE, columns * _COARSE), dtype=bool)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    blocks = padded.reshape(rows, _COARSE, columns, _COARSE)
    return np.asarray(blocks.any(axis=(1, 3)))
