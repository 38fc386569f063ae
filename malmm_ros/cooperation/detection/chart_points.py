"""What depth tells a map: points of floor, walls and furniture, without what can be carried."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.detection.detector import Sighting
from malmm_ros.cooperation.detection.segments import CEILING_FROM_M, FLOOR

# Neighbouring readings that differ by more than this share of the depth lie on two surfaces.
_JUMP = 0.1
# A surface is the border between two cells as often as not: a step along the ray decides.
_DEEPER_M = 6e-3
# Every second column: 0.04 m apart at 5 m, where cells are 0.125 m wide.
_COLUMNS = 2


def chart_points(
    image: RgbdImage, sighting: Sighting, *, blocking: Collection[int], range_m: float
) -> NDArray[np.float32]:
    """Points for a map.

    Args:
        image: Where it was taken and its depth.
        sighting: What was made of it.
        blocking: Numbers of segments that stay where they are: furniture and walls.
        range_m: What lies further away, in the plane, is left out.

    Returns:
        ``(N, 3)``, metres, world frame; of bare floor the height is 0.
    """
    every = (slice(None), slice(None, None, _COLUMNS))
    numbers = sighting.numbers[every]
    is_blocking = np.zeros(max(int(sighting.numbers.max()), 0) + 1, dtype=bool)
    is_blocking[list(blocking)] = True
    is_floor = numbers == FLOOR
    is_told = is_blocking[np.maximum(numbers, 0)] & ~_is_beside_jump(image.depth)[every]
    is_told |= is_floor
    points: NDArray[np.float32] = sighting.points[every][is_told]
    points[is_floor[is_told], 2] = 0.0
    eye = np.asarray(image.world_from_camera.position, dtype=np.float32)
    ahead = points[:, :2] - eye[:2]
    distance = np.hypot(ahead[:, 0], ahead[:, 1])
    points[:, :2] += _DEEPER_M * ahead / np.maximum(distance, 1e-3)[:, None]
    is_near = (distance <= range_m) & (points[:, 2] < CEILING_FROM_M)
    near: NDArray[np.float32] = points[is_near]
    return near


def _is_beside_jump(depth: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Pixels beside which another surface begins, at the same height in the image."""
    jump = np.abs(np.diff(depth, axis=1)) > _JUMP * np.minimum(depth[:, 1:], depth[:, :-1])
    beside = np.zeros(depth.shape, dtype=bool)
    beside[:, 1:] |= jump
    beside[:, :-1] |= jump
    return beside
