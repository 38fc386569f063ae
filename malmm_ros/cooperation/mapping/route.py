"""A* over the cells of a map; four neighbours."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.mapping.semantic_map import COST_WALL

Cell = tuple[int, int]

# With four neighbours all monotone ways cost the same; we walk them at any angle, so the one that
# hugs the straight line is the shortest. Small enough never to outweigh a cell on a house's floor.
_STRAIGHT = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A way from one cell to another, both included.

    Attributes:
        cost: Of all cells but the first.
    """

    cells: tuple[Cell, ...]
    cost: float


def find_route(costs: NDArray[np.float64], start: Cell, goal: Cell) -> Route | None:
    """The cheapest way.

    Args:
        costs: ``(rows, columns)``, of entering each cell, at least 1.
        start: Row and column.
        goal: Row and column; may be occupied, as what lies on a table is.

    Returns:
        ``None`` where every way leads through a wall.
    """
    rows, columns = costs.shape
    width = columns + 2  # a border that nobody enters saves the checks of bounds
    padded = np.full((rows + 2, width), np.inf)
    padded[1:-1, 1:-1] = costs
    came = _search(
        padded.ravel().tolist(),
        width,
        (start[0] + 1) * width + start[1] + 1,
        (goal[0] + 1) * width + goal[1] + 1,
    )
    if came is None:
        return None
    indices, cost = came
    cells = tuple((index // width - 1, index % width - 1) for index in indices)
    return Route(cells=cells, cost=cost)


def _search(
    costs: list[float], width: int, start: int, goal: int
) -> tuple[list[int], float] | None:
    infinite = float("inf")
    best = [infinite] * len(costs)
    parents = [-1] * len(costs)
    best[start] = 0.0
    goal_row, goal_column = divmod(goal, width)
    start_row, start_column = divmod(start, width)
    full_down, full_right = goal_row - start_row, goal_column - start_column
    # Equal sums: the one that is further on first, else A* floods open floors.
    queue: list[tuple[float, float, int]] = [(0.0, 0.0, start)]
    push, pop = heapq.heappush, heapq.heappop
    while queue:
        _, negative, index = pop(queue)
        if index == goal:
            break
        spent = -negative
        if spent > best[index]:
            continue
        for neighbour in (index + 1, index - 1, index + width, index - width):
            total = spent + costs[neighbour]
            if total < best[neighbour]:
                best[neighbour] = total
                parents[neighbour] = index
                row, column = divmod(neighbour, width)
                down, right = goal_row - row, goal_column - column
                ahead = (
                    abs(down) + abs(right) + _STRAIGHT * abs(down * full_right - right * full_down)
                )
                push(queue, (total + ahead, -total, neighbour))
    if best[goal] >= COST_WALL:
        return None
    path = [goal]
    while path[-1] != start:
        path.append(parents[path[-1]])
    return path[::-1], best[goal]
