"""The pixels of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.segmentation.regions import Region


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
        pixels[within(item.window, rows, columns)] |= item.pixels
    return Thing(
        window=(rows, columns),
        pixels=pixels,
        family=group[0].family,
        is_flat=all(item.is_flat for item in group),
    )


def hull_of(pixels: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The convex hull of a mask, filled."""
    hull = np.zeros(pixels.shape, np.uint8)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(pixels.astype(np.uint8))), 1)
    return hull


def within(window: tuple[slice, slice], rows: slice, columns: slice) -> tuple[slice, slice]:
    """The same window, counted within larger rows and columns."""
    return (
        slice(window[0].start - rows.start, window[0].stop - rows.start),
        slice(window[1].start - columns.start, window[1].stop - columns.start),
    )
