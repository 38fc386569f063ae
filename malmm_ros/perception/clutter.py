"""What rises from the table and nobody recognised: in the hand's way, and in the arm's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects, label

from malmm_ros.configuration import above, within
from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.estimation.table import rays
from malmm_ros.perception.tracking.visibility import View
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Workspace

OBSTACLE = "obstacle"

_STRIDE = 3
_GRAY = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class ClutterConfig:
    """What counts as unrecognised clutter; metres.

    Attributes:
        lowest: What rises less above the table is noise.
        around: Points so near to a known thing are its own: sizes and poses are a little off.
        robot: So many pixels around the robot's own may show it, too.
        cell: Edge of the cells that are seen as occupied or not.
        least_points: Readings in a cell that make it occupied; lone ones are noise.
        least_width: Narrower heaps are no obstacles to plan around.
        least_height: Nor are lower ones.
        frames: So often in a row something must be seen before it is believed.
    """

    lowest: float = field(default=0.012, metadata=above(0.0, 0.2))
    around: float = field(default=0.02, metadata=above(0.0, 0.2))
    robot: int = field(default=12, metadata=within(0))
    cell: float = field(default=0.015, metadata=above(0.0, 0.2))
    least_points: int = field(default=2, metadata=within(1))
    least_width: float = field(default=0.02, metadata=above(0.0, 0.2))
    least_height: float = field(default=0.02, metadata=above(0.0, 0.2))
    frames: int = field(default=2, metadata=within(1))

    def __post_init__(self) -> None:
        for name in ("lowest", "around", "cell", "least_width", "least_height"):
            if not 0.0 < getattr(self, name) <= 0.2:
                raise ValueError(f"{name} must be in (0, 0.2] m, got {getattr(self, name)}")
        if self.least_points < 1 or self.frames < 1 or self.robot < 0:
            raise ValueError("least_points and frames must be at least 1, robot at least 0")


class Clutter:
    """Watches the space above the table for what is no known thing and not the robot.

    Args:
        config: What counts.
    """

    def __init__(self, config: ClutterConfig | None = None) -> None:
        self._config = config or ClutterConfig()
        self._low = np.array([*Workspace().low[:2], TABLE_TOP_Z])
        extent = np.subtract(Workspace().high, self._low)
        shape = tuple(int(n) for n in np.ceil(extent / self._config.cell))
        self._ages = np.zeros(shape, np.uint8)

    def update(self, views: Sequence[View], objects: Sequence[SceneObject]) -> None:
        """Look once.

        Args:
            views: With level poses.
            objects: All that is known; their points are not clutter.
        """
        counts = np.zeros(self._ages.shape, np.int32)
        for view in views:
            np.add.at(counts, tuple(self._cells(self._points(view, objects)).T), 1)
        is_seen = counts >= self._config.least_points
        # Noise moves a surface from one cell to the next.
        grown = np.zeros_like(self._ages)
        for shift in (-1, 0, 1):
            np.maximum(grown, np.roll(self._ages, shift, axis=2), out=grown)
        ages = np.where(is_seen, np.minimum(grown, 200) + 1, 0)
        self._ages = ages.astype(np.uint8)

    @property
    def _is_believed(self) -> NDArray[np.bool_]:
        return np.asarray(self._ages >= self._config.frames)

    def cloud(self) -> PointCloud:
        """Middles of the occupied cells, world frame."""
        points = self._low + (np.argwhere(self._is_believed) + 0.5) * self._config.cell
        return PointCloud(points=points, colors=np.full(points.shape, _GRAY, np.uint8))

    def obstacles(self) -> tuple[SceneObject, ...]:
        """Heaps of cells as boxes that stand on the table, to plan around."""
        config, occupied = self._config, self._is_believed
        labels, _ = label(occupied.any(axis=2), np.ones((3, 3), np.uint8))
        found: list[SceneObject] = []
        for index, window in enumerate(find_objects(labels)):
            cells = np.argwhere(occupied[window] & (labels[window] == index + 1)[..., None])
            low = np.array([window[0].start, window[1].start, 0])
            start = self._low + (cells.min(axis=0) + low) * config.cell
            end = self._low + (cells.max(axis=0) + low + 1) * config.cell
            width, length = end[:2] - start[:2]
            height = float(end[2]) - TABLE_TOP_Z
            if max(width, length) < config.least_width or height < config.least_height:
                continue
            x, y = (0.5 * (start + end)[:2]).tolist()
            found.append(
                SceneObject(
                    name=f"{OBSTACLE} {len(found) + 1}",
                    category=OBSTACLE,
                    pose=Pose((x, y, TABLE_TOP_Z + 0.5 * height)),
                    size=(float(width), float(length), height),
                    yaw_symmetry=2,
                    is_fixed=True,
                )
            )
        return tuple(found)

    def _points(self, view: View, objects: Sequence[SceneObject]) -> NDArray[np.float64]:
        """What one camera sees above the table that belongs to nothing known, ``(N, 3)``."""
        size = 2 * (self._config.robot // _STRIDE) + 1
        robot = view.robot[::_STRIDE, ::_STRIDE].astype(np.uint8)
        depth = view.image.depth[::_STRIDE, ::_STRIDE]
        is_used = (cv2.dilate(robot, np.ones((size, size), np.uint8)) == 0) & (depth > 0.0)
        rows, columns = np.nonzero(is_used & np.isfinite(depth))
        directions = rays(view.image, rows * _STRIDE, columns * _STRIDE)
        origin = np.asarray(view.image.world_from_camera.position)
        points: NDArray[np.float64] = directions * depth[rows, columns][:, None] + origin
        points = points[points[:, 2] > TABLE_TOP_Z + self._config.lowest]
        inside = ((points >= self._low) & (points < self._high)).all(axis=1)
        points = points[inside]
        for item in objects:
            local = np.abs(item.pose.inverse().apply(points))
            near = local <= 0.5 * np.asarray(item.size) + self._config.around
            points = points[np.flatnonzero(~near.all(axis=1))]
        return points

    @property
    def _high(self) -> NDArray[np.float64]:
        return np.asarray(self._low + np.asarray(self._ages.shape) * self._config.cell)

    def _cells(self, points: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.asarray((points - self._low) / self._config.cell, np.intp)
