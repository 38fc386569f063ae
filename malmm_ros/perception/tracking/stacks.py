"""Towers of one colour look like one tall thing: taken apart by what is known to stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import estimate
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.tracking.asked_colors import are_neighbours
from malmm_ros.perception.tracking.track import Track
from malmm_ros.scene import TABLE_TOP_Z

# What rises above a known object by this share of its height has something on it.
_RISE = 0.4
# Things go into them, not on them; or they have no height.
_NOT_STACKED = frozenset((FLAT, "container", "bin", "hoop"))
# What is on it is at least so high, metres.
_LEAST_RISE = 0.01
# What stands in a tower is about as wide as that.
_SLENDER = 0.6
# A track's middle may be that far outside of a tower's outline, metres.
_BESIDE = 0.01
# Points so near to a joint between two levels may belong to either, metres.
_JOINT = 0.003


def split_stacks(detections: Sequence[Detection], tracks: Sequence[Track]) -> list[Detection]:
    """Cut detections at the tops of known objects of their colour that stand in them.

    Args:
        detections: World frame.
        tracks: Known objects that are not held.
    """
    result: list[Detection] = []
    for detection in detections:
        result += _levels(detection, tracks)
    return result


def _levels(detection: Detection, tracks: Sequence[Track]) -> list[Detection]:
    inside = sorted(
        (track for track in tracks if _stands_in(track, detection)),
        key=lambda track: track.pose.position[2],
    )
    top = detection.pose.position[2] + 0.5 * detection.size[2]
    rest, levels = detection, list[Detection]()
    for index, track in enumerate(inside):
        above = inside[index + 1] if index + 1 < len(inside) else None
        joint = track.pose.position[2] + 0.5 * float(track.size[2])
        risen = above if above is not None else track
        if joint - TABLE_TOP_Z < 0.01 or top - joint < _RISE * float(risen.size[2]):
            break
        height = rest.cloud.points[:, 2]
        lower = _estimated(rest, height < joint - _JOINT, like=track, support_z=_bottom(track))
        upper = _estimated(rest, height > joint + _JOINT, like=risen, support_z=joint)
        if upper is None:
            break
        levels += [] if lower is None else [lower]
        rest = upper
    return [*levels, rest]


def _stands_in(track: Track, detection: Detection) -> bool:
    """Whether a known object is a lower part of what was seen, or was put on top of it."""
    if not is_same_color(track.color, detection.color) or track.category in _NOT_STACKED:
        return False
    if float(track.size[2]) > detection.size[2] - _LEAST_RISE:
        return False
    if min(track.size[:2]) < _SLENDER * min(detection.size[:2]):
        return False  # as a can in a tray
    local = detection.pose.inverse().apply(np.array([track.pose.position]))[0]
    return bool((np.abs(local) <= 0.5 * np.asarray(detection.size) + _BESIDE).all())


def is_same_color(first: str, second: str) -> bool:
    """Whether two colour names may be one surface's under changing light."""
    return first == second or are_neighbours(first, second)


def _bottom(track: Track) -> float:
    return track.pose.position[2] - 0.5 * float(track.size[2])


def _estimated(
    whole: Detection, keep: NDArray[np.bool_], *, like: Track, support_z: float
) -> Detection | None:
    found = estimate(
        whole.cloud.where(keep),
        category=like.category,
        color=like.color,
        table_z=TABLE_TOP_Z,
        support_z=support_z,
    )
    if found is None:
        return None
    return replace(
        found,
        phrase=whole.phrase,
        score=whole.score,
        cameras=whole.cameras,
        is_cut=whole.is_cut,
    )
