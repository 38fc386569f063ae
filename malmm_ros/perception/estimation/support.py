"""What carries a thing, read from the pixels just below it in the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import rotation_matrix
from malmm_ros.perception.quantiles import quantile

SupportKind = Literal["contact", "hidden", "floating"]
# Rows below the lowest pixel that are looked at: beyond the band without readings.
_NEAREST, _FARTHEST = 2, 7
# What is nearer to the camera than this hides the foot; what is farther shows that it floats, m.
_STEP = 0.045
# What is lower is the table, a mark on it or a tray's floor.
_LEAST_HEIGHT = 0.01
_NO_READING = -0.5  # m
_STEEP = 0.75
# Width of the outline that is looked at: beyond the band without readings; and how much nearer
# than a thing what hides it is, m.
_OUTLINE_PX, _BEFORE = 6, 0.015


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What a thing stands on.

    Attributes:
        kind: It touches what is seen below it; its foot is hidden; or there is nothing.
        height: Above the table, of what it stands on or of its own lower end when it floats,
            metres; meaningless when hidden.
    """

    kind: SupportKind
    height: float

    @property
    def is_floating(self) -> bool:
        """Whether nothing carries it."""
        return self.kind == "floating"

    def above(self, table_z: float) -> float | None:
        """World height of what carries it; ``None`` when that is hidden."""
        return None if self.kind == "hidden" else table_z + self.height


def find_support(
    depth: NDArray[np.float32],
    heights: NDArray[np.float32],
    pixels: NDArray[np.bool_],
    window: tuple[slice, slice],
    *,
    is_steep: bool = False,
) -> Support:
    """Look below a thing, column by column.

    Args:
        depth: ``(H, W)``, metres.
        heights: ``(H, W)``, above the table; −1 without a reading.
        pixels: ``(h, w)``, the thing within its window.
        window: Rows and columns of the image.
        is_steep: The camera looks down so steeply that sides and what is below them are not
            seen: then nothing counts as floating.
    """
    has_reading = pixels & (heights[window] > _NO_READING)
    own = heights[window][has_reading]
    if not len(own):
        return Support(kind="hidden", height=0.0)
    own_low = quantile(own, 0.02)
    steps, below = _below(depth, heights, has_reading, window)
    known = np.isfinite(steps)
    if known.sum() < max(3, 0.2 * len(steps)):
        return Support(kind="hidden", height=own_low)
    touches = known & (np.abs(steps) <= _STEP)
    if touches.sum() >= 0.3 * known.sum():
        height = min(float(np.median(below[touches])), own_low)
        return Support(kind="contact", height=height if height > _LEAST_HEIGHT else 0.0)
    is_before = known & (steps < -_STEP)
    if is_steep or is_before.sum() >= 0.5 * known.sum():
        return Support(kind="hidden", height=own_low)
    return Support(kind="floating", height=own_low)


def hidden_share(
    depth: NDArray[np.float32], heights: NDArray[np.float32], mask: NDArray[np.bool_]
) -> float:
    """At how much of a thing's outline something nearer begins, which may hide a part of it.

    Args:
        depth: ``(H, W)``, metres; 0 without a reading.
        heights: ``(H, W)``, above the table.
        mask: ``(H, W)``; the thing.

    Returns:
        0 to 1; the table is never before a thing.
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return 0.0
    window = (
        slice(max(0, rows[0] - _OUTLINE_PX), rows[-1] + _OUTLINE_PX + 1),
        slice(max(0, columns[0] - _OUTLINE_PX), columns[-1] + _OUTLINE_PX + 1),
    )
    near, own = depth[window], mask[window]
    kernel = np.ones((2 * _OUTLINE_PX + 1, 2 * _OUTLINE_PX + 1), np.uint8)
    ring = (cv2.dilate(own.astype(np.uint8), kernel) > 0) & ~own
    # The nearest of its own pixels beside each pixel around it.
    beside = cv2.erode(np.where(own & (near > 0.0), near, np.float32(np.inf)), kernel)
    is_before = ring & (near > 0.0) & (near < beside - _BEFORE) & (heights[window] > _LEAST_HEIGHT)
    return float(is_before.sum() / max(1, int(ring.sum())))


def is_steep(image: RgbdImage) -> bool:
    """Whether a camera looks down so steeply that it hardly sees the sides of things."""
    return abs(float(rotation_matrix(image.world_from_camera.orientation)[2, 2])) > _STEEP


def _below(
    depth: NDArray[np.float32],
    heights: NDArray[np.float32],
    pixels: NDArray[np.bool_],
    window: tuple[slice, slice],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each column, how much farther what is below is, and how high; NaN where unknown."""
    columns = np.flatnonzero(pixels.any(axis=0))
    lowest = pixels.shape[0] - 1 - pixels[::-1, columns].argmax(axis=0)
    rows, columns = lowest + window[0].start, columns + window[1].start
    last = depth.shape[0] - 1
    own = depth[rows, columns]
    steps, below = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for offset in range(_FARTHEST, _NEAREST - 1, -1):
        at = np.minimum(rows + offset, last)
        seen = (heights[at, columns] > _NO_READING) & (rows + offset <= last)
        below[seen] = heights[at, columns][seen]
        steps[seen] = (depth[at, columns] - own)[seen]
    return steps, below
