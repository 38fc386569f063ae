"""What a calibration found, and the file of extrinsics that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import WORLD, Pose

# A view this many times worse than the median, and by more than a pixel, is worth a look.
_SUSPICIOUS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Where the camera is.

    Attributes:
        world_from_camera: Pose of the optical frame.
        view_errors_px: Names of the images to the root mean square distance between corners as
            seen and as they should be seen.
        tcp_from_board: How the hand held the board; ``None`` when it lay still.
    """

    world_from_camera: Pose
    view_errors_px: dict[str, float]
    tcp_from_board: Pose | None = None

    @property
    def reprojection_px(self) -> float:
        """Root mean square over the views."""
        return float(np.sqrt(np.mean(np.square(list(self.view_errors_px.values())))))

    @property
    def suspicious(self) -> tuple[str, ...]:
        """Images that fit much worse than the others: a board that moved, a wrong pose."""
        middle = float(np.median(list(self.view_errors_px.values())))
        limit = max(_SUSPICIOUS * middle, middle + 1.0)
        return tuple(name for name, error in self.view_errors_px.items() if error > limit)


def rms_px(seen: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Root mean square distance of pixels ``(N, 2)``."""
    return float(np.sqrt(np.mean(np.sum((seen - expected) ** 2, axis=1))))


def write_extrinsics(path: Path, camera: str, calibration: Calibration) -> None:
    """Put a camera into a YAML file of extrinsics; other cameras in it stay.

    Raises:
        ConfigurationError: The file is something else, or cannot be written.
    """
    content = _existing(path)
    pose = calibration.world_from_camera
    content["cameras"][camera] = {
        "parent": str(WORLD),
        "position": [round(float(value), 6) for value in pose.position],
        "orientation": [round(float(value), 8) for value in pose.orientation],
        "reprojection_error_px": round(calibration.reprojection_px, 3),
        "views": len(calibration.view_errors_px),
    }
    text = (
        "# Poses of optical frames in their parent: metres, quaternions xyzw (malmm calibrate).\n"
    )
    try:
        path.write_text(text + yaml.safe_dump(content, sort_keys=False, default_flow_style=None))
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be written ({error.strerror})") from error


def _existing(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {"cameras": {}}
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(str(path), f"exists and is not YAML: {error}") from error
    if content is None:
        return {"cameras": {}}
    if not isinstance(content, dict) or not isinstance(content.get("cameras"), dict):
        raise ConfigurationError(str(path), "exists and is not a file of extrinsics")
    return content
