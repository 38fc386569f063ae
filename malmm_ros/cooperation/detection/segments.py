"""Part an image into surfaces that belong together, by depth and colour alone.

The reciprocal of depth is linear over every plane of an image. It bends down over edges that stand
out and over round bodies, and up only where two bodies touch or one hides another: there they are
parted. Colour parts what depth does not, whatever the shading.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from malmm_ros.camera import RgbdImage

FLOOR, NOTHING = -1, 0
# Depth is read a third of a pixel beside the colour, so heights err with the distance (m and m/m);
# the flattest thing is 0.02 m high.
_FLOOR_BELOW_M, _FLOOR_SLOPE = 0.004, 0.0018
CEILING_FROM_M = 2.95
# How far the reciprocal of depth bends up at least where bodies part, 1/m for a pixel.
_BEND = 1e-3
# Shares of red and green differ by less within one body, more for dark ones (rounded to bytes).
_COLOR, _DARK = 0.003, 0.9
_LEAST_PIXELS = 4
_RIM_PIXELS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """Pixels that belong together.

    Attributes:
        box: Left, top, right, bottom; pixels, the last ones excluded.
        mask: ``(bottom - top, right - left)``, which of the box's pixels.
        points: ``(N, 3)``, metres, world frame, in the order of the mask.
        colors: ``(N, 3)``, RGB, 0 to 1.
        is_cut: Whether it touches the image's edge.
    """

    box: tuple[int, int, int, int]
    mask: NDArray[np.bool_]
    points: NDArray[np.float32]
    colors: NDArray[np.float32]
    is_cut: bool

    @property
    def window(self) -> tuple[slice, slice]:
        """The box, to index an image with."""
        left, top, right, bottom = self.box
        return (slice(top, bottom), slice(left, right))


def world_points(image: RgbdImage) -> NDArray[np.float32]:
    """``(H, W, 3)``, metres, world frame: what each pixel shows; the camera where none does."""
    camera, depth = image.camera, image.depth
    across = (np.arange(camera.width_px, dtype=np.float32) - camera.cx) / camera.fx
    down = (np.arange(camera.height_px, dtype=np.float32) - camera.cy) / camera.fy
    optical = np.stack((depth * across[None, :], depth * down[:, None], depth), axis=-1)
    matrix = image.world_from_camera.matrix().astype(np.float32)
    points: NDArray[np.float32] = (optical @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
    return points


def part(image: RgbdImage, points: NDArray[np.float32]) -> NDArray[np.int32]:
    """Number what belongs together.

    Args:
        image: Its colour and depth are used.
        points: From :func:`world_points`.

    Returns:
        ``(H, W)``: above 0 one number for each body's surface; ``FLOOR``; ``NOTHING``.
    """
    is_read = image.depth > 0.0
    heights = points[..., 2]
    is_floor = is_read & (heights < _FLOOR_BELOW_M + _FLOOR_SLOPE * image.depth)
    is_body = is_read & ~is_floor & (heights < CEILING_FROM_M)
    near = np.where(is_read, 1.0 / np.maximum(image.depth, 1e-3), 0.0)
    numbers = _connect(image.rgb, near, is_body)
    slight = np.where(_is_slight(numbers)[numbers], numbers, NOTHING)
    numbers[slight > 0] = NOTHING
    numbers[is_floor] = FLOOR
    for _ in range(_RIM_PIXELS):
        _fill_rims(numbers, near, is_body)
    # What is slight and lies beside nothing else is a body of its own, far away.
    is_alone = (numbers == NOTHING) & (slight > 0)
    labels, count = ndimage.label(is_alone, structure=np.ones((3, 3)))
    is_enough = np.bincount(labels.ravel(), minlength=count + 1) >= _LEAST_PIXELS
    is_alone &= is_enough[labels]
    numbers[is_alone] = labels[is_alone] + numbers.max() + 1
    return numbers


def cut_out(
    image: RgbdImage, points: NDArray[np.float32], numbers: NDArray[np.int32]
) -> list[Segment]:
    """Every numbered surface for itself."""
    stats = _boxes(numbers)
    height, width = numbers.shape
    found = []
    for number, (left, top, right, bottom) in stats:
        window = (slice(top, bottom), slice(left, right))
        mask = numbers[window] == number
        colors = (image.rgb[window][mask] / np.float32(255.0)).astype(np.float32)
        is_cut = left == 0 or top == 0 or right == width or bottom == height
        found.append(
            Segment(
                box=(left, top, right, bottom),
                mask=mask,
                points=points[window][mask],
                colors=colors,
                is_cut=is_cut,
            )
        )
    return found


def _is_slight(numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
    """By number: whether it is a strip of one pixel or only a few pixels, a rim perhaps."""
    counts = np.bincount(numbers.ravel())
    is_slight = np.zeros(len(counts), dtype=bool)
    for number, (left, top, right, bottom) in _boxes(numbers):
        is_slight[number] = min(right - left, bottom - top) < 2 or counts[number] < _LEAST_PIXELS
    return is_slight


def _boxes(numbers: NDArray[np.int32]) -> list[tuple[int, tuple[int, int, int, int]]]:
    listed = ndimage.find_objects(np.maximum(numbers, 0))
    return [
        (index + 1, (window[1].start, window[0].start, window[1].stop, window[0].stop))
        for index, window in enumerate(listed)
        if window is not None
    ]


def _connect(
    rgb: NDArray[np.uint8], near: NDArray[np.float64], is_body: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Number connected pixels; on a grid of twice the size, links lie between the pixels."""
    wide = rgb.astype(np.float32)
    total = np.maximum(wide[..., 0] + wide[..., 1] + wide[..., 2], 1.0)
    shares = (wide[..., 0] / total, wide[..., 1] / total)
    allowed = _COLOR + _DARK / total
    height, width = is_body.shape
    grid = np.zeros((2 * height - 1, 2 * width - 1), np.uint8)
    grid[::2, ::2] = is_body
    for axis in (0, 1):
        first, second = _pairs(axis)
        linked = is_body[first] & is_body[second] & ~_parted(near, axis)
        linked &= ~_changes(shares, allowed, axis)
        grid[(slice(1, None, 2), slice(None, None, 2))[:: 1 if axis == 0 else -1]] = linked
    _, labels = cv2.connectedComponents(grid, connectivity=4, ltype=cv2.CV_32S)
    numbers: NDArray[np.int32] = np.ascontiguousarray(labels[::2, ::2]).astype(np.int32)
    return numbers


