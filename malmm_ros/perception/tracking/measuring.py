"""What a view of a known object says of it: where it is now, or only that it is still there."""

from __future__ import annotations

import math

import numpy as np

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.solidity import share_within
from malmm_ros.perception.tracking.configuration import TrackingConfig
from malmm_ros.perception.tracking.fitting import fitted
from malmm_ros.perception.tracking.track import Track

# Metres by which a side may always differ.
_OTHER_SIZE = 0.008
# So many points of a partial view within the known box, grown by so much (metres), agree with it.
_AS_KNOWN, _MISPLACED = 0.85, 0.008


def measure(track: Track, detection: Detection, config: TrackingConfig) -> None:
    """Take in what was found, unless it is only the part that something leaves in sight."""
    track.vote(detection)
    if detection.category != track.category:
        detection = fitted(detection, track.category, track.color)
    shift = float(np.linalg.norm(np.subtract(detection.pose.position, track.pose.position)))
    is_elsewhere = shift > config.association.near
    is_hidden = detection.is_cut or (
        not track.is_released and not is_elsewhere and detection.hidden > config.hidden_share
    )
    growth = np.asarray(detection.size) - track.size
    limit = np.maximum(_OTHER_SIZE, config.other * track.size)
    is_other = bool((np.abs(growth) > limit).any())
    # Behind a tray's wall, or below a lid, only a part of it is in sight.
    is_part = is_other and bool((growth < limit).all()) and not track.was_cut
    is_hidden |= is_part and not _is_correction(track, detection, config)
    is_doubted = track.doubts < _patience(track, detection, config)
    if track.was_cut and not detection.is_cut:
        track.restart(detection)  # seen whole for the first time
    elif is_hidden and not is_elsewhere and _is_as_known(track, detection):
        track.glimpse()
    elif is_hidden and not is_other:
        track.measure(detection)  # it moved: a part of it there is better than the old place
    elif is_other and is_doubted:
        track.doubt()
    elif is_other:
        track.restart(detection)
    elif is_elsewhere and track.as_object().is_fixed and is_doubted:
        track.doubt()
    else:
        track.measure(detection)


def _is_correction(track: Track, detection: Detection, config: TrackingConfig) -> bool:
    """Whether a clear view shows that it was seen too large, rather than a part of it.

    Among the first views each may; later on, one of several cameras.
    """
    is_clear = not detection.is_cut and detection.hidden <= config.hidden_share
    return is_clear and (_is_young(track, config) or len(detection.cameras) > 1)


def _is_young(track: Track, config: TrackingConfig) -> bool:
    """While it gets its name, and as long again: what it is may have just been settled."""
    return track.frames <= 2 * config.naming_frames


def _is_as_known(track: Track, detection: Detection) -> bool:
    """Whether what is seen of it lies where it is thought to be."""
    points = detection.cloud.points[:: max(1, len(detection.cloud) // 100)]
    return share_within(points, [(track.pose, track.size)], inflation=_MISPLACED) >= _AS_KNOWN


def _patience(track: Track, detection: Detection, config: TrackingConfig) -> int:
    """Frames for which a change is not believed.

    Furniture hardly ever changes, and one camera of those that saw a thing may be wrong while
    the arm hides it from the others. That it is smaller is believed sooner among the first views.
    """
    is_smaller = math.prod(detection.size) < math.prod(track.size)
    if is_smaller and _is_young(track, config):
        return 1
    has_fewer = len(detection.cameras) < len(track.latest.cameras)
    return config.doubts * (3 if has_fewer or track.as_object().is_fixed else 1)
