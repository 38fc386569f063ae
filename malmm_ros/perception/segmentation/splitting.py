"""Split one-coloured pieces that are several things: pegs on a base, a cap on a bottle, towers."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.estimation.shape import Shape, fits_of
from malmm_ros.perception.estimation.table import rays
from malmm_ros.perception.quantiles import quantile
from malmm_ros.perception.segmentation.regions import View
from malmm_ros.perception.segmentation.thing import Thing

_NO_READING = -0.5
_LEAST_PIXELS = 20
# Heights at which a wide low thing may carry narrow tall ones of its own colour, metres.
_LEVELS = (0.033, 0.062)
_WIDE, _NARROW, _TALLER = 0.2, 0.09, 0.03
_RISE = 0.008
# A cap is so high at most, and so much brighter than the neck below it. (Darker proves nothing:
# a cap of another hue throws a shadow on its neck.)
_CAP = (0.012, 0.03)
_BAND = 0.01
_BRIGHTNESS_STEP = 1.5
_TALL, _SLIM = 0.17, 0.14
# Cubes that may stand on or beside each other have edges like these.
_CUBE = (0.0475, 0.072)
_CUBE_MISFIT = 0.22


def split_levels(view: View, thing: Thing) -> list[Thing]:
    """What stands on a wide low thing of its own colour, apart from it."""
    if thing.is_flat:
        return [thing]
    height = filled_heights(view, thing)
    top = quantile(height[thing.pixels], 0.99)
    for level in _LEVELS:
        if top < level + _TALLER:
            break
        upper = thing.pixels & (height > level)
        lower = thing.pixels & ~upper
        if lower.sum() < _LEAST_PIXELS or _width(view, thing, lower) < _WIDE:
            continue
        # Most of the wide thing is its top: what rises from there is not its own.
        low_top = float(np.median(height[lower]))
        upper = thing.pixels & (height > low_top + _RISE)
        lower = thing.pixels & ~upper
        parts = _components(thing, upper)
        if parts and all(_width(view, part, part.pixels) < _NARROW for part in parts):
            return [replace(thing, pixels=lower), *parts]
    return [thing]


def split_cap(view: View, thing: Thing) -> list[Thing]:
    """The cap apart from a darker bottle of the same hue."""
    height = filled_heights(view, thing)
    inside = height[thing.pixels]
    top = quantile(inside, 0.99)
    if top < _TALL or _width(view, thing, thing.pixels) > _SLIM:
        return [thing]
    brightness = view.image.rgb[thing.window].max(axis=2)[thing.pixels].astype(np.float64)
    best, cut = math.log(_BRIGHTNESS_STEP), 0.0
    for depth in np.arange(*_CAP, 0.002):
        edge = top - float(depth)
        # Not the cap's upper face, which is brighter than its side.
        above = brightness[(inside > edge) & (inside < min(edge + _BAND, top - 0.005))]
        below = brightness[(inside < edge) & (inside > edge - _BAND)]
        if min(len(above), len(below)) < 5:
            continue
        step = math.log((np.median(above) + 1.0) / (np.median(below) + 1.0))
        if step > best:
            best, cut = step, edge
    if not cut:
        return [thing]
    upper = thing.pixels & (height > cut)
    return [replace(thing, pixels=thing.pixels & ~upper), replace(thing, pixels=upper)]


def split_cubes(view: View, thing: Thing, shape: Shape) -> list[Thing]:
    """Cubes of one colour that stand on each other, one by one.

    A bar of two cubes' size is taken for two cubes.
    """
    if not _CUBE[0] < shape.long < 1.6 * _CUBE[1] or shape.height < 1.6 * _CUBE[0]:
        return [thing]
    fits = fits_of(shape)
    edge = 0.5 * sum(fits.box.size)
    count = round(shape.height / edge)
    is_cubes = count > 1 and abs(shape.height / edge - count) < _CUBE_MISFIT
    if not is_cubes or fits.is_round or not _CUBE[0] < edge < _CUBE[1]:
        return [thing]
    height = filled_heights(view, thing)
    low = shape.bottom - view.table_z
    level = np.clip((height - low) / (shape.height / count), 0, count - 1e-6).astype(np.intp)
    parts = [replace(thing, pixels=thing.pixels & (level == index)) for index in range(count)]
    return [part for part in parts if part.pixels.sum() >= _LEAST_PIXELS]


def filled_heights(view: View, thing: Thing) -> NDArray[np.float32]:
    """Heights within a thing's window; pixels without a reading take the highest beside them."""
    height = view.smooth[thing.window]
    beside = cv2.dilate(height, np.ones((5, 5), np.uint8))
    return np.asarray(np.where(height > _NO_READING, height, beside), np.float32)


def _width(view: View, thing: Thing, pixels: NDArray[np.bool_]) -> float:
    """Longer side of a piece seen from above, metres."""
    rows, columns = np.nonzero(pixels & (view.heights[thing.window] > _NO_READING))
    if len(rows) < 3:
        return 0.0
    step = max(1, len(rows) // 300)
    rows, columns = rows[::step] + thing.window[0].start, columns[::step] + thing.window[1].start
    flat = (rays(view.image, rows, columns) * view.image.depth[rows, columns][:, None])[:, :2]
    (_, _), sides, _ = cv2.minAreaRect(flat.astype(np.float32))
    return float(max(sides))


def _components(thing: Thing, pixels: NDArray[np.bool_]) -> list[Thing]:
    number, labels, stats, _ = cv2.connectedComponentsWithStats(
        pixels.astype(np.uint8), connectivity=4
    )
    return [
        replace(thing, pixels=labels == index)
        for index in range(1, number)
        if stats[index, cv2.CC_STAT_AREA] >= _LEAST_PIXELS
    ]
