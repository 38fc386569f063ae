"""From the pixels of one thing to its points: clean, and sharper than the depth alone.

Depth is noisy by millimetres and missing at edges, but pixels are sharp. Where a thing has a
level top, the height of that top is known well from its many readings, and each of its pixels
is put where its ray meets that height, with or without a reading of its own.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.estimation.table import depth_sigma, heights, rays
from malmm_ros.perception.quantiles import quantile

_NO_READING = -0.5  # m above the table
# More points say nothing new.
_MOST_POINTS = 1500
_LEAST_SPREAD = 0.015  # m, beyond a thing's own points
# A stray's third neighbour is so many times as far away as usual, and so far at least, m.
_NEIGHBOURS, _STRAY, _LEAST_STRAY = 3, 3.5, 0.006
# A level top has at least this many pixels and this share of a thing's pixels.
_TOP_PIXELS, _TOP_SHARE = 12, 0.04
# And so many times as many as its sides have on the same height.
_TOP_CONTRAST = 1.8


def clean(mask: NDArray[np.bool_], image: RgbdImage) -> NDArray[np.bool_]:
    """Take off pixels whose depth cannot be trusted: without a reading or beside a depth edge.

    Edges of colour alone (a mark on the table) stay: there the depth is good.

    Args:
        mask: ``(H, W)``.
        image: Of the same size.

    Returns:
        ``(H, W)``, a part of the mask.

    Raises:
        PerceptionError: The sizes differ.
    """
    _check_size(mask, image)
    rows, columns = bounding_window(mask)
    inner = mask[rows, columns]
    depth = image.depth[rows, columns]
    valid = np.isfinite(depth) & (depth > 0.0)
    kernel = np.ones((3, 3), np.uint8)
    far = cv2.dilate(np.where(valid, depth, np.float32(0.0)), kernel)
    near = cv2.erode(np.where(valid, depth, np.float32(np.inf)), kernel)
    steady = valid & (far - near < 0.03 * np.maximum(depth, 0.5))
    result = np.zeros_like(mask)
    result[rows, columns] = inner & steady
    return result


def object_points(
    image: RgbdImage,
    mask: NDArray[np.bool_],
    *,
    table_z: float,
    above: NDArray[np.float32] | None = None,
) -> PointCloud:
    """The points of one thing, world frame.

    Args:
        image: With a levelled pose, see ``TablePlane``.
        mask: ``(H, W)``; its pixels, those without a reading included.
        table_z: Height of the table's top.
        above: Heights of the image's pixels, where they are at hand.

    Returns:
        At most some 1500 points; none for an empty mask.

    Raises:
        PerceptionError: The sizes differ.
    """
    _check_size(mask, image)
    above = heights(image, table_z) if above is None else above
    if not mask.any():
        return PointCloud.empty()
    window = bounding_window(mask)
    pixels, height = mask[window], above[window]
    rows, columns = np.nonzero(pixels)
    height_of = height[rows, columns]
    has_reading = height_of > _NO_READING
    if not has_reading.any():
        return PointCloud.empty()
    offset = (window[0].start, window[1].start)
    keep = has_reading.copy()
    depth = image.depth[window][rows, columns].astype(np.float64)
    directions = rays(image, rows + offset[0], columns + offset[1])
    sigma = _height_sigma(depth[has_reading], directions[has_reading])
    top = level_top(height_of[has_reading], sigma)
    if top is not None and is_level(pixels, height, top, sigma):
        is_top = _top_pixels(pixels, height, top, sigma)[rows, columns]
        snapped = (top + table_z - image.world_from_camera.position[2]) / directions[:, 2]
        is_sound = is_top & np.isfinite(snapped) & (snapped > 0.0)
        depth = np.where(is_sound, snapped, depth)
        keep |= is_sound
    points = directions * depth[:, None] + np.asarray(image.world_from_camera.position)
    colors = image.rgb[window][rows, columns]
    points, colors = points[keep], colors[keep]
    if len(points) > _MOST_POINTS:
        step = len(points) / _MOST_POINTS
        chosen = (np.arange(_MOST_POINTS) * step).astype(np.intp)
        points, colors = points[chosen], colors[chosen]
    return without_outliers(PointCloud(points=points, colors=colors))


def level_top(height: NDArray[np.floating], sigma: float) -> float | None:
    """Height of a thing's level top.

    Args:
        height: ``(N,)``, metres.
        sigma: Noise of each.

    Returns:
        ``None`` when few pixels are near its greatest height.
    """
    if len(height) < _TOP_PIXELS:
        return None
    band = max(0.003, 2.5 * sigma)
    top = quantile(height, 0.95)
    for _ in range(4):
        near = height[np.abs(height - top) < band]
        if not len(near):
            return None
        top = float(np.median(near))
    count = int((np.abs(height - top) < band).sum())
    if count < max(_TOP_PIXELS, _TOP_SHARE * len(height)):
        return None
    # A ball has a highest point too, but no more pixels there than elsewhere.
    beside = int(((height < top - band) & (height > top - 4.0 * band)).sum())
    return top if count > _TOP_CONTRAST * beside * (2.0 / 3.0) else None


def is_level(
    pixels: NDArray[np.bool_], height: NDArray[np.float32], top: float, sigma: float
) -> bool:
    """Whether averages over neighbours spread no more than noise; a ball's top spreads more."""
    smooth, is_read = _smooth(pixels, height)
    near = smooth[is_read & (np.abs(smooth - top) < max(0.003, 2.5 * sigma))]
    if len(near) < _TOP_PIXELS:
        return False
    spread = 1.4826 * float(np.median(np.abs(near - np.median(near))))
    return spread < 0.0012 + 0.55 * sigma


