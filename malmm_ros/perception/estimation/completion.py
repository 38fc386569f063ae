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
