"""Which pieces are walls of one open thing: a tray, a bin, a hoop."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.estimation.table import rays
from malmm_ros.perception.quantiles import quantile
from malmm_ros.perception.segmentation.regions import Region, View
from malmm_ros.perception.segmentation.thing import Thing, hull_of, union, within

# Pieces of an open thing (a tray's walls, a bin's inside) are at most so far apart.
_REACH_PX = 10
_LONGEST, _LARGEST = 0.38, 0.125  # m, m²
_WALL, _LOW_WALL = 0.08, 0.03  # m
_BARE_SHARE, _BARE_IN_FLOOR = 0.25, 0.12
_LOW, _LOW_GAP = 0.08, 0.022  # m
_COMPARED = 100
# A closed top is at least this wide from its middle to its edge as the camera sees it, m; a rim
# is narrower.
_CLOSED = 0.0064
_TOP_BAND = 0.004  # m
# Of a thing's pixels: so many show the table through it when it has no bottom.
_THROUGH = 0.03
# A floor is so low; the table itself lies at 0 within half a millimetre.
_FLOOR, _LOWEST_FLOOR = 0.012, 0.0018  # m
# What stands so high in it is not it, and leaves so much of what lies between its walls.
_CONTENT, _FLOOR_SHARE = 0.02, 0.5
_FLOOR_PIXELS, _MOST_PIXELS = 60, 60_000


def is_open(view: View, region: Region) -> bool:
    """Whether a piece may be part of something hollow: it has a rim and no closed top."""
    if region.is_flat:
        return True
    height = np.where(region.pixels, view.smooth[region.window], -1.0)
    top = quantile(height[region.pixels], 0.97)
    on_top = np.pad((height > top - _TOP_BAND).astype(np.uint8), 1)
    widest = float(cv2.distanceTransform(on_top, cv2.DIST_L2, 3).max())
    distance = float(np.median(view.image.depth[region.window][region.pixels]))
    return widest * distance / view.image.camera.fx < _CLOSED


def may_be_wall(view: View, region: Region) -> bool:
    """Whether a piece is long, or low, enough for a wall: small things have narrow tops too."""
    if region.is_flat:
        return True
    height = view.smooth[region.window][region.pixels]
    return quantile(height, 0.97) < _LOW_WALL or _extent(view, (region,))[1] > _WALL


def are_near(view: View, first: Region, second: Region) -> bool:
    """Whether two pieces are some pixels apart; low ones with no bare table between them."""
    (r0, c0), (r1, c1) = first.window, second.window
    if (
        r0.start > r1.stop + _REACH_PX
        or r1.start > r0.stop + _REACH_PX
        or c0.start > c1.stop + _REACH_PX
        or c1.start > c0.stop + _REACH_PX
    ):
        return False
    rows = slice(min(r0.start, r1.start), max(r0.stop, r1.stop))
    columns = slice(min(c0.start, c1.start), max(c0.stop, c1.stop))
    masks = []
    for region in (first, second):
        mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
        mask[within(region.window, rows, columns)] = region.pixels
        masks.append(mask)
    kernel = np.ones((2 * _REACH_PX + 1, 2 * _REACH_PX + 1), np.uint8)
    wide = [cv2.dilate(mask, kernel) for mask in masks]
    if not (wide[0] & masks[1]).any():
        return False
    if not _are_low(view, first, second):
        return True
    between = (wide[0] > 0) & (wide[1] > 0) & (masks[0] == 0) & (masks[1] == 0)
    is_table = between & (np.abs(view.smooth[rows, columns]) < _LOWEST_FLOOR)
    if is_table.sum() >= _BARE_SHARE * max(1, int(between.sum())):
        return False
    sides = [(wide[1 - index] > 0) & (masks[index] > 0) for index in range(2)]
    return _gap(view, sides, rows, columns) < _LOW_GAP


def share_floor(view: View, first: Region, second: Region) -> bool:
    """Whether what lies between two pieces is a floor: level, and a little above the table."""
    if first.is_flat or second.is_flat:
        return False
    if max(_overlap(first.window[axis], second.window[axis]) for axis in range(2)) < 0.5:
        return False
    whole = union((first, second))
    if whole.pixels.size > _MOST_PIXELS:
        return False
    hull = hull_of(whole.pixels)
    height = view.smooth[whole.window]
    is_between = (hull > 0) & ~whole.pixels & (height > -0.5)
    if _is_level(height[is_between]):
        return True
    # What lies in it is no floor, but leaves enough of one, of its own colour, in sight.
    is_own = is_between & (height < _CONTENT) & (view.families[whole.window] == whole.family)
    return bool(is_own.sum() > _FLOOR_SHARE * is_between.sum()) and _is_level(height[is_own])


def _is_level(height: NDArray[np.float32]) -> bool:
    """Whether heights ``(N,)`` are those of one floor, and not of the table."""
    if len(height) < _FLOOR_PIXELS:
        return False
    if float((np.abs(height) < _LOWEST_FLOOR).mean()) > _BARE_IN_FLOOR:
        return False
    level = float(np.median(height))
    is_even = float((np.abs(height - level) < _TOP_BAND).mean()) > 0.6
    return is_even and _LOWEST_FLOOR < level < _FLOOR


def is_bottomless(view: View, thing: Thing) -> bool:
    """Whether the table is seen through what has a rim: a hoop, where a bin has a floor."""
    own = np.pad(thing.pixels.astype(np.uint8), 1)
    _, around = cv2.connectedComponents(1 - own, connectivity=4)
    inside = ((around != around[0, 0]) & (own == 0))[1:-1, 1:-1]
    # Not the band around edges, where readings are lost or mixed.
    inside = cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    is_table = inside & (np.abs(view.smooth[thing.window]) < _FLOOR)
    is_table &= view.families[thing.window] != thing.family
    return bool(is_table.sum() > _THROUGH * thing.pixels.sum())


def is_too_large(view: View, group: Sequence[Region]) -> bool:
    """Whether the smallest rectangle around pieces, seen from above, is more than one thing's.

    A corner and the corner across are far apart, too, but the rectangle along them is narrow.
    """
    short, long = _extent(view, group)
    return long > _LONGEST and short * long > _LARGEST


def _are_low(view: View, first: Region, second: Region) -> bool:
    """Whether both pieces are walls as low as a tray's: one looks over them from wall to wall."""
    return all(
        quantile(view.smooth[region.window][region.pixels], 0.97) < _LOW
        for region in (first, second)
    )


