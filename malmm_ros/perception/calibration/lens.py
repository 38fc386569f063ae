"""A camera's intrinsics with distortion, as ROS's camera_calibration writes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose

# Number of coefficients that each model may have.
_MODELS = {"plumb_bob": (0, 4, 5), "rational_polynomial": (8,)}
_EXPECTED = (
    "image_width, image_height, camera_matrix: {data: [9 numbers]}, "
    "distortion_coefficients: {data: [...]} and distortion_model, as camera_calibration writes"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lens:
    """Intrinsics of one camera.

    Attributes:
        matrix: ``(3, 3)``, pixels.
        coefficients: Of OpenCV's distortion: k1, k2, p1, p2, k3 ...; may be empty.
    """

    width_px: int
    height_px: int
    matrix: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    def project(self, points: NDArray[np.float64], camera_from_points: Pose) -> Pixels:
        """Pixels ``(N, 2)`` of points ``(N, 3)`` in front of the camera."""
        local = camera_from_points.apply(points)
        pixels, _ = cv2.projectPoints(
            local, np.zeros(3), np.zeros(3), self.matrix, self.coefficients
        )
        return np.asarray(pixels, np.float64).reshape(-1, 2)


Pixels = NDArray[np.float64]


def load_lens(path: Path) -> Lens:
    """Read a camera's intrinsics.

    Raises:
        ConfigurationError: The file is missing or does not hold intrinsics.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(str(path), f"is not valid YAML: {error}") from error
    try:
        return _lens(content, path)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(str(path), f"must hold {_EXPECTED}") from error


def _lens(content: Any, path: Path) -> Lens:
    matrix = np.array(content["camera_matrix"]["data"], np.float64).reshape(3, 3)
    listed = content.get("distortion_coefficients", {"data": []})["data"]
    coefficients = np.array(listed, np.float64).reshape(-1)
    model = str(content.get("distortion_model", "plumb_bob"))
    if len(coefficients) not in _MODELS.get(model, ()):
        raise ConfigurationError(
            str(path),
            f"distortion {model!r} with {len(coefficients)} coefficients is not supported; "
            "valid: plumb_bob with 4 or 5, rational_polynomial with 8",
        )
    if not (np.isfinite(matrix).all() and np.isfinite(coefficients).all()):
        raise ConfigurationError(str(path), "its numbers are not all finite")
    if matrix[0, 0] <= 0.0 or matrix[1, 1] <= 0.0:
        raise ConfigurationError(str(path), "its focal lengths must be positive")
    return Lens(
        width_px=int(content["image_width"]),
        height_px=int(content["image_height"]),
        matrix=matrix,
        coefficients=coefficients,
    )
