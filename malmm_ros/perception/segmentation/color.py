"""Find and name things by colour and form: the embedded segmenter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError
from malmm_ros.perception.color_naming import Light, name_color
from malmm_ros.perception.estimation.forms import FLAT, recognise
from malmm_ros.perception.estimation.object_points import object_points
from malmm_ros.perception.estimation.shape import Shape, shape_of
from malmm_ros.perception.estimation.support import find_support
from malmm_ros.perception.estimation.table import TablePlane, TablePlaneConfig
from malmm_ros.perception.segmentation.grouping import Thing, gather
from malmm_ros.perception.segmentation.light import LightMeter
from malmm_ros.perception.segmentation.regions import RegionConfig, View, find_regions
from malmm_ros.perception.segmentation.segmenter import Mask
from malmm_ros.perception.segmentation.splitting import split_cap, split_cubes, split_levels
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.scene import Workspace

_LEAST_POINTS = 12
_TOP_BAND, _TOP_PIXELS = 0.004, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorSegmenterConfig:
    """What the segmenter assumes of its table.

    Attributes:
        table: Where the table is and how it is followed.
        regions: What counts as a piece of a thing.
        workspace: Where things are looked for.
    """

    table: TablePlaneConfig = field(default_factory=TablePlaneConfig)
    regions: RegionConfig = field(default_factory=RegionConfig)
    workspace: Workspace = field(default_factory=Workspace)


class ColorSegmenter:
    """Sees everything that rises from the table, and coloured marks on it.

    Pieces are told apart by colour family and by steps in depth; kinds by form and size, see
    ``docs/perception.md`` for what it cannot tell. It keeps the table's plane of each camera
    and the light from frame to frame, and needs nothing else: no weights, no network.
    """

    def __init__(self, config: ColorSegmenterConfig | None = None) -> None:
        self._config = config or ColorSegmenterConfig()
        self._table = TablePlane(self._config.table, workspace=self._config.workspace)
        self._meter = LightMeter()

    def segment(
        self,
        image: RgbdImage,
        phrases: Sequence[str],
        *,
        ignore: NDArray[np.bool_] | None = None,
    ) -> list[Mask]:
        """One mask a thing, with its kind and colour.

        Args:
            image: Colour and depth; its pose need not be level.
            phrases: Things that one of them speaks of get it; the others an empty phrase.
            ignore: ``(H, W)``; true pixels (the robot's) belong to no thing.

        Raises:
            PerceptionError: The sizes differ, or there is no depth at all.
        """
        if ignore is not None and ignore.shape != image.depth.shape:
            raise PerceptionError(
                f"ignore {ignore.shape} and image {image.depth.shape} differ in size"
            )
        if not (image.depth > 0.0).any():
            raise PerceptionError(f"camera {image.camera_name!r} gives no depth at all")
        view = View.of(
            self._table.update(image, ignore),
            table_z=self._table.table_z,
            workspace=self._config.workspace,
            config=self._config.regions,
            ignore=ignore,
        )
        light = self._meter.update(view, ignore)
        masks: list[Mask] = []
        for thing in gather(view, find_regions(view, self._config.regions)):
            for part in split_levels(view, thing):
                masks += self._masks(view, part, light, phrases)
        return masks

    def _masks(self, view: View, thing: Thing, light: Light, phrases: Sequence[str]) -> list[Mask]:
        """Masks of what was taken for one thing: none, one, or several."""
        if thing.is_flat:
            return [_mask(view, thing, FLAT, light, phrases)]
        shape = _shape(view, thing)
        if shape is None:
            return []
        parts = split_cubes(view, thing, shape)
        if len(parts) > 1:
            return [_mask(view, part, "block", light, phrases) for part in parts]
        parts = split_cap(view, thing)
        shapes = [_shape(view, part) for part in parts] if len(parts) > 1 else [shape]
        result = []
        for part, form in zip(parts, shapes, strict=True):
            if form is not None:
                color = name_color(_top_color(view, part), light)
                category = recognise(form, color)
                result.append(_mask(view, part, category, light, phrases))
        return result


def _mask(view: View, thing: Thing, category: str, light: Light, phrases: Sequence[str]) -> Mask:
    color = name_color(_top_color(view, thing), light)
    return Mask(
        pixels=thing.full(view.heights.shape),
        phrase=matching_phrase(phrases, category=category, color=color),
        category=category,
        color=color,
    )


def _shape(view: View, thing: Thing) -> Shape | None:
    """Its form; ``None`` when too little is seen of it."""
    pixels = thing.full(view.heights.shape)
    cloud = object_points(view.image, pixels, table_z=view.table_z, above=view.heights)
    if len(cloud) < _LEAST_POINTS:
        return None
    support = find_support(view.image.depth, view.smooth, thing.pixels, thing.window)
    # A hidden foot stands on the table.
    bottom = support.above(view.table_z)
    return shape_of(
        cloud.points,
        bottom=view.table_z if bottom is None else bottom,
        is_floating=support.is_floating,
    )


def _top_color(view: View, thing: Thing) -> NDArray[np.float64]:
    """Colour of the faces that look up, of 255: all faces are lit alike there."""
    colors = view.image.rgb[thing.window][thing.pixels].astype(np.float64)
    if thing.is_flat:
        return np.asarray(np.median(colors, axis=0))
    height = view.smooth[thing.window][thing.pixels]
    is_top = height > np.percentile(height, 98.0) - _TOP_BAND
    # The top's band holds some of the sides, which are darker.
    chosen = colors[is_top] if is_top.sum() >= max(_TOP_PIXELS, 0.08 * len(colors)) else colors
    brightness = chosen.max(axis=1)
    return np.asarray(np.median(chosen[brightness >= np.percentile(brightness, 85.0)], axis=0))
