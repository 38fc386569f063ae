"""Look around in a room, as far as there is anything left to see."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.mapping import CELL_M
from malmm_ros.cooperation.transport.memory import TransportMemory

_SECTORS = 24
# So many unseen cells in a direction are worth a turn; fewer are corners behind furniture.
_WORTH_CELLS = 3


class LookingAround:
    """A circle on one spot, turned only where unseen floor lies; each direction once."""

    def __init__(self, memory: TransportMemory, room: str) -> None:
        self._memory = memory
        self._window = self._window_of(room)
        self._faced: NDArray[np.bool_] = np.zeros(_SECTORS, dtype=bool)

    def next_turn(self) -> Literal["turn_left", "turn_right"] | None:
        """Where to turn next; ``None`` when everything in the room was faced or seen."""
        heading = self._memory.now.pose.heading
        half_view = 0.5 * math.radians(self._memory.briefing.rules.field_of_view_deg)
        bearings = (np.arange(_SECTORS) + 0.5) * math.tau / _SECTORS
        aside = np.remainder(bearings - heading + math.pi, math.tau) - math.pi
        self._faced |= np.abs(aside) <= half_view
        wanted = ~self._faced & (self._unseen_by_sector() >= _WORTH_CELLS)
        if not wanted.any():
            return None
        nearest = aside[wanted][np.abs(aside[wanted]).argmin()]
        return "turn_left" if nearest > 0 else "turn_right"

    def _window_of(self, room_name: str) -> tuple[slice, slice]:
        memory = self._memory
        room = next(room for room in memory.briefing.rooms if room.name == room_name)
        inside = room.inside
        return memory.chart.grid.window(inside.x0, inside.y0, inside.x1, inside.y1)

    def _unseen_by_sector(self) -> NDArray[np.int64]:
        """``(sectors,)``, how many unseen cells of the room lie in each direction."""
        memory, (below, aside) = self._memory, self._window
        rows, columns = np.nonzero(~memory.chart.explored[self._window])
        grid, pose = memory.chart.grid, memory.now.pose
        dx = grid.x0 + (columns + aside.start + 0.5) * CELL_M - pose.x
        dy = grid.y0 + (rows + below.start + 0.5) * CELL_M - pose.y
        is_near = np.hypot(dx, dy) <= memory.briefing.rules.sensing_m
        share = np.remainder(np.arctan2(dy, dx)[is_near], math.tau) / math.tau
        sectors = np.minimum((share * _SECTORS).astype(np.int64), _SECTORS - 1)
        return np.bincount(sectors, minlength=_SECTORS)
