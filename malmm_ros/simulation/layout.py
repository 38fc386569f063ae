"""Find places on the table: apart from each other, inside the workspace, within reach."""

from __future__ import annotations

import math

import numpy as np

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import TABLE_TOP_Z, Workspace
from malmm_ros.simulation.reach import Reach

_TRIES = 2000
# The front camera's image ends here at table height.
_FARTHEST_SEEN_X = 0.505


class Layout:
    """Places taken so far on one table."""

    def __init__(
        self, rng: np.random.Generator, reach: Reach, workspace: Workspace | None = None
    ) -> None:
        self.rng = rng
        self._reach = reach
        self._workspace = workspace or Workspace()
        self._taken: list[tuple[float, float, float]] = []

    def place(
        self,
        size: Vector3,
        *,
        clearance: float,
        symmetry: int = 4,
        work_height: float = 0.0,
        lift: float = 0.12,
        border: float = 0.0,
    ) -> Pose:
        """Take a random free place for an object that stands on the table.

        Args:
            size: Full extents.
            clearance: Least distance of its centre from the centres of those placed before; two
                objects keep the larger of their clearances.
            symmetry: Of its yaw; 0 for round.
            work_height: The tool point must also get this far above the table here.
            lift: And this much above each of those points.
            border: Keep this far from the workspace's sides, besides the object's own size.

        Raises:
            SimulationError: No free place was found.
        """
        inset = border + 0.5 * math.hypot(size[0], size[1])
        low, high = self._workspace.low, self._workspace.high
        farthest = min(high[0], _FARTHEST_SEEN_X)
        for _ in range(_TRIES):
            x = float(self.rng.uniform(low[0] + inset, farthest - inset))
            y = float(self.rng.uniform(low[1] + inset, high[1] - inset))
            yaw = float(self.rng.uniform(-math.pi, math.pi))
            if not self._is_free(x, y, clearance):
                continue
            grasp = (x, y, TABLE_TOP_Z + max(0.015, 0.5 * size[2]))
            top = (x, y, TABLE_TOP_Z + work_height)
            if not self._reach.is_reachable(grasp, yaw, symmetry=symmetry, lift=lift):
                continue
            if work_height and not self._reach.is_reachable(
                top, yaw, symmetry=symmetry, lift=lift
            ):
                continue
            self._taken.append((x, y, clearance))
            return Pose.from_yaw((x, y, TABLE_TOP_Z + 0.5 * size[2]), yaw)
        raise SimulationError(
            f"no free place found on the table for an object of {size} m in {_TRIES} tries; "
            f"{len(self._taken)} objects stand there already"
        )

    def _is_free(self, x: float, y: float, clearance: float) -> bool:
        return all(
            math.hypot(x - other_x, y - other_y) >= max(clearance, other)
            for other_x, other_y, other in self._taken
        )
