"""Masks of one image to detections."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.estimator import estimate
from malmm_ros.perception.estimation.object_points import bounding_window, object_points
from malmm_ros.perception.estimation.support import (
    Support,
    find_support,
    hidden_share,
    is_steep,
)
from malmm_ros.perception.estimation.table import TablePlane, TablePlaneConfig, heights
from malmm_ros.perception.segmentation.segmenter import Mask

_UNSURE = 0.75


class Seen(Protocol):
    """An image and which of its pixels show the robot."""

    @property
    def image(self) -> RgbdImage:
        """Colour and depth."""
        ...

    @property
    def robot(self) -> NDArray[np.bool_]:
        """``(H, W)``; true pixels are the robot's."""
        ...


class ObjectEstimator:
    """Gives each mask its upright box; levels each camera by the table on the way.

    Args:
        config: Of the table.
    """

    def __init__(self, config: TablePlaneConfig | None = None) -> None:
        self._table = TablePlane(config)
        self._last: RgbdImage | None = None
        self._level: RgbdImage | None = None
        self._heights: NDArray[np.float32] = np.empty((0, 0), np.float32)

    @property
    def table(self) -> TablePlane:
        """The table as it is known now."""
        return self._table

    def estimate(self, view: Seen, mask: Mask) -> Detection | None:
        """From one camera; ``None`` when too little of it is seen, or not near the workspace.

        Raises:
            PerceptionError: Mask and image differ in size.
        """
        level = self._prepared(view)
        table_z = self._table.table_z
        cloud = object_points(level, mask.pixels, table_z=table_z, above=self._heights)
        support = self._support(level, mask)
        found = estimate(
            cloud,
            category=mask.category,
            color=mask.color,
            table_z=table_z,
            support_z=support.above(table_z),
            is_floating=support.is_floating,
            seen_from=level.world_from_camera.position,
        )
        if found is None:
            return None
        return replace(
            found,
            phrase=mask.phrase,
            score=found.score * mask.score * _sureness(level, mask),
            cameras=(level.camera_name,),
            second_color=mask.second_color,
            hidden=hidden_share(level.depth, self._heights, mask.pixels),
        )

    def refit(self, detection: Detection) -> Detection:
        """Pose and size anew from the detection's own cloud, joined from several cameras."""
        found = estimate(
            detection.cloud,
            category=detection.category,
            color=detection.color,
            table_z=self._table.table_z,
            support_z=detection.pose.position[2] - 0.5 * detection.size[2],
        )
        if found is None:
            return detection
        return replace(
            found,
            phrase=detection.phrase,
            cameras=detection.cameras,
            # How well it fits says nothing of a kind that no view could tell.
            score=max(found.score if detection.category != "bin" else 0.0, detection.score),
            second_color=detection.second_color,
            hidden=detection.hidden,
        )

    def _support(self, level: RgbdImage, mask: Mask) -> Support:
        window = bounding_window(mask.pixels)
        return find_support(
            level.depth,
            self._heights,
            mask.pixels[window],
            window,
            is_steep=is_steep(level),
        )

    def _prepared(self, view: Seen) -> RgbdImage:
        """The view's image with a level pose; computed once for all of its masks."""
        if self._level is None or self._last is not view.image:
            self._last = view.image
            self._level = self._table.update(view.image, view.robot)
            self._heights = heights(self._level, self._table.table_z)
        return self._level


def _sureness(level: RgbdImage, mask: Mask) -> float:
    """How far a view can tell the kind: from above, a hoop looks as if it stood on the table."""
    return _UNSURE if mask.category == "bin" and is_steep(level) else 1.0
