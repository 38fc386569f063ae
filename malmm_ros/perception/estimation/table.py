"""The table's plane: where it is known to be, and how far a camera's pose misses it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from malmm_ros.camera import RgbdImage
from malmm_ros.configuration import above
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.geometry import Pose, Vector3, rotation_matrix
from malmm_ros.scene import TABLE_TOP_Z, Workspace

# Only the plane's part around the workspace counts, metres beyond its bounds.
_BORDER = 0.15
_STRIDE = 9
_LEAST_POINTS = 150
# A camera so low above the table looks at things from close by, metres.
_CLOSE = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlaneConfig:
    """How the table is followed.

    Attributes:
        search: The plane is looked for within this of where it is believed to be, metres.
        refresh: Weight of a new frame against what was known, 0 to 1.
        largest_tilt: A plane tilted by more is not taken for the table, radians.
    """

    search: float = field(default=0.04, metadata=above(0.0))
    refresh: float = field(default=0.2, metadata=above(0.0, 1.0))
    largest_tilt: float = field(default=0.05, metadata=above(0.0))

    def __post_init__(self) -> None:
        if not 0.0 < self.refresh <= 1.0:
            raise ConfigurationError(
                "table plane: refresh", f"must be in (0, 1], got {self.refresh}"
            )
        if self.search <= 0.0 or self.largest_tilt <= 0.0:
            raise ConfigurationError(
                "table plane: search, largest_tilt",
                f"must be positive, got {self.search}, {self.largest_tilt}",
            )


class TablePlane:
    """Watches the table in each camera's images and corrects the cameras' poses by it.

    A table fixes three of the six numbers of a camera's pose: two tilts and the height. What is
    left is a shift along the table and a turn about the vertical.
    """

    def __init__(
        self, config: TablePlaneConfig | None = None, *, workspace: Workspace | None = None
    ) -> None:
        self._config = config or TablePlaneConfig()
        self._workspace = workspace or Workspace()
        # Slope along world x and y and height at the workspace's middle, seen by each camera.
        self._planes: dict[str, NDArray[np.float64]] = {}

    @property
    def table_z(self) -> float:
        """Height of the table's top, world frame: everywhere the same, as the scene has it."""
        return TABLE_TOP_Z

    def update(self, image: RgbdImage, ignore: NDArray[np.bool_] | None = None) -> RgbdImage:
        """Learn from an image and give it with its pose corrected; about a millisecond.

        Args:
            image: Any camera; each has a correction of its own, by its name.
            ignore: ``(H, W)``; true pixels are not looked at.

        Raises:
            PerceptionError: ``ignore`` has another size than the image.
        """
        if ignore is not None and ignore.shape != image.depth.shape:
            raise PerceptionError(
                f"ignore {ignore.shape} and image {image.depth.shape} differ in size"
            )
        seen = None if is_close(image) else self._fit(image, ignore)
        if seen is not None:
            known = self._planes.get(image.camera_name)
            # The first frame counts fully; later ones average the noise away.
            share = 1.0 if known is None else self._config.refresh
            self._planes[image.camera_name] = (
                seen if known is None else known + share * (seen - known)
            )
        return self.level(image)

    def level(self, image: RgbdImage) -> RgbdImage:
        """The image with its pose corrected by what is known of its camera, without learning."""
        plane = self._planes.get(image.camera_name)
        if plane is None or is_close(image):
            return image
        turn = _level_turn(plane)
        moved = turn @ image.world_from_camera.matrix()[:3, :3]
        x, y, z = image.world_from_camera.position
        # Turned about the camera, a point of the plane ends up at some height; lift by the rest.
        foot = turn @ (np.array([*self._middle, plane[2]]) - (x, y, z)) + (x, y, z)
        lift = TABLE_TOP_Z - float(foot[2])
        qx, qy, qz, qw = Rotation.from_matrix(moved).as_quat().tolist()
        return replace(image, world_from_camera=Pose((x, y, z + lift), (qx, qy, qz, qw)))

    @property
    def _middle(self) -> tuple[float, float]:
        low, high = self._workspace.low, self._workspace.high
        return (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]))

    def _fit(
        self, image: RgbdImage, ignore: NDArray[np.bool_] | None
    ) -> NDArray[np.float64] | None:
        """Slopes and height of the table in this image; ``None`` when it is not seen enough."""
        points = _sampled(image, ignore)
        low, high = self._workspace.low, self._workspace.high
        inside = (
            (points[:, 0] > low[0] - _BORDER)
            & (points[:, 0] < high[0] + _BORDER)
            & (points[:, 1] > low[1] - _BORDER)
            & (points[:, 1] < high[1] + _BORDER)
        )
        points = points[inside]
        known = self._planes.get(image.camera_name)
        plane = np.array([0.0, 0.0, TABLE_TOP_Z]) if known is None else known
        rows = np.column_stack((points[:, :2] - self._middle, np.ones(len(points))))
        width = self._config.search
        for _ in range(6):
            misses = points[:, 2] - rows @ plane
            near = np.abs(misses) < width
            if near.sum() < _LEAST_POINTS:
                return None
            fitted: NDArray[np.float64] = np.linalg.lstsq(rows[near], points[near, 2], rcond=None)[
                0
            ]
            plane = fitted
            spread = 1.4826 * float(np.median(np.abs(misses[near] - np.median(misses[near]))))
            width = max(0.003, min(width, 2.5 * spread))
        is_table = float(np.hypot(*plane[:2])) < self._config.largest_tilt
        is_near = abs(plane[2] - TABLE_TOP_Z) < self._config.search
        return plane if is_table and is_near else None


