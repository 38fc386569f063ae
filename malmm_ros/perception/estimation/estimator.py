"""From the points of one thing to its upright box."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, Vector3, wrap_angle
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.completion import centred, completed
from malmm_ros.perception.estimation.forms import UNKNOWN
from malmm_ros.perception.estimation.object_points import without_outliers, without_strays
from malmm_ros.perception.estimation.shape import (
    extent_of,
    shape_of,
    thinned,
    top_of,
)
from malmm_ros.perception.estimation.solids import solids_for
from malmm_ros.perception.estimation.upright import Upright, upright_of
from malmm_ros.perception.quantiles import quantile
from malmm_ros.scene import Workspace

LEAST_POINTS = 12
# Where a box ends across the view, the few points at its edges tell: of 240 points, too few are
# there, and a still thing's place scatters by 2.4 mm from frame to frame instead of by 1.0.
_POINTS = 720
# Things whose lowest visible point is higher than this stand on something else than the table
# (unless what hides their foot is nearer to the camera, which the caller knows).
_ON_SOMETHING = 0.1
# Flat enough that all of their side is seen, so that they stand where they are seen to end.
_THIN = frozenset(("lid", "cap", "ring", "rubbish", "chicken", "steak", "meat"))
_FIXED = frozenset(
    ("jar", "container", "bin", "hoop", "backboard", "cradle", "peg", "base", "grill", "shelf",
     "target area")
)  # fmt: skip
# Things that stand on the table, whatever their lower edge seems to be.
_STANDING = frozenset(("backboard", "bin", "container", "grill", "base", "cradle"))
# Solid things with a level top, in the middle of which their axis is.
_CENTRED = frozenset(
    ("block", "cylinder", "can", "lid", "cap", "rubbish", "meat", "chicken", "steak", "object", "")
)
# Height over width of a peg whose foot is hidden.
_PEG_ASPECT = 4.8
_BORDER = 0.15


def estimate(
    cloud: PointCloud,
    *,
    category: str,
    color: str,
    table_z: float,
    support_z: float | None = None,
    is_floating: bool = False,
    seen_from: Vector3 | None = None,
) -> Detection | None:
    """The upright box of one thing, with its unseen back completed.

    Args:
        cloud: Its points, world frame, from one or several cameras; best from
            :func:`~malmm_ros.perception.estimation.object_points.object_points`.
        category: What it is; empty or ``"object"``: an upright box of free extents.
        color: Its colour's name.
        table_z: Height of the table's top.
        support_z: Height of what it stands on; ``None``: told from the points and its kind.
        is_floating: It ends where it is seen to end.
        seen_from: Position of the only camera that saw it: what is missing lies behind.

    Returns:
        ``None`` when there are too few points, or none near the workspace.
    """
    if len(cloud) < LEAST_POINTS or not _is_near_workspace(cloud):
        return None
    points = without_strays(thinned(without_outliers(cloud).points, _POINTS))
    if len(points) < LEAST_POINTS:
        return None
    bottom = _bottom(points, category, table_z, support_z, is_floating=is_floating)
    shape = shape_of(points, bottom=bottom, is_floating=is_floating, most_points=_POINTS)
    upright = upright_of(shape, category)
    if seen_from is not None:
        if category in _CENTRED:
            upright = centred(upright, shape, seen_from)
        upright = completed(upright, shape, category, seen_from)
    return _detection(upright, cloud, category or UNKNOWN, color)


def _bottom(
    points: NDArray[np.float64],
    category: str,
    table_z: float,
    support_z: float | None,
    *,
    is_floating: bool,
) -> float:
    lowest = quantile(points[:, 2], 0.01)
    is_carried = support_z is not None and support_z > table_z + 0.02 and not is_floating
    if category == "backboard" or (category in _STANDING and not is_carried):
        return table_z
    if support_z is not None:
        return support_z
    if category == "peg":
        edge = extent_of(points[points[:, 2] > top_of(points[:, 2]) - 0.004][:, :2])[0]
        return max(table_z, top_of(points[:, 2]) - _PEG_ASPECT * edge)
    limit = 0.015 if category in _THIN else _ON_SOMETHING
    if is_floating or category in ("hoop", "shelf") or lowest - table_z > limit:
        return lowest
    return table_z


def _is_near_workspace(cloud: PointCloud) -> bool:
    middle = np.median(cloud.points, axis=0)
    return Workspace().contains((float(v) for v in middle), margin=-_BORDER)


def _detection(upright: Upright, cloud: PointCloud, category: str, color: str) -> Detection:
    x, y = upright.center
    yaw = upright.yaw
    if upright.symmetry:
        yaw = wrap_angle(yaw, 2.0 * math.pi / upright.symmetry)
    height = upright.size[2]
    return Detection(
        category=category,
        color=color,
        pose=Pose.from_yaw((x, y, upright.bottom + 0.5 * height), yaw),
        size=upright.size,
        yaw_symmetry=upright.symmetry,
        solids=solids_for(category, upright.size),
        is_fixed=category in _FIXED,
        cloud=cloud,
        score=float(np.clip(1.0 - upright.residual / 0.02, 0.05, 1.0)),
    )
