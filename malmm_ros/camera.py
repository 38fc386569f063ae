"""Cameras and what they see; optical frames: x right, y down, z forward."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinhole:
    """Intrinsics without distortion; whole pixel numbers are pixel centres.

    Attributes:
        fx: Focal lengths and centre in pixels.
    """

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float

    @classmethod
    def from_field_of_view(
        cls, vertical_field_of_view: float, *, width_px: int, height_px: int
    ) -> Pinhole:
        """Square pixels, the axis through the middle of the image.

        Args:
            vertical_field_of_view: Radians over the full height.
            width_px: Columns.
            height_px: Rows.
        """
        focal = 0.5 * height_px / math.tan(0.5 * vertical_field_of_view)
        return cls(
            width_px=width_px,
            height_px=height_px,
            fx=focal,
            fy=focal,
            cx=0.5 * (width_px - 1),
            cy=0.5 * (height_px - 1),
        )

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels ``(N, 2)`` (column, row) of points ``(N, 3)`` in the optical frame, z > 0."""
        depth = points[:, 2]
        return np.column_stack(
            (
                self.fx * points[:, 0] / depth + self.cx,
                self.fy * points[:, 1] / depth + self.cy,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RgbdImage:
    """One colour and depth image from one place.

    Attributes:
        rgb: ``(H, W, 3)``, uint8.
        depth: ``(H, W)``, float32, metres along the optical axis; 0 means no reading.
        camera: Intrinsics of both.
        world_from_camera: Pose of the optical frame.
        camera_name: ``"front"``, ``"wrist"``, ...
        stamp_s: When it was taken.
        labels: ``(H, W)``, int32, index into ``label_names``, −1 for what has no name; only from
            simulated cameras, on request.
        label_names: Names that the labels stand for.

    Raises:
        PerceptionError: The sizes differ.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    camera: Pinhole
    world_from_camera: Pose
    camera_name: str = ""
    stamp_s: float = 0.0
    labels: NDArray[np.int32] | None = None
    label_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        size = (self.camera.height_px, self.camera.width_px)
        if self.rgb.shape != (*size, 3) or self.depth.shape != size:
            raise PerceptionError(
                f"image sizes differ: rgb {self.rgb.shape}, depth {self.depth.shape}, "
                f"camera {size}"
            )
