"""Where RViz finds the robot's meshes."""

from __future__ import annotations

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from malmm_ros.models import MODEL_DIRECTORY
from malmm_ros.models.description import PACKAGE_PREFIX

_SCHEME = "package://malmm_ros/"


def mesh_root() -> str:
    """The package URI where it resolves, else the folder that this code runs from.

    Run from a source tree, the package is known to ROS by its interfaces only.
    """
    inside = PACKAGE_PREFIX.removeprefix(_SCHEME)
    try:
        share = Path(get_package_share_directory("malmm_ros"))
    except (PackageNotFoundError, OSError):  # OSError: AMENT_PREFIX_PATH is not set
        return MODEL_DIRECTORY.as_uri()
    return PACKAGE_PREFIX if (share / inside / "meshes").is_dir() else MODEL_DIRECTORY.as_uri()
