"""Detections of several cameras brought together: each object once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection

Refit = Callable[[Detection], Detection]


def fuse(
    views: Sequence[Sequence[Detection]], *, distance: float, refit: Refit
) -> list[Detection]:
    """Join what cameras see of the same objects.

    Two views are of one object when their boxes overlap from above by more than half of the
    smaller one, or their middles are near, and their heights meet.

    Args:
        views: Detections, camera by camera, world frame.
        distance: Between middles of views of one small object, metres.
        refit: Estimates pose and size anew from a joint cloud.

    Returns:
        One detection for each object.
    """
    groups: list[list[Detection]] = []
    for detections in views:
        free = list(range(len(groups)))
        for item in sorted(detections, key=len_of_cloud, reverse=True):
            best = min(
                (index for index in free if is_same(groups[index], item, distance)),
                key=lambda index: gap(groups[index][0], item),
                default=None,
            )
            if best is None:
                groups.append([item])
            else:
                groups[best].append(item)
                free.remove(best)
    return [_joined(group, refit) for group in groups]


def len_of_cloud(item: Detection) -> int:
    """How much was seen of it."""
    return len(item.cloud)


def gap(first: Detection, second: Detection) -> float:
    """Between two middles from above, metres."""
    return float(np.hypot(*np.subtract(first.pose.position, second.pose.position)[:2]))


def is_same(group: Sequence[Detection], item: Detection, distance: float) -> bool:
    """Whether a detection shows what a group shows."""
    first = group[0]
    if first.is_fixed != item.is_fixed and first.category != item.category:
        return False
    low = max(_bottom(first), _bottom(item))
    high = min(_top(first), _top(item))
    if low > high + 0.01:
        return False
    reach = 0.5 * min(max(first.size[:2]), max(item.size[:2]))
    return gap(first, item) < max(distance, 0.5 * reach)


def _bottom(item: Detection) -> float:
    return item.pose.position[2] - 0.5 * item.size[2]


def _top(item: Detection) -> float:
    return item.pose.position[2] + 0.5 * item.size[2]


def _joined(group: Sequence[Detection], refit: Refit) -> Detection:
    if len(group) == 1:
        return group[0]
    best = max(group, key=lambda item: (bool(item.phrase), item.score * len(item.cloud)))
    merged = replace(
        best,
        cloud=PointCloud.joined([item.cloud for item in group]),
        cameras=tuple(dict.fromkeys(name for item in group for name in item.cameras)),
        score=max(item.score for item in group),
        phrase=best.phrase or next((item.phrase for item in group if item.phrase), ""),
    )
    return refit(merged)
