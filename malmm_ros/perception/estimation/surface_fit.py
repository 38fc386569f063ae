"""Fit upright boxes, cylinders and spheres to points on what is seen of their surfaces.

Points lie on the surface up to noise, so their mean signed distance to it is zero on every face
that is seen, and noise moves no face. Where nothing is seen (the back), a weak prior says how
large the shape is; without one, the shape is as small as the points allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.estimation.solver import LEAST_HALF, box_distance, score, solve
from malmm_ros.perception.quantiles import quantile

_RADIUS_SIGMA = 0.006  # m
# Between two fits that explain the points alike, the smaller is meant: metres of residual for
# each metre around.
_SIZE_COST = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class UprightFit:
    """An upright shape.

    Attributes:
        center: x, y of its axis, metres.
        yaw: Of its x side, radians; 0 for round ones.
        size: Extents along its x and y, metres.
        residual: Mean absolute distance of the points from its surface, metres, each counted
            at most 2 cm.
    """

    center: tuple[float, float]
    yaw: float
    size: tuple[float, float]
    residual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPrior:
    """What is believed of a box's footprint before looking.

    Attributes:
        size: Expected extents; ``None``: unknown.
        size_sigma: How sure, metres.
        square_sigma: How alike its two extents are, metres; infinite: not at all.
    """

    size: tuple[float, float] | None = None
    size_sigma: float = 0.01
    square_sigma: float = math.inf


def fit_box(
    points: NDArray[np.float64],
    *,
    bottom: float,
    top: float,
    prior: BoxPrior | None = None,
    yaws: tuple[float, ...] | None = None,
) -> UprightFit:
    """The upright box between two heights whose surface is nearest to the points.

    Args:
        points: ``(N, 3)``, at least 8.
        bottom: Lower face.
        top: Upper face.
        prior: Of the footprint.
        yaws: Where to start; ``None``: the smallest rectangle around the points, and half way
            to its diagonal.
    """
    prior = prior or BoxPrior()
    flat = points[:, :2].astype(np.float32)
    (_, _), (_, _), angle = cv2.minAreaRect(flat)
    start = math.radians(angle)
    best: UprightFit | None = None
    for yaw in yaws or (start, start + 0.25 * math.pi):
        fit = _fit_box_from(points, yaw, (bottom, top), prior)
        if best is None or _cost(fit) < _cost(best):
            best = fit
    assert best is not None
    return best


def _cost(fit: UprightFit) -> float:
    return fit.residual + _SIZE_COST * sum(fit.size)


def fit_cylinder(
    points: NDArray[np.float64], *, bottom: float, top: float, radius: float | None = None
) -> UprightFit:
    """The upright cylinder between two heights whose surface is nearest to the points.

    Args:
        points: ``(N, 3)``, at least 8.
        bottom: Lower face.
        top: Upper face.
        radius: Expected; ``None``: unknown.
    """
    middle, half = 0.5 * (bottom + top), 0.5 * (top - bottom)
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    state = np.array([*(0.5 * (low + high)), 0.5 * float((high - low).max())])

    def residuals(
        state: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        offset = points[:, :2] - state[:2]
        distance = np.hypot(*offset.T) + 1e-9
        beyond = np.column_stack((distance - state[2], np.abs(points[:, 2] - middle) - half))
        value, normal = box_distance(beyond)
        outward = offset / distance[:, None]
        jacobian = np.column_stack((-normal[:, :1] * outward, -normal[:, 0]))
        return value, jacobian

    def priors(state: NDArray[np.float64]) -> list[tuple[float, NDArray[np.float64]]]:
        expected = 0.0 if radius is None else radius
        sigma = 0.15 if radius is None else _RADIUS_SIGMA
        return [((state[2] - expected) / sigma, np.array([0.0, 0.0, 1.0 / sigma]))]

    state = solve(state, residuals, priors, least=2)
    return UprightFit(
        center=(float(state[0]), float(state[1])),
        yaw=0.0,
        size=(2.0 * float(state[2]),) * 2,
        residual=score(residuals(state)[0]),
    )


def fit_sphere(points: NDArray[np.float64], *, bottom: float) -> UprightFit:
    """The sphere that stands at a height whose surface is nearest to the points."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    state = np.array([*(0.5 * (low + high)), 0.5 * (float(points[:, 2].max()) - bottom)])

    def residuals(
        state: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        offset = points - (state[0], state[1], bottom + state[2])
        distance = np.linalg.norm(offset, axis=1) + 1e-9
        outward = offset / distance[:, None]
        # The centre rises with the radius.
        jacobian = np.column_stack((-outward[:, :2], -outward[:, 2] - 1.0))
        return distance - state[2], jacobian

    def priors(state: NDArray[np.float64]) -> list[tuple[float, NDArray[np.float64]]]:
        return [(state[2] / 0.2, np.array([0.0, 0.0, 5.0]))]

    state = solve(state, residuals, priors, least=2)
    return UprightFit(
        center=(float(state[0]), float(state[1])),
        yaw=0.0,
        size=(2.0 * float(state[2]),) * 2,
        residual=score(residuals(state)[0]),
    )


def _fit_box_from(
    points: NDArray[np.float64], yaw: float, z_range: tuple[float, float], prior: BoxPrior
) -> UprightFit:
    bottom, top = z_range
    middle, half = 0.5 * (bottom + top), 0.5 * (top - bottom)
    cosine, sine = math.cos(yaw), math.sin(yaw)
    along = points[:, 0] * cosine + points[:, 1] * sine
    across = points[:, 1] * cosine - points[:, 0] * sine
    (a0, a1), (b0, b1) = (
        (quantile(values, 0.01), quantile(values, 0.99)) for values in (along, across)
    )
    u, v = 0.5 * (a0 + a1), 0.5 * (b0 + b1)
    state = np.array(
        [
            u * cosine - v * sine,
            u * sine + v * cosine,
            yaw,
            max(LEAST_HALF, 0.5 * (a1 - a0)),
            max(LEAST_HALF, 0.5 * (b1 - b0)),
        ]
    )

    def residuals(
        state: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        cosine, sine = math.cos(state[2]), math.sin(state[2])
        dx, dy = points[:, 0] - state[0], points[:, 1] - state[1]
        local = np.column_stack((dx * cosine + dy * sine, dy * cosine - dx * sine))
        beyond = np.column_stack(
            (np.abs(local) - state[3:5], np.abs(points[:, 2] - middle) - half)
        )
        value, normal = box_distance(beyond)
        outward = normal[:, :2] * np.sign(local)
        jacobian = np.column_stack(
            (
                -(outward[:, 0] * cosine - outward[:, 1] * sine),
                -(outward[:, 0] * sine + outward[:, 1] * cosine),
                outward[:, 0] * local[:, 1] - outward[:, 1] * local[:, 0],
                -normal[:, 0],
                -normal[:, 1],
            )
        )
        return value, jacobian

    state = solve(state, residuals, lambda state: _box_priors(state, prior), least=3)
    return UprightFit(
        center=(float(state[0]), float(state[1])),
        yaw=float(state[2]),
        size=(2.0 * float(state[3]), 2.0 * float(state[4])),
        residual=score(residuals(state)[0]),
    )


def _box_priors(
    state: NDArray[np.float64], prior: BoxPrior
) -> list[tuple[float, NDArray[np.float64]]]:
    """Rows of the least squares: value and derivative by x, y, yaw and the half extents."""
    rows = []
    if prior.size is None:
        # As small as the points allow.
        for index in (3, 4):
            row = np.zeros(5)
            row[index] = 1.0 / 0.15
            rows.append((state[index] / 0.15, row))
    else:
        for index, size in zip((3, 4), prior.size, strict=True):
            row = np.zeros(5)
            row[index] = 2.0 / prior.size_sigma
            rows.append(((2.0 * state[index] - size) / prior.size_sigma, row))
    if math.isfinite(prior.square_sigma):
        row = np.zeros(5)
        row[3], row[4] = 2.0 / prior.square_sigma, -2.0 / prior.square_sigma
        rows.append((2.0 * (state[3] - state[4]) / prior.square_sigma, row))
    return rows