def _smooth(
    pixels: NDArray[np.bool_], height: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Heights averaged over a thing's neighbouring pixels, and where it has readings."""
    is_read = pixels & (height > _NO_READING)
    weight = is_read.astype(np.float32)
    counted = np.maximum(cv2.boxFilter(weight, -1, (3, 3), normalize=False), 1.0)
    smooth = cv2.boxFilter(height * weight, -1, (3, 3), normalize=False) / counted
    return np.asarray(smooth, np.float32), is_read


def without_outliers(cloud: PointCloud) -> PointCloud:
    """Leave out points that lie far outside of where nearly all are.

    Not by median and spread alone: most points of a large box may lie on its one front face,
    and its far edge is no outlier.
    """
    if len(cloud) < 8:
        return cloud
    low, high = (
        np.array([quantile(axis, share) for axis in cloud.points.T]) for share in (0.03, 0.97)
    )
    margin = 0.3 * (high - low) + _LEAST_SPREAD
    is_near: NDArray[np.bool_] = np.all(
        (cloud.points > low - margin) & (cloud.points < high + margin), axis=1
    )
    return cloud.where(is_near)


def without_strays(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out points ``(N, 3)`` whose neighbours are much farther than others' are."""
    if len(points) < 8:
        return points
    distance = cKDTree(points).query(points, k=_NEIGHBOURS + 1)[0][:, -1]
    typical = float(np.median(distance))
    near: NDArray[np.float64] = points[distance <= max(_STRAY * typical, _LEAST_STRAY)]
    return near


def _top_pixels(
    pixels: NDArray[np.bool_], height: NDArray[np.float32], top: float, sigma: float
) -> NDArray[np.bool_]:
    """Pixels of the level top, among them those without a reading that the top surrounds."""
    smooth, is_read = _smooth(pixels, height)
    # A pixel of a side that is taken for the top lands far off: nearly none may be.
    near = is_read & (np.abs(smooth - top) < max(0.0025, sigma))
    has_reading = is_read.astype(np.float32)
    counted = np.maximum(cv2.boxFilter(has_reading, -1, (5, 5), normalize=False), 1.0)
    of_top = cv2.boxFilter(near.astype(np.float32), -1, (5, 5), normalize=False)
    return np.asarray((near | (pixels & ~is_read)) & (of_top > 0.6 * counted))


def _height_sigma(depth: NDArray[np.float64], directions: NDArray[np.float64]) -> float:
    """What depth noise makes of heights, metres."""
    return depth_sigma(float(np.median(depth))) * abs(float(np.median(directions[:, 2])))


def bounding_window(mask: NDArray[np.bool_]) -> tuple[slice, slice]:
    """The smallest rows and columns that hold a mask, all of an empty one."""
    x, y, width, height = cv2.boundingRect(mask.astype(np.uint8))
    if not width:
        return slice(0, mask.shape[0]), slice(0, mask.shape[1])
    return slice(y, y + height), slice(x, x + width)


def _check_size(mask: NDArray[np.bool_], image: RgbdImage) -> None:
    if mask.shape != image.depth.shape:
        raise PerceptionError(f"mask {mask.shape} and image {image.depth.shape} differ in size")
