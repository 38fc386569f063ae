"""Clouds of whole things, from what was fitted to the side that a camera sees."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Vector3
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.scene import Solid

_GRAY = 128


def completed_cloud(detection: Detection, *, spacing: float = 0.0025) -> PointCloud:
    """Fill in what the camera does not see: the surface of a detection's solids.

    Args:
        detection: Its solids, or its box where it has none, give the shape.
        spacing: Between points, metres, at most.

    Returns:
        World frame, the mean colour of the detection's own points (gray without any).
    """
    parts = detection.solids or (Solid(shape="box", size=detection.size),)
    local = np.concatenate([part.pose.apply(surface(part, spacing=spacing)) for part in parts])
    color = np.full(3, _GRAY, np.uint8)
    if len(detection.cloud):
        color = detection.cloud.colors.mean(axis=0).astype(np.uint8)
    return PointCloud(
        points=detection.pose.apply(local),
        colors=np.broadcast_to(color, local.shape).copy(),
    )


def surface(part: Solid, *, spacing: float) -> NDArray[np.float64]:
    """Points ``(N, 3)`` on the surface of a solid, in its own frame."""
    if part.shape == "box":
        return _box(part.size, spacing)
    if part.shape == "cylinder":
        return _cylinder(part.size, spacing)
    return _sphere(part.size[0], spacing)


def _steps(length: float, spacing: float) -> NDArray[np.float64]:
    """From one end to the other about the middle, both ends included."""
    count = max(2, math.ceil(length / spacing) + 1)
    return np.linspace(-0.5 * length, 0.5 * length, count)


def _box(size: Vector3, spacing: float) -> NDArray[np.float64]:
    faces = []
    for axis in range(3):
        first, second = (index for index in range(3) if index != axis)
        a, b = np.meshgrid(_steps(size[first], spacing), _steps(size[second], spacing))
        for end in (-0.5, 0.5):
            face = np.empty((a.size, 3))
            face[:, first], face[:, second] = a.ravel(), b.ravel()
            face[:, axis] = end * size[axis]
            faces.append(face)
    return np.concatenate(faces)


def _cylinder(size: Vector3, spacing: float) -> NDArray[np.float64]:
    radius, height = 0.5 * size[0], size[2]
    rings = [_ring(r, spacing) for r in np.arange(radius, 0.0, -spacing)]
    disc = np.concatenate([*rings, np.zeros((1, 2))])
    side = rings[0]
    layers = [(side, z) for z in _steps(height, spacing)[1:-1]]
    layers += [(disc, -0.5 * height), (disc, 0.5 * height)]
    return np.concatenate([np.column_stack((xy, np.full(len(xy), z))) for xy, z in layers])


def _sphere(diameter: float, spacing: float) -> NDArray[np.float64]:
    radius = 0.5 * diameter
    count = max(3, math.ceil(math.pi * radius / spacing))
    layers = []
    for polar in np.linspace(0.0, math.pi, count + 1):
        xy = _ring(max(radius * math.sin(polar), 1e-9), spacing)
        layers.append(np.column_stack((xy, np.full(len(xy), radius * math.cos(polar)))))
    return np.concatenate(layers)


def _ring(radius: float, spacing: float) -> NDArray[np.float64]:
    count = max(8, math.ceil(2.0 * math.pi * radius / spacing))
    angles = np.arange(count) * (2.0 * math.pi / count)
    return radius * np.column_stack((np.cos(angles), np.sin(angles)))
