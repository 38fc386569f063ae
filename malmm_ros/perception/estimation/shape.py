"""What a thing's points say of its form before it has a name."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.estimation.surface_fit import (
    BoxPrior,
    UprightFit,
    fit_box,
    fit_cylinder,
    fit_sphere,
)
from malmm_ros.perception.quantiles import quantile

# Fits that tell a kind look at no more points than this; more change nothing and cost time.
FIT_POINTS = 240
_TOP_BAND = 0.004  # m
_LEVEL_SHARE = 0.12
_NOISE = 0.0015  # m
# Weak beliefs that keep fits to a single face from running away.
_SQUARE_SIGMA = 0.02
_BALL_BONUS = 1.15
# From so much of a thing's points on its top, the top's outline alone tells its form; from so
# much on, it has a say. It is worth so many metres of residual for each part of its rectangle
# that it fills less or more than this (logistic fit to 897 seen things, 1 % on the wrong side).
_FROM_ABOVE, _HAS_TOP, _TOP_POINTS = 0.62, 0.2, 20
_ROUND_FILL, _FILL_WEIGHT = 0.884, 0.0014


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """Extents and top of a thing.

    Attributes:
        points: ``(N, 3)``, world frame, at most some hundreds.
        bottom: World height that it stands on.
        top: World height of its top.
        extent: Shorter and longer side of the smallest rectangle around it, seen from above.
        top_share: Part of its points that lie on its top.
        is_floating: Nothing is seen to carry it.
    """

    points: NDArray[np.float64]
    bottom: float
    top: float
    extent: tuple[float, float]
    top_share: float
    is_floating: bool = False

    @property
    def height(self) -> float:
        """From what carries it to its top."""
        return self.top - self.bottom

    @property
    def short(self) -> float:
        """Shorter side."""
        return self.extent[0]

    @property
    def long(self) -> float:
        """Longer side."""
        return self.extent[1]

    @property
    def is_hollow(self) -> bool:
        """Whether its top has a hole in the middle."""
        top = self.top_points()[:, :2]
        if len(top) < 12:
            return False
        (x, y), _, _ = cv2.minAreaRect(top.astype(np.float32))
        distance = np.hypot(top[:, 0] - x, top[:, 1] - y)
        inner = 0.2 * self.long
        # Evenly spread points would have the area's share there.
        expected = math.pi * inner**2 / max(self.short * self.long, 1e-9)
        return float((distance < inner).mean()) < 0.3 * expected

    def top_points(self, band: float = _TOP_BAND) -> NDArray[np.float64]:
        """Points within a band below its top."""
        return self.points[self.points[:, 2] > self.top - band]


def shape_of(
    points: NDArray[np.float64],
    *,
    bottom: float,
    is_floating: bool = False,
    most_points: int = FIT_POINTS,
) -> Shape:
    """Measure a thing.

    Args:
        points: ``(N, 3)``, at least 8, world frame.
        bottom: World height that it stands on.
        is_floating: Nothing is seen to carry it.
        most_points: That are kept of it.
    """
    points = thinned(points, most_points)
    top = top_of(points[:, 2])
    near_top = float((np.abs(points[:, 2] - top) < _TOP_BAND).mean())
    return Shape(
        points=points,
        bottom=bottom,
        top=max(top, bottom + 0.002),
        extent=extent_of(points[:, :2]),
        top_share=near_top,
        is_floating=is_floating,
    )


def top_of(z: NDArray[np.float64]) -> float:
    """Height of the top: of the level one, where there is one, else of the highest points."""
    high = quantile(z, 0.98)
    near = z[np.abs(z - high) < _TOP_BAND]
    if len(near) > _LEVEL_SHARE * len(z):
        return float(np.median(near))
    # Noise lifts the very highest; the step back is about what it lifts them by.
    return quantile(z, 0.995) - _NOISE


def extent_of(flat: NDArray[np.float64]) -> tuple[float, float]:
    """Shorter and longer side of the smallest rectangle around most points ``(N, 2)``."""
    middle = np.median(flat, axis=0)
    distance = np.hypot(*(flat - middle).T)
    kept = flat[distance <= quantile(distance, 0.99)]
    (_, _), sides, _ = cv2.minAreaRect(kept.astype(np.float32))
    return (float(min(sides)), float(max(sides)))


def thinned(points: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Every so many-th point, at most ``count``."""
    if len(points) <= count:
        return points
    chosen = (np.arange(count) * (len(points) / count)).astype(np.intp)
    return points[chosen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """The three simple solids fitted to a thing.

    Attributes:
        is_round: Whether it is rather a cylinder than a box.
        is_ball: Whether a sphere explains the points better than the others.
    """

    box: UprightFit
    cylinder: UprightFit
    sphere: UprightFit
    is_round: bool
    is_ball: bool


def fits_of(shape: Shape) -> Fits:
    """Fit all three."""
    points, bottom, top = shape.points, shape.bottom, shape.top
    is_cube_like = 0.6 * shape.long < shape.height < 1.6 * shape.long
    square_sigma = _SQUARE_SIGMA if is_cube_like else math.inf
    box = fit_box(points, bottom=bottom, top=top, prior=BoxPrior(square_sigma=square_sigma))
    cylinder = fit_cylinder(points, bottom=bottom, top=top, radius=0.5 * shape.long)
    sphere = fit_sphere(points, bottom=bottom)
    return Fits(
        box=box,
        cylinder=cylinder,
        sphere=sphere,
        is_round=_is_round(shape, box.residual - cylinder.residual),
        is_ball=sphere.residual < _BALL_BONUS * min(cylinder.residual, box.residual),
    )


def _is_round(shape: Shape, advantage: float) -> bool:
    """Whether a thing is a cylinder rather than a box.

    Args:
        shape: Its form.
        advantage: By how much less a cylinder misses its points, metres.
    """
    fill = top_fill(shape)
    if fill is None:
        return advantage > 0.0
    if shape.top_share >= _FROM_ABOVE:
        return fill < _ROUND_FILL
    return advantage > _FILL_WEIGHT * (fill - _ROUND_FILL)


def top_fill(shape: Shape) -> float | None:
    """How much of its smallest rectangle the top fills: π/4 for a disc, 1 for a rectangle.

    Returns:
        ``None`` where too little of the top is seen for its outline to tell.
    """
    if shape.top_share < _HAS_TOP:
        return None
    top = shape.top_points()[:, :2].astype(np.float32)
    if len(top) < _TOP_POINTS:
        return None
    (_, _), (width, length), _ = cv2.minAreaRect(top)
    if width * length <= 0.0:
        return None
    return float(cv2.contourArea(cv2.convexHull(top))) / float(width * length)
