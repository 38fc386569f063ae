"""Clouds of simple solids as one camera sees them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from malmm_ros.perception.cloud import PointCloud

TABLE_Z = 0.752
# Of the front camera, towards the scene.
_RAY = np.array([-0.906, 0.0, -0.423])
_SIGMA = 0.003

MakeCloud = Callable[..., PointCloud]


def cuboid(
    rng: np.random.Generator,
    *,
    center: tuple[float, float],
    yaw: float,
    size: tuple[float, float, float],
    bottom: float = TABLE_Z,
    count: int = 500,
) -> NDArray[np.float64]:
    """Points on the faces of an upright box that a front camera sees, with depth noise."""
    width, length, height = size
    parts = []
    for index in range(4):
        angle = yaw + 0.5 * math.pi * index
        normal = np.array([math.cos(angle), math.sin(angle)])
        seen = max(0.0, float(-_RAY[:2] @ normal))
        depth, side = (width, length) if index % 2 == 0 else (length, width)
        share = round(count * seen * side * height / 0.01)
        along = rng.uniform(-0.5 * side, 0.5 * side, share)
        flat = 0.5 * depth * normal + along[:, None] * np.array([-normal[1], normal[0]])
        parts.append(np.column_stack((flat, rng.uniform(0.006, height, share))))
    share = round(count * -_RAY[2] * width * length / 0.01)
    top = rng.uniform(-0.5, 0.5, (share, 2)) * (width, length)
    turn = np.array([[math.cos(yaw), math.sin(yaw)], [-math.sin(yaw), math.cos(yaw)]])
    parts.append(np.column_stack((top @ turn, np.full(share, height))))
    points = np.concatenate(parts) + np.array([*center, bottom])
    return points + rng.normal(0.0, _SIGMA, (len(points), 1)) * _RAY


def cylinder(
    rng: np.random.Generator,
    *,
    center: tuple[float, float],
    radius: float,
    height: float,
    bottom: float = TABLE_Z,
) -> NDArray[np.float64]:
    """Points on a standing cylinder that a front camera sees."""
    angle = rng.uniform(-0.5 * math.pi, 0.5 * math.pi, 350)
    side = np.column_stack(
        (radius * np.cos(angle), radius * np.sin(angle), rng.uniform(0.006, height, 350))
    )
    distance, turn = radius * np.sqrt(rng.random(200)), rng.uniform(0.0, 2.0 * math.pi, 200)
    top = np.column_stack((distance * np.cos(turn), distance * np.sin(turn), np.full(200, height)))
    points = np.concatenate((side, top)) + np.array([*center, bottom])
    return points + rng.normal(0.0, _SIGMA, (len(points), 1)) * _RAY


def sphere(
    rng: np.random.Generator, *, center: tuple[float, float], radius: float
) -> NDArray[np.float64]:
    """Points on the half of a ball on the table that a front camera sees."""
    normal = rng.normal(size=(900, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    points = radius * normal[normal @ _RAY < -0.1] + (*center, TABLE_Z + radius)
    return points + rng.normal(0.0, 0.002, (len(points), 1)) * _RAY


@pytest.fixture
def make_cloud() -> MakeCloud:
    """Points to a cloud of one colour."""

    def make(points: NDArray[np.float64], rgb: tuple[int, int, int] = (200, 0, 0)) -> PointCloud:
        return PointCloud(points=points, colors=np.tile(np.array(rgb, np.uint8), (len(points), 1)))

    return make