def _gap(view: View, sides: list[NDArray[np.bool_]], rows: slice, columns: slice) -> float:
    """Least distance in space between pixels of two pieces, metres."""
    clouds = []
    for pixels in sides:
        v, u = np.nonzero(pixels & (view.heights[rows, columns] > -0.5))
        step = max(1, len(v) // _COMPARED)
        v, u = v[::step] + rows.start, u[::step] + columns.start
        clouds.append(rays(view.image, v, u) * view.image.depth[v, u][:, None])
    if not len(clouds[0]) or not len(clouds[1]):
        return float("inf")
    return float(np.linalg.norm(clouds[0][:, None] - clouds[1][None, :], axis=2).min())


def _overlap(first: slice, second: slice) -> float:
    """Part of the shorter of two ranges that lies in the other."""
    shared = min(first.stop, second.stop) - max(first.start, second.start)
    return float(shared / min(first.stop - first.start, second.stop - second.start))


def _extent(view: View, group: Sequence[Region]) -> tuple[float, float]:
    """Sides of the smallest rectangle around pieces seen from above, metres."""
    parts = []
    for region in group:
        rows, columns = np.nonzero(region.pixels & (view.heights[region.window] > -0.5))
        step = max(1, len(rows) // _COMPARED)
        rows = rows[::step] + region.window[0].start
        columns = columns[::step] + region.window[1].start
        depth = view.image.depth[rows, columns]
        parts.append(rays(view.image, rows, columns)[:, :2] * depth[:, None])
    flat = np.concatenate(parts)
    if len(flat) < 3:
        return (0.0, 0.0)
    (_, _), sides, _ = cv2.minAreaRect(flat.astype(np.float32))
    return (float(min(sides)), float(max(sides)))
