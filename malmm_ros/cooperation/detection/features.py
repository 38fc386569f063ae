"""What tells one class of surface from another: colour, size, shape, height."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.detection.segments import Segment

_BINS = 6
_FOCAL = 256.0
# Of large surfaces so many pixels tell enough.
_MOST_PIXELS = 1500
FEATURES = 3 + 3 + 2 * _BINS + 10


def features(segment: Segment, eye: NDArray[np.float32]) -> NDArray[np.float64]:
    """``(FEATURES,)``; lengths in metres.

    Args:
        segment: What to describe.
        eye: ``(3,)``, where the camera is, world frame.
    """
    return np.concatenate((_color(segment), _shape(segment, eye)))


def _color(segment: Segment) -> NDArray[np.float64]:
    """Means, spreads, and histograms of the shares of red and green, which are free of shade."""
    colors = segment.colors[:: _stride(segment)].astype(np.float64)
    shares = colors[:, :2] / np.maximum(colors.sum(axis=1, keepdims=True), 1e-3)
    middle = np.median(shares, axis=0)
    histograms = [
        np.histogram(shares[:, channel], bins=_BINS, range=(0.1, 0.7))[0] / len(shares)
        for channel in (0, 1)
    ]
    # Shares matter to a hundredth: a gain makes up for that.
    return np.concatenate(
        (
            [10.0 * middle[0], 10.0 * middle[1], 3.0 * colors.max()],
            3.0 * np.percentile(colors.sum(axis=1) / 3.0, (20, 50, 90)),
            *histograms,
        )
    )


def _shape(segment: Segment, eye: NDArray[np.float32]) -> NDArray[np.float64]:
    points = segment.points[:: _stride(segment)].astype(np.float64)
    low, high = np.percentile(points[:, 2], (2, 98))
    flat = points[:, :2] - points[:, :2].mean(axis=0)
    _, vectors = np.linalg.eigh(flat.T @ flat / len(flat))
    along = flat @ vectors[:, 1]
    across = flat @ vectors[:, 0]
    length, width = np.ptp(along), np.ptp(across)
    distance = float(np.linalg.norm(points.mean(axis=0) - eye))
    area = segment.mask.sum() * (distance / _FOCAL) ** 2
    left, top, right, bottom = segment.box
    sizes = np.array([length, width, high - low, np.sqrt(area)])
    return np.concatenate(
        (
            np.log(sizes + 0.01),
            [low, high, np.log1p(distance), segment.mask.mean()],
            [np.log((right - left) / (bottom - top)), float(segment.is_cut)],
        )
    )


def _stride(segment: Segment) -> int:
    return 1 + len(segment.points) // _MOST_PIXELS
