"""Where a view of a thing ends because the image does, or because the robot stands before it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.tracking.visibility import View

_EDGE_PX, _TOUCHING_PX = 3, 10
_BEHIND = 0.01  # m
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)


def is_cut(pixels: NDArray[np.bool_], view: View) -> bool:
    """Whether a mask ``(H, W)`` reaches the image's border, or the robot stands before it."""
    edge = _EDGE_PX
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if not len(rows):
        return False
    height, width = pixels.shape
    if rows[0] < edge or columns[0] < edge or rows[-1] >= height - edge:
        return True
    if columns[-1] >= width - edge:
        return True
    window = (
        slice(max(0, rows[0] - edge), rows[-1] + edge + 1),
        slice(max(0, columns[0] - edge), columns[-1] + edge + 1),
    )
    if not view.robot[window].any():
        return False
    depth = view.image.depth[window]
    own = depth[pixels[window] & (depth > 0.0)]
    if not len(own):
        return True
    # Behind it, the robot hides nothing of it.
    before = view.robot[window] & (depth < float(np.percentile(own, 75.0)) + _BEHIND)
    grown = cv2.dilate(pixels[window].astype(np.uint8), _CROSS, iterations=edge)
    return int(((grown > 0) & before).sum()) >= _TOUCHING_PX