def _pairs(axis: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    everything, before, after = slice(None), slice(None, -1), slice(1, None)
    if axis == 0:
        return (before, everything), (after, everything)
    return (everything, before), (everything, after)


def _changes(
    shares: tuple[NDArray[np.float32], NDArray[np.float32]],
    allowed: NDArray[np.float32],
    axis: int,
) -> NDArray[np.bool_]:
    """Between which neighbours along an axis the colour changes.

    Pixels on an edge mix two colours and would bridge them: such a pixel is parted from both.
    """
    first, second = _pairs(axis)
    steps = [np.diff(share, axis=axis) for share in shares]
    limit = np.maximum(allowed[first], allowed[second])
    changed: NDArray[np.bool_] = np.maximum(*(np.abs(step) for step in steps)) > limit
    across = np.maximum(*(np.abs(step[first] + step[second]) for step in steps))
    is_mixed = across > np.maximum(limit[first], limit[second])
    is_mixed &= ~changed[first] & ~changed[second]  # elsewhere nothing is bridged
    changed[first] |= is_mixed
    changed[second] |= is_mixed
    return changed


def _parted(near: NDArray[np.float64], axis: int) -> NDArray[np.bool_]:
    """Between which neighbours along an axis the reciprocal of depth bends up.

    A pixel where it does keeps its link to the side that goes on less steeply.
    """
    step = np.diff(near, axis=axis)
    first, second = _pairs(axis)
    is_bent = step[second] - step[first] > _BEND
    is_first_steeper = np.abs(step[first]) > np.abs(step[second])
    parted = np.zeros(step.shape, dtype=bool)
    parted[first] = is_bent & is_first_steeper
    parted[second] |= is_bent & ~is_first_steeper
    return parted


def _fill_rims(
    numbers: NDArray[np.int32], near: NDArray[np.float64], is_body: NDArray[np.bool_]
) -> None:
    """Give pixels between surfaces, and mixed colours, to the neighbour of the nearest depth."""
    rows, columns = np.nonzero(is_body & (numbers == NOTHING))
    best = np.full(len(rows), np.inf)
    chosen = np.full(len(rows), NOTHING, dtype=np.int32)
    height, width = numbers.shape
    for down, aside in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        beside = (
            np.clip(rows + down, 0, height - 1),
            np.clip(columns + aside, 0, width - 1),
        )
        gap = np.abs(near[rows, columns] - near[beside])
        is_better = (numbers[beside] > 0) & (gap < best)
        best[is_better] = gap[is_better]
        chosen[is_better] = numbers[beside][is_better]
    numbers[rows, columns] = chosen
