"""Square cells over a rectangle: rows along y, columns along x, cell 0, 0 at the lower left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELL_M = 0.125


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Where cells lie.

    Attributes:
        x0: Lower left corner, metres.
    """

    x0: float
    y0: float
    rows: int
    columns: int

    @classmethod
    def over(cls, x0: float, y0: float, x1: float, y1: float) -> Grid:
        """Cells that cover a rectangle."""
        return cls(x0=x0, y0=y0, rows=round((y1 - y0) / CELL_M), columns=round((x1 - x0) / CELL_M))

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of a point; points outside belong to the nearest cell."""
        row = int((y - self.y0) / CELL_M)
        column = int((x - self.x0) / CELL_M)
        return (min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1))

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Of a cell, metres."""
        return (self.x0 + (column + 0.5) * CELL_M, self.y0 + (row + 0.5) * CELL_M)

    def cells(self, points: NDArray[np.floating]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns of points ``(N, 2+)``; those outside belong to the nearest cell."""
        rows = ((points[:, 1] - self.y0) / CELL_M).astype(np.int64)
        columns = ((points[:, 0] - self.x0) / CELL_M).astype(np.int64)
        return (
            np.clip(rows, 0, self.rows - 1),
            np.clip(columns, 0, self.columns - 1),
        )

    def window(self, x0: float, y0: float, x1: float, y1: float) -> tuple[slice, slice]:
        """The cells of a rectangle, to index an array with."""
        low, high = self.cell(x0, y0), self.cell(x1 - 1e-9, y1 - 1e-9)
        return (slice(low[0], high[0] + 1), slice(low[1], high[1] + 1))
