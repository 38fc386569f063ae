"""From the points of one thing to its upright box."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, Vector3, wrap_angle
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.forms import FLAT, UNKNOWN, recognise
from malmm_ros.perception.estimation.object_points import without_outliers, without_strays
from malmm_ros.perception.estimation.shape import (
    FIT_POINTS,
    Shape,
    extent_of,
    shape_of,
    thinned,
    top_of,
)
from malmm_ros.perception.estimation.solids import solids_for
from malmm_ros.perception.estimation.surface_fit import (
    BoxPrior,
    UprightFit,
    fit_box,
    fit_cylinder,
    fit_sphere,
)
from malmm_ros.perception.quantiles import quantile
from malmm_ros.scene import Workspace

LEAST_POINTS = 12
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
# Kinds that are square, and when only one side of them is seen.
_SQUARE, _ONE_SIDE = frozenset(("cradle", "ring")), 0.45
_STRIP = 0.8
# Height over width of a peg whose foot is hidden.
_PEG_ASPECT = 4.8
_BOARD_THICKNESS, _POST_WIDTH = 0.015, 0.03  # m, of a backboard
_TRAY_WALL = 0.004  # m
_FAR = 10.0  # m: a box so high has no top that points could lie on
_BORDER = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Upright:
    """A thing's box as its kind's rule makes it.

    Attributes:
        size: Extents along its own axes.
        symmetry: Of its yaw, as in :class:`~malmm_ros.scene.SceneObject`.
    """

    center: tuple[float, float]
    yaw: float
    size: Vector3
    bottom: float
    symmetry: int
    residual: float = 0.0


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
    points = without_strays(thinned(without_outliers(cloud).points, FIT_POINTS))
    if len(points) < LEAST_POINTS:
        return None
    bottom = _bottom(points, category, table_z, support_z, is_floating=is_floating)
    shape = shape_of(points, bottom=bottom, is_floating=is_floating)
    upright = _RULES.get(category, _free_box)(shape)
    if seen_from is not None and _has_no_back(shape, category):
        upright = _with_back(upright, shape, seen_from)
    return _detection(upright, cloud, category or UNKNOWN, color)


def _has_no_back(shape: Shape, category: str) -> bool:
    """Whether only one side is seen of something that must be square."""
    if category == FLAT:
        # What hides a part of it stands on it: its front strip is seen.
        return shape.short < _STRIP * shape.long
    is_cube = category == "block" and abs(shape.long - shape.height) < 0.25 * shape.height
    return (is_cube or category in _SQUARE) and shape.short < _ONE_SIDE * shape.long


def _with_back(upright: Upright, shape: Shape, seen_from: Vector3) -> Upright:
    """A square thing of which only one side is seen, completed away from the camera."""
    (x, y), (width, length), degrees = cv2.minAreaRect(shape.points[:, :2].astype(np.float32))
    along = math.radians(degrees) + (0.0 if width >= length else 0.5 * math.pi)
    normal = np.array([-math.sin(along), math.cos(along)])
    away = np.array([x - seen_from[0], y - seen_from[1]])
    normal *= 1.0 if float(normal @ away) > 0.0 else -1.0
    edge = max(width, length)
    shift = 0.5 * (edge - min(width, length)) * normal
    return replace(
        upright,
        center=(x + float(shift[0]), y + float(shift[1])),
        yaw=along,
        size=(edge, edge, upright.size[2]),
    )


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
    if category in _STANDING and not is_carried:
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


def _from_fit(
    fit: UprightFit, shape: Shape, *, symmetry: int, height: float | None = None
) -> Upright:
    return Upright(
        center=fit.center,
        yaw=fit.yaw,
        size=(*fit.size, shape.height if height is None else height),
        bottom=shape.bottom,
        symmetry=symmetry,
        residual=fit.residual,
    )


def _squared(fit: UprightFit, *, within: float) -> tuple[UprightFit, int]:
    """A footprint that is nearly square made square, and its symmetry."""
    width, length = fit.size
    if abs(width - length) > within * max(fit.size):
        return fit, 2
    edge = 0.5 * (width + length)
    return (
        UprightFit(center=fit.center, yaw=fit.yaw, size=(edge, edge), residual=fit.residual),
        4,
    )


def _block(shape: Shape) -> Upright:
    prior = BoxPrior(square_sigma=0.003)
    fit = fit_box(shape.points, bottom=shape.bottom, top=shape.top, prior=prior)
    if max(fit.size) > 1.3 * min(fit.size):
        return _free_box(shape)
    fit, symmetry = _squared(fit, within=0.3)
    return _from_fit(fit, shape, symmetry=symmetry)


def _free_box(shape: Shape) -> Upright:
    fit = fit_box(shape.points, bottom=shape.bottom, top=shape.top)
    fit, symmetry = _squared(fit, within=0.08)
    return _from_fit(_lengthwise(fit), shape, symmetry=symmetry)


def _slab(shape: Shape) -> Upright:
    fit = fit_box(shape.points, bottom=shape.bottom, top=shape.top)
    return _from_fit(_lengthwise(fit), shape, symmetry=2)


def _lengthwise(fit: UprightFit) -> UprightFit:
    """The same with the longer side along x."""
    width, length = fit.size
    if width >= length:
        return fit
    return UprightFit(
        center=fit.center,
        yaw=fit.yaw + 0.5 * math.pi,
        size=(length, width),
        residual=fit.residual,
    )


def _round(shape: Shape) -> Upright:
    # No wider than what is seen of it: an arc alone leaves the radius open.
    radius = 0.5 * shape.long
    fit = fit_cylinder(shape.points, bottom=shape.bottom, top=shape.top, radius=radius)
    return _from_fit(fit, shape, symmetry=0)


def _ball(shape: Shape) -> Upright:
    fit = fit_sphere(shape.points, bottom=shape.bottom)
    return _from_fit(fit, shape, symmetry=0, height=fit.size[0])


def _body_round(shape: Shape) -> Upright:
    """A jar or bottle: the circle around its widest part, its height to the top of the neck."""
    z = shape.points[:, 2]
    share = 0.75 if shape.height < 0.18 else 0.6
    body = shape.points[(z < shape.bottom + share * shape.height) & (z > shape.bottom + 0.004)]
    points = body if len(body) >= LEAST_POINTS else shape.points
    fit = fit_cylinder(points, bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    return _from_fit(fit, shape, symmetry=0)


def _rim_round(shape: Shape) -> Upright:
    """A bin or hoop: the circle of its rim."""
    rim = _rim(shape, max(0.012, 0.1 * shape.height))
    fit = fit_cylinder(rim, bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    return _from_fit(fit, shape, symmetry=0)


def _rim_box(shape: Shape) -> Upright:
    """A tray: the rectangle of its rim."""
    fit = fit_box(_rim(shape, 0.007), bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    # Near walls are seen from outside, far ones from inside.
    width, length = (side + _TRAY_WALL for side in fit.size)
    fit, symmetry = _squared(replace(fit, size=(width, length)), within=0.08)
    return _from_fit(_lengthwise(fit), shape, symmetry=symmetry)


def _rim(shape: Shape, band: float) -> NDArray[np.float64]:
    rim = shape.top_points(band)
    return rim if len(rim) >= LEAST_POINTS else shape.points


def _square(shape: Shape) -> Upright:
    prior = BoxPrior(square_sigma=0.002)
    fit = fit_box(shape.points, bottom=shape.bottom, top=shape.top, prior=prior)
    fit, _ = _squared(fit, within=1.0)
    return _from_fit(fit, shape, symmetry=4)


def _board(shape: Shape) -> Upright:
    """A backboard: a wide thin plate on a post."""
    z = shape.points[:, 2]
    plate = shape.points[z > shape.bottom + 0.45 * shape.height]
    if len(plate) < LEAST_POINTS:
        plate = shape.points
    _, _, axes = np.linalg.svd(plate[:, :2] - plate[:, :2].mean(axis=0), full_matrices=False)
    across = math.atan2(float(axes[0][1]), float(axes[0][0])) - 0.5 * math.pi
    along = (plate[:, :2] @ axes[0]).astype(np.float64)
    prior = BoxPrior(
        size=(_BOARD_THICKNESS, quantile(along, 0.997) - quantile(along, 0.003)),
        size_sigma=0.004,
    )
    fit = fit_box(plate, bottom=shape.bottom - _FAR, top=shape.top, prior=prior, yaws=(across,))
    return Upright(
        center=fit.center,
        yaw=fit.yaw,
        size=(_POST_WIDTH, fit.size[1], shape.height),
        bottom=shape.bottom,
        symmetry=2,
        residual=fit.residual,
    )


def _mark(shape: Shape) -> Upright:
    """A mark on the table: the rectangle of its outline."""
    fit = fit_box(shape.points, bottom=shape.bottom - _FAR, top=shape.bottom + 0.001)
    fit, symmetry = _squared(fit, within=0.15)
    return Upright(
        center=fit.center,
        yaw=fit.yaw,
        size=(*fit.size, 0.001),
        bottom=shape.bottom,
        symmetry=symmetry,
    )


_RULES: dict[str, Callable[[Shape], Upright]] = {
    "block": _block,
    "peg": _square,
    "ring": _square,
    "cradle": _square,
    "lid": _round,
    "cap": _round,
    "cylinder": _round,
    "can": _round,
    "ball": _ball,
    "tomato": _ball,
    "jar": _body_round,
    "bottle": _body_round,
    "bin": _rim_round,
    "hoop": _rim_round,
    "container": _rim_box,
    "tray": _rim_box,
    "rubbish": _slab,
    "meat": _slab,
    "chicken": _slab,
    "steak": _slab,
    "base": _slab,
    "grill": _slab,
    "shelf": _slab,
    "backboard": _board,
    FLAT: _mark,
}

__all__ = ["LEAST_POINTS", "estimate", "recognise"]
