"""Connected pieces of one colour family that stand on, or lie flat on, the table."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import rotation_matrix
from malmm_ros.perception.color_naming import FAMILY_COUNT, FIRST_HUE, families
from malmm_ros.perception.estimation.table import heights
from malmm_ros.perception.quantiles import quantile
from malmm_ros.scene import Workspace

_NO_READING = -0.5  # m; below any height
_STRIDE = 8
_MARK_SATURATION = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionConfig:
    """What counts as a piece of a thing.

    Attributes:
        lowest: Things that rise less above the table are flat marks, metres.
        border: Pieces may reach this far beyond the workspace, metres.
        least_pixels: Of a piece.
        depth_step: Neighbouring readings that differ by more are two things, metres at 1 m.
        flat_width_px: Flat marks are at least this wide.
    """

    lowest: float = 0.006
    border: float = 0.12
    least_pixels: int = 24
    depth_step: float = 0.02
    flat_width_px: int = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """One piece.

    Attributes:
        window: Rows and columns of the image that hold it.
        pixels: ``(h, w)`` within the window.
        family: Of its colour, see ``color_naming``.
        is_flat: It lies in the table's plane.
    """

    window: tuple[slice, slice]
    pixels: NDArray[np.bool_]
    family: int
    is_flat: bool

    @property
    def count(self) -> int:
        """How many pixels."""
        return int(self.pixels.sum())

    def full(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """As a mask of the whole image."""
        mask = np.zeros(shape, dtype=bool)
        mask[self.window] = self.pixels
        return mask


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """An image with what is computed of it once.

    Attributes:
        image: With a levelled pose.
        table_z: Height of the table's top, world frame.
        heights: ``(H, W)``, metres above the table; −1 where there is no reading.
        smooth: The same, averaged over neighbours.
        families: ``(H, W)``, colour families.
        saturations: ``(H, W)``, of 255.
        is_inside: ``(H, W)``; over the workspace and not to be ignored.
        is_edge: ``(H, W)``; without a reading, or between things at different depths.
    """

    image: RgbdImage
    table_z: float
    heights: NDArray[np.float32]
    smooth: NDArray[np.float32]
    families: NDArray[np.uint8]
    saturations: NDArray[np.uint8]
    is_inside: NDArray[np.bool_]
    is_edge: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        image: RgbdImage,
        *,
        table_z: float,
        workspace: Workspace,
        config: RegionConfig,
        ignore: NDArray[np.bool_] | None,
    ) -> View:
        """Compute it."""
        above = heights(image, table_z)
        inside = _inside(image, workspace, config.border) & (above > _NO_READING)
        if ignore is not None:
            inside &= ~ignore
        family, saturation = families(np.asarray(cv2.blur(image.rgb, (3, 3)), np.uint8))
        return cls(
            image=image,
            table_z=table_z,
            heights=above,
            smooth=_smoothed(above),
            families=family,
            saturations=saturation,
            is_inside=inside,
            is_edge=(above <= _NO_READING) | _steps(image.depth, config.depth_step),
        )


def find_regions(view: View, config: RegionConfig) -> list[Region]:
    """All pieces, raised ones first."""
    raised = view.is_inside & (view.smooth > config.lowest)
    raised &= ~view.is_edge
    flat = view.is_inside & (np.abs(view.smooth) <= config.lowest)
    flat &= (view.families >= FIRST_HUE) & _is_unlike_table(view, flat)
    result = _pieces(raised.astype(np.uint8), view.families, config, is_flat=False)
    return result + _pieces(_wide(flat, config), view.families, config, is_flat=True)


def _wide(flat: NDArray[np.bool_], config: RegionConfig) -> NDArray[np.uint8]:
    """The parts of a mask that are not just narrow strips, with their corners."""
    kernel = np.ones((config.flat_width_px, config.flat_width_px), np.uint8)
    mask = flat.astype(np.uint8)
    core = cv2.erode(mask, kernel)
    # Twice as far back as it went: corners come back, strips that hang on by their end do not.
    back = np.asarray(cv2.dilate(core, kernel, iterations=2), np.uint8)
    return mask & back


def _is_unlike_table(view: View, flat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which pixels are more saturated than the table, whose pixels are most of the flat ones."""
    of_table = view.saturations[::_STRIDE, ::_STRIDE][flat[::_STRIDE, ::_STRIDE]]
    if not len(of_table):
        return flat
    limit = max(_MARK_SATURATION, quantile(of_table, 0.7) / 255.0 + 0.15)
    return np.asarray(view.saturations > 255.0 * min(limit, 0.98))


def _pieces(
    mask: NDArray[np.uint8], family: NDArray[np.uint8], config: RegionConfig, *, is_flat: bool
) -> list[Region]:
    if not mask.any():
        return []
    x, y, width, height = cv2.boundingRect(mask)
    mask, family = mask[y : y + height, x : x + width], family[y : y + height, x : x + width]
    present = np.bincount((family * mask).ravel(), minlength=FAMILY_COUNT)
    result = []
    for index in range(1, FAMILY_COUNT):
        if present[index] < config.least_pixels:
            continue
        layer = ((family == index) & (mask > 0)).astype(np.uint8)
        number, labels, boxes, _ = cv2.connectedComponentsWithStats(layer, connectivity=4)
        for label in range(1, number):
            left, top, wide, high, area = (int(value) for value in boxes[label])
            if area < config.least_pixels:
                continue
            inner = labels[top : top + high, left : left + wide] == label
            window = (slice(y + top, y + top + high), slice(x + left, x + left + wide))
            result.append(Region(window=window, pixels=inner, family=index, is_flat=is_flat))
    return result


def _smoothed(above: NDArray[np.float32]) -> NDArray[np.float32]:
    """Averages over 3 × 3 neighbours that have a reading."""
    valid = (above > _NO_READING).astype(np.float32)
    total = cv2.boxFilter(above * valid, -1, (3, 3), normalize=False)
    count = cv2.boxFilter(valid, -1, (3, 3), normalize=False)
    return np.asarray(np.where(valid > 0, total / np.maximum(count, 1.0), -1.0), np.float32)


def _steps(depth: NDArray[np.float32], step: float) -> NDArray[np.bool_]:
    """Where neighbouring readings belong to two things."""
    kernel = np.ones((3, 3), np.uint8)
    far = cv2.dilate(depth, kernel)
    near = cv2.erode(np.where(depth > 0, depth, np.float32(np.inf)), kernel)
    steps: NDArray[np.bool_] = (far - near) > step * depth
    return steps


def _inside(image: RgbdImage, workspace: Workspace, border: float) -> NDArray[np.bool_]:
    """Which pixels show points over the workspace."""
    rotation = rotation_matrix(image.world_from_camera.orientation)
    camera, depth = image.camera, image.depth
    across = (np.arange(camera.width_px) - camera.cx) / camera.fx
    down = (np.arange(camera.height_px) - camera.cy) / camera.fy
    inside = depth > 0
    for axis in range(2):
        slope = (
            across[None, :] * rotation[axis, 0] + (down * rotation[axis, 1])[:, None]
        ) + rotation[axis, 2]
        place = depth * slope.astype(np.float32)
        origin = image.world_from_camera.position[axis]
        inside &= place > workspace.low[axis] - border - origin
        inside &= place < workspace.high[axis] + border - origin
    return np.asarray(inside)
