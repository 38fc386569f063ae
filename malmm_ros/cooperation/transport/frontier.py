"""Where unknown floor begins."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.mapping.grid import CELL_M
from malmm_ros.cooperation.transport.memory import TransportMemory

_NEAR_M = 0.6


def random_frontier(
    memory: TransportMemory, rng: np.random.Generator
) -> tuple[float, float] | None:
    """A random place at the edge of what is known, in the rooms that matter.

    Returns:
        ``None`` when there is none, or when it is so near that turning on the spot shows it.
    """
    chart = memory.chart
    rows, columns = np.nonzero(chart.frontier())
    xs = chart.grid.x0 + (columns + 0.5) * CELL_M
    ys = chart.grid.y0 + (rows + 0.5) * CELL_M
    is_inside = np.zeros(len(rows), dtype=bool)
    for room in memory.briefing.rooms:
        if room.kind != "Porch":
            area = room.inside
            is_inside |= (area.x0 <= xs) & (xs <= area.x1) & (area.y0 <= ys) & (ys <= area.y1)
    chosen = np.flatnonzero(is_inside)
    if len(chosen) == 0:
        return None
    index = int(rng.choice(chosen))
    x, y = float(xs[index]), float(ys[index])
    return None if memory.now.pose.distance(x, y) < _NEAR_M else (x, y)
