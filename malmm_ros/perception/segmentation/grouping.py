"""Put pieces together that are one thing, up to its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.estimation.table import rays
from malmm_ros.perception.quantiles import quantile
from malmm_ros.perception.segmentation.regions import Region, View

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
_STRIDE = 8
_DEPTH_REACH = 0.015  # m
# Things go into what is at least so wide; its floor is so low.
_WIDE, _FLOOR = 0.12, 0.012  # m
# The table itself lies at 0 within half a millimetre; a floor has some thickness.
_LOWEST_FLOOR = 0.0018  # m
_FLOOR_PIXELS, _MOST_PIXELS = 60, 60_000
# A shadowed table is about so bright.
_SHADOW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Thing:
    """The pixels of one thing within a window of the image.

    Attributes:
        floor: ``(h, w)``; of a tray: its level floor, a part of its pixels.
    """

    window: tuple[slice, slice]
    pixels: NDArray[np.bool_]
    family: int
    is_flat: bool
    floor: NDArray[np.bool_] | None = None

    def full(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """As a mask of the whole image."""
        mask = np.zeros(shape, dtype=bool)
        mask[self.window] = self.pixels
        return mask


def gather(view: View, regions: list[Region]) -> list[Thing]:
    """Things of an image's pieces."""
    groups = _joined(view, regions)
    things = []
    table = _table_colors(view)
    for group in groups:
        thing = union(group)
        thing = _grown(view, thing, table)
        things.append(_with_floor(view, thing) if _is_wide_open(view, group) else thing)
    return things


def _joined(view: View, regions: list[Region]) -> list[list[Region]]:
    """Pieces that belong together, one list a thing."""
    is_open = [_is_open(view, region) for region in regions]
    is_wall = [
        is_open[index] and _may_be_wall(view, region) for index, region in enumerate(regions)
    ]
    groups = [[region] for region in regions]
    place = list(range(len(regions)))
    for i, first in enumerate(regions):
        for j in range(i):
            second = regions[j]
            if first.family != second.family or not (is_open[i] and is_open[j]):
                continue
            if place[i] == place[j] or not (is_wall[i] or is_wall[j]):
                continue
            if not _are_near(view, first, second) and not _share_floor(view, first, second):
                continue
            joined = groups[place[i]] + groups[place[j]]
            # Two trays side by side are longer than any one thing.
            if _is_too_large(view, joined):
                continue
            old, new = place[i], place[j]
            groups[new], groups[old] = joined, []
            place = [new if at == old else at for at in place]
    return [group for group in groups if group]


def _is_wide_open(view: View, group: list[Region]) -> bool:
    """Whether pieces are the walls of something that things go into."""
    is_walls = any(not item.is_flat for item in group) and all(
        _is_open(view, item) for item in group
    )
    if not is_walls:
        return False
    window = union(group).window
    distance = float(np.median(view.image.depth[group[0].window][group[0].pixels]))
    pixels = max(window[0].stop - window[0].start, window[1].stop - window[1].start)
    return bool(pixels * distance / view.image.camera.fx > _WIDE)


