"""What carries a piece, read from the pixels just below it in the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.segmentation.regions import View

SupportKind = Literal["contact", "hidden", "floating"]
# Rows below the lowest pixel that are looked at: beyond the band without readings.
_NEAREST, _FARTHEST = 2, 7
# What is nearer to the camera than this hides the foot; what is farther shows that it floats, m.
_STEP = 0.045


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What a piece stands on.

    Attributes:
        kind: It touches what is seen below it; its foot is hidden; or there is nothing.
        height: Above the table, of what it stands on or of its own lower end when it floats,
            metres; meaningless when hidden.
    """

    kind: SupportKind
    height: float


def find_support(view: View, pixels: NDArray[np.bool_], window: tuple[slice, slice]) -> Support:
    """Look below a piece, column by column.

    Args:
        view: The image.
        pixels: ``(h, w)``, the piece within its window.
        window: Rows and columns of the image.
    """
    columns = np.flatnonzero(pixels.any(axis=0))
    lowest = pixels.shape[0] - 1 - pixels[::-1, columns].argmax(axis=0)
    rows, columns = lowest + window[0].start, columns + window[1].start
    depth = view.image.depth
    limit = depth.shape[0] - 1
    own = depth[rows, columns]
    heights_below = np.full(len(rows), np.nan)
    steps = np.full(len(rows), np.nan)
    for offset in range(_FARTHEST, _NEAREST - 1, -1):
        below = np.minimum(rows + offset, limit)
        seen = (depth[below, columns] > 0) & (rows + offset <= limit) & (own > 0)
        heights_below[seen] = view.smooth[below, columns][seen]
        steps[seen] = (depth[below, columns] - own)[seen]
    known = np.isfinite(steps)
    inside = view.heights[window][pixels]
    inside = inside[inside > -0.5]
    own_low = float(np.percentile(inside, 2.0)) if len(inside) else 0.0
    if known.sum() < max(3, 0.2 * len(rows)):
        return Support(kind="hidden", height=own_low)
    touches = known & (np.abs(steps) <= _STEP)
    is_before = known & (steps < -_STEP)
    if touches.sum() >= 0.3 * known.sum():
        height = float(np.median(heights_below[touches]))
        return Support(kind="contact", height=min(max(0.0, height), max(0.0, own_low)))
    if is_before.sum() >= 0.5 * known.sum():
        return Support(kind="hidden", height=own_low)
    return Support(kind="floating", height=own_low)
