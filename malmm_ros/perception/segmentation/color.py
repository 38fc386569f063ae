"""Find and name things by colour and form: the embedded segmenter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError
from malmm_ros.perception.estimation.table import TablePlane, TablePlaneConfig
from malmm_ros.perception.segmentation.grouping import gather
from malmm_ros.perception.segmentation.light import LightMeter
from malmm_ros.perception.segmentation.recognition import know
from malmm_ros.perception.segmentation.regions import RegionConfig, View, find_regions
from malmm_ros.perception.segmentation.segmenter import Mask
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.scene import Workspace


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
        things = gather(view, find_regions(view, self._config.regions))
        return [
            Mask(
                pixels=item.thing.full(view.heights.shape),
                phrase=matching_phrase(phrases, category=item.category, color=item.color),
                category=item.category,
                color=item.color,
                second_color=item.second_color,
            )
            for item in know(view, things, light)
        ]