def _with_floor(view: View, thing: Thing) -> Thing:
    """With what lies between its walls at the table's height in its own colour."""
    hull = _hull(thing.pixels)
    height = view.smooth[thing.window]
    floor = (hull > 0) & (np.abs(height) < _FLOOR) & (view.families[thing.window] == thing.family)
    floor = cv2.erode(floor.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return replace(thing, pixels=thing.pixels | floor, floor=floor)


def _is_open(view: View, region: Region) -> bool:
    """Whether a piece may be part of something hollow: it has a rim and no closed top."""
    if region.is_flat:
        return True
    height = np.where(region.pixels, view.smooth[region.window], -1.0)
    top = quantile(height[region.pixels], 0.97)
    on_top = np.pad((height > top - _TOP_BAND).astype(np.uint8), 1)
    widest = float(cv2.distanceTransform(on_top, cv2.DIST_L2, 3).max())
    distance = float(np.median(view.image.depth[region.window][region.pixels]))
    return widest * distance / view.image.camera.fx < _CLOSED


def _are_near(view: View, first: Region, second: Region) -> bool:
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
        mask[_within(region.window, rows, columns)] = region.pixels
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


def _share_floor(view: View, first: Region, second: Region) -> bool:
    """Whether what lies between two pieces is a floor: level, and a little above the table."""
    if first.is_flat or second.is_flat:
        return False
    if max(_overlap(first.window[axis], second.window[axis]) for axis in range(2)) < 0.5:
        return False
    whole = union((first, second))
    if whole.pixels.size > _MOST_PIXELS:
        return False
    hull = _hull(whole.pixels)
    height = view.smooth[whole.window]
    between = height[(hull > 0) & ~whole.pixels & (height > -0.5)]
    if len(between) < _FLOOR_PIXELS:
        return False
    if float((np.abs(between) < _LOWEST_FLOOR).mean()) > _BARE_IN_FLOOR:
        return False
    level = float(np.median(between))
    is_even = float((np.abs(between - level) < _TOP_BAND).mean()) > 0.6
    return is_even and _LOWEST_FLOOR < level < _FLOOR


def _overlap(first: slice, second: slice) -> float:
    """Part of the shorter of two ranges that lies in the other."""
    shared = min(first.stop, second.stop) - max(first.start, second.start)
    return float(shared / min(first.stop - first.start, second.stop - second.start))


def _hull(pixels: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The convex hull of a mask, filled."""
    hull = np.zeros(pixels.shape, np.uint8)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(pixels.astype(np.uint8))), 1)
    return hull


def _is_too_large(view: View, group: Sequence[Region]) -> bool:
    """Whether the smallest rectangle around pieces, seen from above, is more than one thing's.

    A corner and the corner across are far apart, too, but the rectangle along them is narrow.
    """
    short, long = _extent(view, group)
    return long > _LONGEST and short * long > _LARGEST


def _may_be_wall(view: View, region: Region) -> bool:
    """Whether a piece is long, or low, enough for a wall: small things have narrow tops too."""
    if region.is_flat:
        return True
    height = view.smooth[region.window][region.pixels]
    return quantile(height, 0.97) < _LOW_WALL or _extent(view, (region,))[1] > _WALL


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


def _within(window: tuple[slice, slice], rows: slice, columns: slice) -> tuple[slice, slice]:
    return (
        slice(window[0].start - rows.start, window[0].stop - rows.start),
        slice(window[1].start - columns.start, window[1].stop - columns.start),
    )


def union(group: Sequence[Region | Thing]) -> Thing:
    """All pixels of several pieces as one thing."""
    rows = slice(
        min(item.window[0].start for item in group), max(item.window[0].stop for item in group)
    )
    columns = slice(
        min(item.window[1].start for item in group), max(item.window[1].stop for item in group)
    )
    pixels = np.zeros((rows.stop - rows.start, columns.stop - columns.start), dtype=bool)
    for item in group:
        pixels[_within(item.window, rows, columns)] |= item.pixels
    return Thing(
        window=(rows, columns),
        pixels=pixels,
        family=group[0].family,
        is_flat=all(item.is_flat for item in group),
    )


def _table_colors(view: View) -> NDArray[np.float32]:
    """Colours ``(K, 3)`` of the bare table: dark and bright parts, and the same in shadow."""
    flat = view.is_inside[::_STRIDE, ::_STRIDE] & (
        np.abs(view.smooth[::_STRIDE, ::_STRIDE]) < _TOP_BAND
    )
    colors = view.image.rgb[::_STRIDE, ::_STRIDE][flat].astype(np.float32)
    if len(colors) < 20:
        return np.empty((0, 3), np.float32)
    order = np.argsort(colors.sum(axis=1))
    picked = colors[order[(np.array([0.15, 0.5, 0.85]) * len(order)).astype(np.intp)]]
    return np.concatenate((picked, _SHADOW * picked))


def _grown(view: View, thing: Thing, table: NDArray[np.float32]) -> Thing:
    """With the pixels of its colour at its depth edges, where readings are lost."""
    if thing.is_flat:
        return thing
    height, width = view.heights.shape
    rows = slice(max(0, thing.window[0].start - 3), min(height, thing.window[0].stop + 3))
    columns = slice(max(0, thing.window[1].start - 3), min(width, thing.window[1].stop + 3))
    mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    mask[_within(thing.window, rows, columns)] = thing.pixels
    beside = (cv2.dilate(mask, np.ones((5, 5), np.uint8)) > 0) & (mask == 0)
    beside &= view.is_edge[rows, columns] & _is_level(view.image.depth[rows, columns], mask)
    near = np.nonzero(beside)
    if len(near[0]) and len(table):
        colors = view.image.rgb[rows, columns].astype(np.float32)
        own = _own_colors(colors[mask > 0])
        beside[near] = _distance(colors[near], own) < _distance(colors[near], table)
    grown = (mask > 0) | beside
    return Thing(window=(rows, columns), pixels=grown, family=thing.family, is_flat=thing.is_flat)


def _is_level(depth: NDArray[np.float32], mask: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where there is no reading, or one like those of the thing's nearest pixels."""
    kernel = np.ones((5, 5), np.uint8)
    is_own = (mask > 0) & (depth > 0)
    far = cv2.dilate(np.where(is_own, depth, np.float32(0.0)), kernel)
    near = cv2.erode(np.where(is_own, depth, np.float32(np.inf)), kernel)
    level = (depth > near - _DEPTH_REACH) & (depth < far + _DEPTH_REACH)
    return np.asarray((depth <= 0) | level)


def _own_colors(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Colours of a thing's dark, middle and bright faces, ``(3, 3)``."""
    order = np.argsort(colors.sum(axis=1))
    return colors[order[(np.array([0.1, 0.5, 0.9]) * len(order)).astype(np.intp)]]


def _distance(colors: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """To the nearest of some colours."""
    difference = colors[:, None, :] - others[None, :, :]
    return np.asarray((difference * difference).sum(axis=2).min(axis=1), np.float32)