def is_close(image: RgbdImage) -> bool:
    """Whether its camera is on a wrist over a thing: a part of that may be all it sees.

    Then what looks like the table may be a tray's floor, and a wrong pose costs little.
    """
    return image.world_from_camera.position[2] - TABLE_TOP_Z < _CLOSE


def heights(image: RgbdImage, table_z: float) -> NDArray[np.float32]:
    """Height of each pixel above the table.

    Returns:
        ``(H, W)``, metres; −1 where there is no reading.
    """
    rotation = rotation_matrix(image.world_from_camera.orientation)
    camera = image.camera
    across = (np.arange(camera.width_px) - camera.cx) / camera.fx * rotation[2, 0]
    down = (np.arange(camera.height_px) - camera.cy) / camera.fy * rotation[2, 1]
    rise = (across[None, :] + (down + rotation[2, 2])[:, None]).astype(np.float32)
    result = image.depth * rise
    result += np.float32(image.world_from_camera.position[2] - table_z)
    result[~(image.depth > 0.0)] = -1.0
    return np.asarray(result, np.float32)


def rays(
    image: RgbdImage, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Directions ``(N, 3)`` of pixels in the world frame, of length 1 along the optical axis."""
    camera = image.camera
    local = np.column_stack(
        (
            (columns - camera.cx) / camera.fx,
            (rows - camera.cy) / camera.fy,
            np.ones(len(rows)),
        )
    )
    turned: NDArray[np.float64] = local @ rotation_matrix(image.world_from_camera.orientation).T
    return turned


def depth_sigma(distance: float) -> float:
    """What to expect of a depth camera's noise at a distance, metres: 1.5 mm · z²."""
    return 0.0015 * distance * distance


def _sampled(image: RgbdImage, ignore: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    depth = image.depth[::_STRIDE, ::_STRIDE]
    valid = np.isfinite(depth) & (depth > 0.0)
    if ignore is not None:
        valid &= ~ignore[::_STRIDE, ::_STRIDE]
    rows, columns = np.nonzero(valid)
    directions = rays(image, rows * _STRIDE, columns * _STRIDE)
    origin: Vector3 = image.world_from_camera.position
    points: NDArray[np.float64] = directions * depth[rows, columns][:, None] + np.asarray(origin)
    return points


def _level_turn(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest turn that makes a plane with these slopes level."""
    normal = np.array([-plane[0], -plane[1], 1.0])
    normal /= np.linalg.norm(normal)
    axis = np.cross(normal, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return np.eye(3)
    angle = float(np.arctan2(length, normal[2]))
    turn: NDArray[np.float64] = Rotation.from_rotvec(axis / length * angle).as_matrix()
    return turn
