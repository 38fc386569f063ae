"""Boxes fitted anew, as of a thing of some kind."""

from __future__ import annotations

from dataclasses import replace

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import estimate
from malmm_ros.scene import TABLE_TOP_Z


def fitted(detection: Detection, category: str, color: str) -> Detection:
    """The detection with its box fitted anew to its points, as a thing of some kind.

    It stays as it is when too few points are left.
    """
    found = estimate(
        detection.cloud,
        category=category,
        color=color,
        table_z=TABLE_TOP_Z,
        support_z=detection.pose.position[2] - 0.5 * detection.size[2],
    )
    if found is None:
        return detection
    return replace(
        found,
        phrase=detection.phrase,
        second_color=detection.second_color,
        is_cut=detection.is_cut,
        hidden=detection.hidden,
        cameras=detection.cameras,
    )
