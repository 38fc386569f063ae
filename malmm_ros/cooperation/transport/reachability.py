"""Whether agents can get to everything: by the free cells that hang together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from malmm_ros.cooperation.transport.collision import Obstacles
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.layout import CELL_M, Layout

# Wider than an agent, so that it can also turn and pass; nearer than an arm.
_CLEARANCE_M = 0.25
_REACH_M = 0.85


def find_unreachable(episode: Episode) -> list[str]:
    """Names of the things, starts and rooms that agents cannot get to from everywhere."""
    layout = episode.layout
    labels = _components(layout)
    main = int(np.bincount(labels[labels > 0]).argmax())
    problems = [
        f"{thing.kind} ({thing.id})"
        for thing in episode.things
        if not _is_near(layout, labels == main, thing.position[0], thing.position[1], thing.room)
    ]
    problems += [
        room.name
        for room in layout.rooms
        if not _is_near(layout, labels == main, *room.inside.centre, room.name, reach=2.0)
    ]
    for start in episode.starts:
        row, column = _cell(layout, start.x, start.y)
        if labels[row, column] != main:
            problems.append(f"start in {start.room}")
    return problems


def _components(layout: Layout) -> NDArray[np.int32]:
    """Free cells by the region they belong to; 0 where an agent cannot be."""
    bounds, obstacles = layout.bounds, Obstacles.of(layout)
    xs = np.arange(bounds.x0 + 0.5 * CELL_M, bounds.x1, CELL_M)
    ys = np.arange(bounds.y0 + 0.5 * CELL_M, bounds.y1, CELL_M)
    grid_x, grid_y = np.meshgrid(xs, ys)
    nearest = np.full(grid_x.shape, np.inf)
    for x0, y0, x1, y1 in obstacles.boxes:
        dx = np.maximum(np.maximum(x0 - grid_x, grid_x - x1), 0.0)
        dy = np.maximum(np.maximum(y0 - grid_y, grid_y - y1), 0.0)
        nearest = np.minimum(nearest, np.hypot(dx, dy))
    is_inside = np.zeros(grid_x.shape, dtype=bool)
    for room in layout.rooms:
        area = room.area
        is_inside |= (
            (area.x0 <= grid_x) & (grid_x <= area.x1) & (area.y0 <= grid_y) & (grid_y <= area.y1)
        )
    labels: NDArray[np.int32] = ndimage.label((nearest >= _CLEARANCE_M) & is_inside)[0]
    return labels


def _cell(layout: Layout, x: float, y: float) -> tuple[int, int]:
    bounds = layout.bounds
    return (int((y - bounds.y0) / CELL_M), int((x - bounds.x0) / CELL_M))


def _is_near(
    layout: Layout,
    is_free: NDArray[np.bool_],
    x: float,
    y: float,
    room_name: str,
    reach: float = _REACH_M,
) -> bool:
    """Whether a free cell of the same room is within reach."""
    bounds, inside = layout.bounds, layout.room(room_name).inside
    rows, columns = np.nonzero(is_free)
    xs = bounds.x0 + (columns + 0.5) * CELL_M
    ys = bounds.y0 + (rows + 0.5) * CELL_M
    same = (inside.x0 <= xs) & (xs <= inside.x1) & (inside.y0 <= ys) & (ys <= inside.y1)
    return bool((np.hypot(xs - x, ys - y)[same] <= reach).any())
