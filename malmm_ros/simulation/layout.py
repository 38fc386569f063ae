"""Find places on the table: apart from each other, inside the workspace, within reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import TABLE_TOP_Z, Workspace
from malmm_ros.simulation.reach import Reach

_TRIES = 2000
# The front camera's image ends here at table height.
_FARTHEST_SEEN_X = 0.505
# Between the points that stand for a rectangle of a group.
_RASTER = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """A rectangle on the table that a group takes up; metres, in the group's frame."""

    center: tuple[float, float] = (0.0, 0.0)
    size: tuple[float, float]

    def raster(self) -> list[tuple[float, float]]:
        """Points that cover it, its corners among them."""
        axes = [
            np.linspace(
                middle - 0.5 * extent, middle + 0.5 * extent, 1 + math.ceil(extent / _RASTER)
            )
            for middle, extent in zip(self.center, self.size, strict=True)
        ]
        return [(float(x), float(y)) for x in axes[0] for y in axes[1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPoint:
    """Where the tool point must get in a group's frame.

    Attributes:
        position: Metres; z above the table.
        yaw: In the group's frame.
        symmetry: Of the yaw; 0: any yaw will do.
        lift: Height over it that must be reachable too.
    """

    position: Vector3
    yaw: float = 0.0
    symmetry: int = 4
    lift: float = 0.12


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

    def place_group(
        self,
        footprints: Sequence[Footprint],
        points: Sequence[WorkPoint],
        *,
        clearance: float,
        yaws: tuple[float, float] = (-math.pi, math.pi),
        accept: Callable[[Pose], bool] = lambda _frame: True,
    ) -> Pose:
        """Take a random free place for things that belong together.

        Args:
            footprints: What they take up.
            points: Where the tool point has to get.
            clearance: Least distance of the footprints from the centres of other objects.
            yaws: Range of the group's yaw, radians.
            accept: What else is asked of the group's frame.

        Returns:
            The group's frame, on the table top.

        Raises:
            SimulationError: No place was found.
        """
        raster = np.array([point for item in footprints for point in item.raster()])
        raster = np.column_stack((raster, np.zeros(len(raster))))
        low, high = self._workspace.low, self._workspace.high
        farthest = min(high[0], _FARTHEST_SEEN_X)
        for _ in range(_TRIES):
            x = float(self.rng.uniform(low[0], farthest))
            y = float(self.rng.uniform(low[1], high[1]))
            frame = Pose.from_yaw((x, y, TABLE_TOP_Z), float(self.rng.uniform(*yaws)))
            covered = frame.apply(raster)[:, :2]
            if not accept(frame):
                continue
            if (covered < low[:2]).any() or (covered > (farthest, high[1])).any():
                continue
            if not all(self._is_free(float(px), float(py), clearance) for px, py in covered):
                continue
            if all(self._is_workable(frame, point) for point in points):
                self._taken += [(float(px), float(py), clearance) for px, py in covered]
                return frame
        raise SimulationError(f"no place found on the table for a group in {_TRIES} tries")

    def _is_workable(self, frame: Pose, point: WorkPoint) -> bool:
        place = frame @ Pose(point.position)
        return self._reach.is_reachable(
            place.position, frame.yaw + point.yaw, symmetry=point.symmetry, lift=point.lift
        )

    def _is_free(self, x: float, y: float, clearance: float) -> bool:
        return all(
            math.hypot(x - other_x, y - other_y) >= max(clearance, other)
            for other_x, other_y, other in self._taken
        )
