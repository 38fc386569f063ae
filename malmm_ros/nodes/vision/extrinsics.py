"""Camera poses from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import WORLD, Pose, vector3

_UNIT_TOLERANCE = 0.01


class Extrinsics:
    """Where cameras sit: a YAML mapping of their names.

    ``cameras: {front: {parent: world, position: [x, y, z], orientation: [x, y, z, w]}}``; the
    pose is that of the optical frame in its parent, a frame of ``/tf`` (``world`` by default).

    Raises:
        ConfigurationError: The file cannot be read, or a pose is not a rigid transform.
        UnknownNameError: A camera is missing from it.
    """

    def __init__(self, path: Path, cameras: tuple[str, ...]) -> None:
        entries = _read(path)
        self._poses: dict[str, tuple[str, Pose]] = {}
        for camera in cameras:
            if camera not in entries:
                raise UnknownNameError(f"{path}: camera", camera, entries)
            self._poses[camera] = _entry(entries[camera], where=f"{path}: camera {camera!r}")

    def place(self, camera: str) -> tuple[str, Pose]:
        """The parent frame of a camera, and ``parent_from_camera``."""
        return self._poses[camera]


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(str(path), f"is not valid YAML: {error}") from error
    entries = content.get("cameras") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        raise ConfigurationError(str(path), "must hold a mapping 'cameras' of names to poses")
    return entries


def _entry(entry: Any, *, where: str) -> tuple[str, Pose]:
    if not isinstance(entry, dict):
        raise ConfigurationError(where, "must be a mapping with position and orientation")
    try:
        position = vector3([float(value) for value in entry["position"]])
        x, y, z, w = (float(value) for value in entry["orientation"])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            where, "needs position [x, y, z] and orientation [x, y, z, w], finite numbers"
        ) from error
    norm = math.hypot(x, y, z, w)
    if not abs(norm - 1.0) <= _UNIT_TOLERANCE:
        raise ConfigurationError(
            where, f"orientation must be a unit quaternion, its norm is {norm:g}"
        )
    pose = Pose(position, (x / norm, y / norm, z / norm, w / norm))
    return str(entry.get("parent", WORLD)), pose
