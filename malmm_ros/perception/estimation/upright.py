"""Each kind's rule to make an upright box of a shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Vector3
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.estimation.shape import Shape, extent_of
from malmm_ros.perception.estimation.surface_fit import (
    BoxPrior,
    UprightFit,
    fit_box,
    fit_cylinder,
    fit_sphere,
)
from malmm_ros.perception.quantiles import quantile

# Thickness of hollow things' walls or rims, metres.
WALLS = {"hoop": 0.01, "bin": 0.003, "container": 0.004}
_LEAST_POINTS = 12
# A body is not narrower than this share of what is seen of it.
_NARROWER = 0.9
_LACK = 0.02  # m
_BOARD_THICKNESS, _POST_WIDTH = 0.015, 0.03  # m, of a backboard
_FAR = 10.0  # m: a box so high has no top that points could lie on


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


def upright_of(shape: Shape, category: str) -> Upright:
    """The box of a thing of some kind; of an unknown kind: with free extents."""
    return _RULES.get(category, _free_box)(shape)


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
    points = body if len(body) >= _LEAST_POINTS else shape.points
    fit = fit_cylinder(points, bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    if fit.size[0] < _NARROWER * shape.short:
        # From above its sides hardly show, but all of its outline does.
        fit = _outline(shape, residual=fit.residual)
    return _from_fit(fit, shape, symmetry=0)


def _outline(shape: Shape, *, residual: float) -> UprightFit:
    """The smallest circle around what is seen from above."""
    (x, y), radius = cv2.minEnclosingCircle(shape.points[:, :2].astype(np.float32))
    width = min(2.0 * float(radius), shape.long)
    return UprightFit(center=(float(x), float(y)), yaw=0.0, size=(width, width), residual=residual)


def _rim_round(shape: Shape, *, wall: float) -> Upright:
    """A bin or hoop: the circle of its rim."""
    rim = _rim(shape, max(0.012, 0.1 * shape.height))
    fit = fit_cylinder(rim, bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    # Fitted half way between the rim's inside and its outside.
    outer = fit.size[0] + wall
    return _from_fit(replace(fit, size=(outer, outer)), shape, symmetry=0)


def _rim_box(shape: Shape) -> Upright:
    """A tray: the rectangle of its rim."""
    rim = _rim(shape, 0.007)
    short, long = extent_of(rim[:, :2])
    if short < shape.short - _LACK or long < shape.long - _LACK:
        # A side of the rim was lost; its wall was not.
        rim = _rim(shape, 0.65 * shape.height)
    fit = fit_box(rim, bottom=shape.bottom - _FAR, top=shape.top + _FAR)
    # Near walls are seen from outside, far ones from inside.
    width, length = (side + WALLS["container"] for side in fit.size)
    fit, symmetry = _squared(replace(fit, size=(width, length)), within=0.08)
    return _from_fit(_lengthwise(fit), shape, symmetry=symmetry)


def _rim(shape: Shape, band: float) -> NDArray[np.float64]:
    rim = shape.top_points(band)
    return rim if len(rim) >= _LEAST_POINTS else shape.points


def _square(shape: Shape) -> Upright:
    prior = BoxPrior(square_sigma=0.002)
    fit = fit_box(shape.points, bottom=shape.bottom, top=shape.top, prior=prior)
    fit, _ = _squared(fit, within=1.0)
    return _from_fit(fit, shape, symmetry=4)


def _board(shape: Shape) -> Upright:
    """A backboard: a wide thin plate on a post."""
    z = shape.points[:, 2]
    plate = shape.points[z > shape.bottom + 0.45 * shape.height]
    if len(plate) < _LEAST_POINTS:
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
    "bin": partial(_rim_round, wall=WALLS["bin"]),
    "hoop": partial(_rim_round, wall=WALLS["hoop"]),
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
