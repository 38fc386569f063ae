"""Points with colours, and how they come out of an image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCloud:
    """Points and their colours.

    Attributes:
        points: ``(N, 3)``, float64, metres; world frame where nothing else is said. N may be 0.
        colors: ``(N, 3)``, uint8, RGB.

    Raises:
        PerceptionError: The shapes differ.
    """

    points: NDArray[np.float64]
    colors: NDArray[np.uint8]

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise PerceptionError(f"a cloud's points must be (N, 3), got {self.points.shape}")
        if self.colors.shape != self.points.shape:
            raise PerceptionError(
                f"a cloud's colours must be {self.points.shape} like its points, "
                f"got {self.colors.shape}"
            )

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def empty(cls) -> PointCloud:
        """No points."""
        return cls(points=np.empty((0, 3)), colors=np.empty((0, 3), np.uint8))

    def where(self, keep: NDArray[np.bool_]) -> PointCloud:
        """The points that a mask ``(N,)`` keeps."""
        return PointCloud(points=self.points[keep], colors=self.colors[keep])

    @classmethod
    def joined(cls, clouds: list[PointCloud]) -> PointCloud:
        """All points of several clouds of one frame."""
        if not clouds:
            return cls.empty()
        return cls(
            points=np.concatenate([cloud.points for cloud in clouds]),
            colors=np.concatenate([cloud.colors for cloud in clouds]),
        )


def deproject(image: RgbdImage, mask: NDArray[np.bool_] | None = None) -> PointCloud:
    """Turn the masked pixels that have a depth into points of the world frame.

    Args:
        image: Its pose places the points.
        mask: ``(H, W)``; only true pixels are used. ``None``: all.

    Returns:
        In row-major pixel order; pixels without a reading (0, NaN, infinite) are left out.

    Raises:
        PerceptionError: The mask has another size than the image.
    """
    if mask is not None and mask.shape != image.depth.shape:
        raise PerceptionError(f"mask {mask.shape} and image {image.depth.shape} differ in size")
    valid = np.isfinite(image.depth) & (image.depth > 0.0)
    rows, columns = np.nonzero(valid if mask is None else valid & mask)
    depth = image.depth[rows, columns].astype(np.float64)
    camera = image.camera
    points = np.column_stack(
        (
            (columns - camera.cx) / camera.fx * depth,
            (rows - camera.cy) / camera.fy * depth,
            depth,
        )
    )
    return PointCloud(
        points=image.world_from_camera.apply(points), colors=image.rgb[rows, columns]
    )
