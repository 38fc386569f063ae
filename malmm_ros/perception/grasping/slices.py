"""A cloud sliced under many yaws at once: rows across the closing direction, cells along it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

CELL = 0.001  # m, along the closing direction
ROW = 0.0025  # m, across it
# A finger (15 mm) does not fit into a narrower gap: it counts as solid.
_SOLID_GAP_CELLS = 12
# How far an edge may stand out beside the pad before it is in a finger's way.
_EDGE_CELLS = 3
_FAR = 10_000  # cells; beyond any
# Neighbouring runs that are taken together, at most.
_LONGEST_STRETCH = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Places for the hand, arrays ``(C,)``; metres and radians.

    Attributes:
        yaw: Of the rows' direction about z.
        u: Middle of the pads along the rows' direction.
        v: Middle between the edges along the closing direction.
        tip_z: Height of the fingers' ends.
        width: From edge to edge.
        spread: By how much the edges vary over the pads.
        top: Height of what is between the fingers.
    """

    yaw: Floats
    u: Floats
    v: Floats
    tip_z: Floats
    width: Floats
    spread: Floats
    top: Floats

    def __len__(self) -> int:
        return len(self.yaw)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Candidates:
        """Those that a mask ``(C,)`` keeps, or those of some indices, in their order."""
        return Candidates(**{item.name: getattr(self, item.name)[keep] for item in fields(self)})

    @classmethod
    def joined(cls, parts: list[Candidates]) -> Candidates:
        """All of several sets; at least one."""
        return cls(
            **{
                item.name: np.concatenate([getattr(part, item.name) for part in parts])
                for item in fields(cls)
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stretches:
    """Runs, or neighbouring runs together: slice (yaw, row) and first and last cell ``(C,)``."""

    yaw: NDArray[np.intp]
    row: NDArray[np.intp]
    first: NDArray[np.intp]
    last: NDArray[np.intp]

    def where(self, keep: NDArray[np.bool_]) -> _Stretches:
        return _Stretches(
            yaw=self.yaw[keep], row=self.row[keep], first=self.first[keep], last=self.last[keep]
        )


class SliceGrid:
    """The highest point of each cell under each yaw, ``(yaws, rows, cells)``.

    Args:
        points: ``(N, 3)`` of the thing, about its middle in x and y; z as in the world.
        others: ``(M, 3)`` of what is around it, the same frame.
        yaws: ``(Y,)``, radians.
        reach: Beyond the thing's points that fingers may stand, metres.
        pad_width: Of a slice, metres.
        step: Between slices, metres.
        margin: By which a slice is wider on each side where a finger must not touch.
    """

    def __init__(
        self,
        points: NDArray[np.float64],
        others: NDArray[np.float64],
        *,
        yaws: Floats,
        reach: float,
        pad_width: float,
        step: float,
        margin: float,
    ) -> None:
        self._yaws = yaws
        radius = float(np.hypot(points[:, 0], points[:, 1]).max())
        self._pad_rows = max(1, round(pad_width / ROW))
        self._wide_rows = max(1, round((pad_width + 2.0 * margin) / ROW))
        # Centred on a row and a cell; wide enough for pads and fingers beside the thing.
        half_rows = int(radius / ROW) + self._wide_rows + 1
        half_cells = int((radius + reach) / CELL) + _EDGE_CELLS + 2
        self._shape = (len(yaws), 2 * half_rows + 1, 2 * half_cells + 1)
        self._own = self._heights(points)
        self._all = np.maximum(self._own, self._heights(others))
        every = max(1, round(step / ROW))
        half_steps = int(radius / ROW) // every
        self._rows = half_rows + every * np.arange(-half_steps, half_steps + 1)

    def _heights(self, points: NDArray[np.float64]) -> NDArray[np.float32]:
        count, rows, cells = self._shape
        cos, sin = np.cos(self._yaws)[:, None], np.sin(self._yaws)[:, None]
        u = points[:, 0] * cos + points[:, 1] * sin
        v = -points[:, 0] * sin + points[:, 1] * cos
        row = np.rint(u / ROW).astype(np.intp) + rows // 2
        cell = np.rint(v / CELL).astype(np.intp) + cells // 2
        inside = (row >= 0) & (row < rows) & (cell >= 0) & (cell < cells)
        flat = (np.arange(count)[:, None] * rows + row) * cells + cell
        # Half the memory of float64, and precise to 0.1 µm.
        heights = np.full(count * rows * cells, -np.inf, np.float32)
        z = np.broadcast_to(points[:, 2].astype(np.float32), inside.shape)
        np.maximum.at(heights, flat[inside], z[inside])
        return heights.reshape(self._shape)

    def candidates(
        self,
        tip_z: float,
        *,
        widest: float,
        opening: float,
        thickness: float,
        pad_height: float,
    ) -> Candidates:
        """What fits between the fingers while these stay free, at one depth.

        Args:
            tip_z: Height of the fingers' ends.
            widest: That fits, metres.
            opening: Of the fingers while the hand goes down, metres.
            thickness: Of a finger along the closing direction, metres.
            pad_height: Of what touches above the fingers' ends, metres.
        """
        own = self._own >= tip_z
        stretches = self._stretches(self._slices(own, self._pad_rows), widest)
        stretches = stretches.where(
            self._is_free(stretches, tip_z, opening=opening, thickness=thickness)
        )
        middle = 0.5 * (stretches.first + stretches.last) - self._shape[2] // 2
        return Candidates(
            yaw=self._yaws[stretches.yaw],
            u=(self._rows[stretches.row] - self._shape[1] // 2) * ROW,
            v=middle * CELL,
            tip_z=np.full(len(middle), tip_z),
            width=(stretches.last - stretches.first) * CELL,
            **self._between(stretches, tip_z, middle_z=tip_z + 0.5 * pad_height),
        )

    def _slices(self, cells: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
        """Whether any of ``width`` rows around each sampled row is occupied."""
        result = cells[:, self._rows - width // 2]
        for offset in range(1, width):
            result = result | cells[:, self._rows - width // 2 + offset]
        return result

    def _stretches(self, slices: NDArray[np.bool_], widest: float) -> _Stretches:
        yaw, row, cell = np.nonzero(slices)
        line = yaw * slices.shape[1] + row
        breaks = (np.diff(line) != 0) | (np.diff(cell) > _SOLID_GAP_CELLS)
        start = np.flatnonzero(np.concatenate(([True], breaks))) if len(cell) else cell
        end = np.concatenate((start[1:], [len(cell)])).astype(np.intp) - 1 if len(cell) else cell
        firsts, lasts = [], []
        for span in range(_LONGEST_STRETCH):
            begin, finish = start[: len(start) - span], end[span:]
            fits = (line[begin] == line[finish]) & ((cell[finish] - cell[begin]) * CELL <= widest)
            firsts.append(begin[fits])
            lasts.append(finish[fits])
        first, last = np.concatenate(firsts), np.concatenate(lasts)
        return _Stretches(yaw=yaw[first], row=row[first], first=cell[first], last=cell[last])

    def _is_free(
        self, stretches: _Stretches, tip_z: float, *, opening: float, thickness: float
    ) -> NDArray[np.bool_]:
        """Whether all that the open fingers would meet is what they are to grasp."""
        wide = self._slices(self._all >= tip_z, self._wide_rows)
        counts = np.zeros((*wide.shape[:2], wide.shape[2] + 1), np.int32)
        np.cumsum(wide, axis=2, out=counts[:, :, 1:])
        reach = 0.5 * opening + thickness
        middle = 0.5 * (stretches.first + stretches.last)
        limit = wide.shape[2]

        def occupied(low: NDArray[np.intp], high: NDArray[np.intp]) -> NDArray[np.int32]:
            low, high = np.clip(low, 0, limit), np.clip(high + 1, 0, limit)
            found: NDArray[np.int32] = (
                counts[stretches.yaw, stretches.row, high]
                - counts[stretches.yaw, stretches.row, low]
            )
            return found

        whole = occupied(
            np.floor(middle - reach / CELL).astype(np.intp),
            np.ceil(middle + reach / CELL).astype(np.intp),
        )
        between = occupied(stretches.first - _EDGE_CELLS, stretches.last + _EDGE_CELLS)
        free: NDArray[np.bool_] = whole == between
        return free

    def _between(
        self, stretches: _Stretches, tip_z: float, *, middle_z: float
    ) -> dict[str, NDArray[np.float64]]:
        """Spread of the edges and the top of what is between the fingers, ``(C,)`` each.

        The edges vary from row to row, and between all rows' outermost ones at the fingers'
        ends and at the middle of the pads, as they do above a ball's equator.
        """
        window = self._window(stretches)
        first, last, is_touched = _edges(window >= tip_z)
        middle_first, middle_last, is_middle = _edges(window >= middle_z)
        squares = np.zeros(len(window))
        for edge, middle, sign in ((first, middle_first, 1), (last, middle_last, -1)):
            outer = np.where(is_touched, sign * edge, _FAR).min(axis=1)
            inner = np.where(is_touched, sign * edge, -_FAR).max(axis=1)
            inward = np.where(is_middle, sign * middle, _FAR).min(axis=1) - outer
            inward = np.where(is_middle.any(axis=1), inward, 0)
            squares = np.maximum(squares, (inner - outer) ** 2 + inward**2)
        return {
            "spread": CELL * np.sqrt(squares),
            "top": window.max(axis=(1, 2), initial=-np.inf),
        }

    def _window(self, stretches: _Stretches) -> NDArray[np.float32]:
        """Heights between the fingers ``(C, pad rows, cells)``, -inf beyond the last cell."""
        longest = int((stretches.last - stretches.first).max(initial=0)) + 1
        rows = self._rows[stretches.row][:, None] + np.arange(self._pad_rows)
        cells = stretches.first[:, None] + np.arange(longest)
        window = self._own[
            stretches.yaw[:, None, None],
            rows[:, :, None] - self._pad_rows // 2,
            np.minimum(cells, self._shape[2] - 1)[:, None, :],
        ]
        return np.where(
            (cells <= stretches.last[:, None])[:, None, :], window, np.float32(-np.inf)
        )


def _edges(
    cells: NDArray[np.bool_],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """First and last true cell of rows ``(..., cells)``, and whether there is one."""
    first = cells.argmax(axis=-1)
    last = cells.shape[-1] - 1 - cells[..., ::-1].argmax(axis=-1)
    return first, last, np.asarray(cells.any(axis=-1))
