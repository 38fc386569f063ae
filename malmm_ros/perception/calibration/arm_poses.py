"""Poses of the hand while images were taken, from a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml

from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose, vector3

_UNIT_TOLERANCE = 0.01


def load_arm_poses(path: Path) -> dict[str, Pose]:
    """Read poses of the tool point by image name.

    Args:
        path: ``a.png: {position: [x, y, z], orientation: [x, y, z, w]}`` for each image, world
            frame.

    Raises:
        ConfigurationError: The file cannot be read, or does not hold poses.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(str(path), f"is not valid YAML: {error}") from error
    if not isinstance(content, dict) or not content:
        raise ConfigurationError(str(path), "must be a mapping of image names to poses")
    return {str(name): _pose(entry, f"{path}: {name}") for name, entry in content.items()}


def _pose(entry: Any, where: str) -> Pose:
    try:
        x, y, z, w = (float(value) for value in entry["orientation"])
        position = vector3([float(value) for value in entry["position"]])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            where, "needs position [x, y, z] and orientation [x, y, z, w]"
        ) from error
    norm = math.hypot(x, y, z, w)
    if not abs(norm - 1.0) < _UNIT_TOLERANCE:
        raise ConfigurationError(where, f"its orientation has the norm {norm:.3f} instead of 1")
    return Pose(position, (x / norm, y / norm, z / norm, w / norm))
