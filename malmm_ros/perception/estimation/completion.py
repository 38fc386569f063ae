"""What one camera cannot see of a thing, added by what it can."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from malmm_ros.geometry import Vector3
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.estimation.shape import Shape
from malmm_ros.perception.estimation.upright import WALLS, Upright

# Kinds that are square, and when only one side of them is seen.
_SQUARE, _ONE_SIDE = frozenset(("cradle", "ring")), 0.45
_STRIP = 0.8
# A top is a band so high (m) with so many points, and so much of all points. So much of its
# width is seen when nothing hides a side of it, and no box slides farther, m.
_TOP, _TOP_POINTS, _TOP_SHARE = 0.003, 60, 0.2
_SEEN, _FARTHEST = 0.88, 0.008


def completed(upright: Upright, shape: Shape, category: str, seen_from: Vector3) -> Upright:
    """The box with what lies behind what was seen.

    Args:
        upright: As the points alone give it.
        shape: That it was made from.
        category: Its kind.
        seen_from: Position of the only camera that saw it.
    """
    if _has_no_back(shape, category):
        return _with_back(upright, shape, seen_from)
    if category in WALLS:
        return _between_walls(upright, WALLS[category], seen_from)
    return upright


def centred(upright: Upright, shape: Shape, seen_from: Vector3) -> Upright:
    """The box put in the middle of what is seen of its top, across the view.

    Points on the faces that are seen leave a box free to slide by some millimetres across the
    view. There its outline is as sharp as pixels are, while along the view it is as noisy as
    depth is.

    Args:
        upright: As fitted to all points.
        shape: That it was fitted to.
        seen_from: Position of the only camera that saw it.
    """
    top = shape.top_points(_TOP)[:, :2]
    if shape.top_share < _TOP_SHARE or len(top) < _TOP_POINTS or shape.is_hollow:
        return upright
    center = np.array(upright.center)
    along = center - seen_from[:2]
    across = np.array([-along[1], along[0]]) / max(1e-9, float(np.hypot(*along)))
    low, high = (float(v) for v in np.quantile((top - center) @ across, (0.003, 0.997)))
    turn = upright.yaw - math.atan2(across[1], across[0])
    width = upright.size[0]
    if upright.symmetry:
        width = width * abs(math.cos(turn)) + upright.size[1] * abs(math.sin(turn))
    shift = 0.5 * (low + high)
    # What is narrower than its box is hidden at one side.
    if not _SEEN * width < high - low < width / _SEEN or abs(shift) > _FARTHEST:
        return upright
    x, y = (center + shift * across).tolist()
    return replace(upright, center=(x, y))


def _between_walls(upright: Upright, wall: float, seen_from: Vector3) -> Upright:
    """Of a hollow thing one sees the near wall's outside and the far wall's inside."""
    x, y = upright.center
    away = np.array([x - seen_from[0], y - seen_from[1]])
    slant = math.hypot(*away, seen_from[2] - upright.bottom)
    shift = 0.5 * wall * away / slant
    return replace(upright, center=(x + float(shift[0]), y + float(shift[1])))


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
