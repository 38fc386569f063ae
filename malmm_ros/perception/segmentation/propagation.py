"""Masks carried from one image to the next without a model: by place, colour and depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.segmentation.segmenter import Mask

# Colour distance (CIE Lab as OpenCV scales it) and depth difference that noise makes.
_COLOR_NOISE, _DEPTH_NOISE = 18.0, 0.012
_FEWEST_PIXELS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagationConfig:
    """How far things may have gone, and when a mask is lost.

    Attributes:
        reach_px: Furthest that a thing's edge may have moved between two images.
        smallest_share: Of a mask's former size; below it, the mask is lost.
        largest_share: Of a mask's former size; above it, it has run into its surroundings.
    """

    reach_px: int = 25
    smallest_share: float = 0.6
    largest_share: float = 1.6

    def __post_init__(self) -> None:
        if self.reach_px < 1:
            raise ValueError(f"reach_px must be at least 1, got {self.reach_px}")
        if not 0.0 < self.smallest_share < 1.0 < self.largest_share:
            raise ValueError("smallest_share < 1 < largest_share is needed")


def propagate(
    masks: Sequence[Mask],
    before: RgbdImage,
    now: RgbdImage,
    config: PropagationConfig | None = None,
) -> list[Mask] | None:
    """Find the same things again near where they were; for a camera that stands still.

    Args:
        masks: Of ``before``.
        before: The image that the masks belong to.
        now: A later image of the same camera.
        config: What counts as lost.

    Returns:
        One mask for each, in their order; ``None`` when one of them is lost or the camera was
        moved: then it is time to look anew.
    """
    config = config or PropagationConfig()
    if before.world_from_camera != now.world_from_camera or before.rgb.shape != now.rgb.shape:
        return None
    old, new = (
        np.asarray(cv2.cvtColor(image.rgb, cv2.COLOR_RGB2LAB), np.uint8) for image in (before, now)
    )
    found: list[Mask] = []
    taken = np.zeros(now.depth.shape, bool)
    for mask in masks:
        area = int(mask.pixels.sum())
        pixels = _follow(mask.pixels, (old, before.depth), (new, now.depth), config) & ~taken
        share = pixels.sum() / max(area, 1)
        if not config.smallest_share <= share <= config.largest_share:
            return None
        taken |= pixels
        found.append(replace(mask, pixels=pixels))
    return found


def _follow(
    mask: NDArray[np.bool_],
    before: tuple[NDArray[np.uint8], NDArray[np.float32]],
    now: tuple[NDArray[np.uint8], NDArray[np.float32]],
    config: PropagationConfig,
) -> NDArray[np.bool_]:
    """Pixels near a mask whose colour and depth the mask had, the piece that overlaps most."""
    nothing = np.zeros(mask.shape, bool)
    if mask.sum() < _FEWEST_PIXELS:
        return nothing
    top, bottom, left, right = _around(mask, config.reach_px)
    window = (slice(top, bottom), slice(left, right))
    colors = before[0][mask].astype(np.float32)
    spread = np.median(np.abs(colors - np.median(colors, axis=0)), axis=0).max()
    # Light falls differently on the sides of a thing: lightness counts half.
    weight = np.array([0.5, 1.0, 1.0], np.float32)
    distance = np.linalg.norm(
        (now[0][window].astype(np.float32) - np.median(colors, axis=0)) * weight, axis=2
    )
    alike = distance < _COLOR_NOISE + 3.0 * spread
    depths = before[1][mask]
    depths = depths[depths > 0.0]
    if len(depths) >= _FEWEST_PIXELS:
        near, far = np.percentile(depths, (2.0, 98.0))
        room = _DEPTH_NOISE + 0.5 * (far - near)
        depth = now[1][window]
        alike &= (depth == 0.0) | ((depth > near - room) & (depth < far + room))
    return _best_piece(alike, mask[window], nothing, window)


def _around(mask: NDArray[np.bool_], reach: int) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return (
        max(int(rows[0]) - reach, 0),
        int(rows[-1]) + reach + 1,
        max(int(columns[0]) - reach, 0),
        int(columns[-1]) + reach + 1,
    )


def _best_piece(
    alike: NDArray[np.bool_],
    mask: NDArray[np.bool_],
    whole: NDArray[np.bool_],
    window: tuple[slice, slice],
) -> NDArray[np.bool_]:
    _, labels = cv2.connectedComponents(alike.astype(np.uint8), connectivity=4)
    counts = np.bincount(labels[mask], minlength=1)
    counts[0] = 0
    if counts.max() == 0:  # it has left its place: the nearest in size
        counts = np.bincount(labels.ravel())
        counts[0] = 0
    if counts.max() > 0:
        whole[window] = labels == int(counts.argmax())
    return whole
