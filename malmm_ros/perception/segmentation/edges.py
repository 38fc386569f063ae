"""Things up to their edges, where depth readings are lost: told by colour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.segmentation.regions import View
from malmm_ros.perception.segmentation.thing import Thing, within

_STRIDE = 8
_TOP_BAND = 0.004  # m
_DEPTH_REACH = 0.015  # m
# A shadowed table is about so bright.
_SHADOW = 0.5


def table_colors(view: View) -> NDArray[np.float32]:
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


def grown(view: View, thing: Thing, table: NDArray[np.float32]) -> Thing:
    """With the pixels of its colour at its depth edges, where readings are lost."""
    if thing.is_flat:
        return thing
    height, width = view.heights.shape
    rows = slice(max(0, thing.window[0].start - 3), min(height, thing.window[0].stop + 3))
    columns = slice(max(0, thing.window[1].start - 3), min(width, thing.window[1].stop + 3))
    mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    mask[within(thing.window, rows, columns)] = thing.pixels
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
