"""Towers of one colour look like one tall thing: taken apart by what is known to stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import estimate
from malmm_ros.perception.tracking.track import Track
from malmm_ros.scene import TABLE_TOP_Z

# What rises above a known object by this share of its height has something on it.
_RISE = 0.4
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
    for track, above in zip(inside, [*inside[1:], None], strict=False):
        joint = track.pose.position[2] + 0.5 * float(track.size[2])
        if joint - TABLE_TOP_Z < 0.01 or top - joint < _RISE * float(track.size[2]):
            break
        height = rest.cloud.points[:, 2]
        lower = _estimated(rest, height < joint - _JOINT, like=track, support_z=_bottom(track))
        upper = _estimated(rest, height > joint + _JOINT, like=above or track, support_z=joint)
        if upper is None:
            break
        levels += [] if lower is None else [lower]
        rest = upper
    return [*levels, rest]


def _stands_in(track: Track, detection: Detection) -> bool:
    """Whether a known object is a lower part of what was seen, or was put on top of it."""
    if track.color != detection.color or track.as_object().is_fixed or detection.is_fixed:
        return False
    if float(track.size[2]) > detection.size[2] / (1.0 + _RISE):
        return False
    local = detection.pose.inverse().apply(np.array([track.pose.position]))[0]
    return bool((np.abs(local) <= 0.5 * np.asarray(detection.size) + _BESIDE).all())


def _bottom(track: Track) -> float:
    return track.pose.position[2] - 0.5 * float(track.size[2])


def _estimated(
    whole: Detection, keep: NDArray[np.bool_], *, like: Track, support_z: float
) -> Detection | None:
    found = estimate(
        whole.cloud.where(keep),
        category=like.category,
        color=whole.color,
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
