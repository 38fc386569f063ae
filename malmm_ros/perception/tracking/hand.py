"""What the hand holds among the known objects: it moves with the hand and hides in its fingers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.tracking.fitting import fitted
from malmm_ros.perception.tracking.held import fallen, settled_in_hand
from malmm_ros.perception.tracking.track import Track
from malmm_ros.scene import GripperState, SceneObject

# Metres around the box of what is held, within which detections are views of it.
_AROUND_HELD = 0.03
_HELD_MARGIN = 0.008
_SHORT_FALL = 0.025  # m


def carry(tracks: Sequence[Track], gripper: GripperState) -> None:
    """Move what is held with the hand; note what was taken or let go."""
    for track in tracks:
        is_held = track.name == gripper.held_object
        if is_held and track.tcp_from_object is None:
            pose = settled_in_hand(track.as_object(), gripper.tcp, gripper.width)
            track.tcp_from_object = gripper.tcp.inverse() @ pose
        elif not is_held and track.tcp_from_object is not None:
            track.tcp_from_object, track.is_released = None, True
            track.is_dropped = not gripper.is_open
            if gripper.is_open:
                _let_go(track, others_than(track, tracks))
        if track.tcp_from_object is not None:
            track.place(gripper.tcp @ track.tcp_from_object)
            track.is_remembered, track.misses = False, 0


def others_than(track: Track, tracks: Sequence[Track]) -> list[SceneObject]:
    """All other known objects."""
    return [other.as_object() for other in tracks if other is not track]


def without_held(detection: Detection, tracks: Sequence[Track]) -> Detection:
    """What is left of a detection when the held object's points are taken from it.

    Close to a thing of its colour, what is held looks like a part of that.
    """
    for track in tracks:
        if track.tcp_from_object is None or not len(detection.cloud):
            continue
        local = np.abs(track.pose.inverse().apply(detection.cloud.points))
        is_held = (local <= 0.5 * track.size + _HELD_MARGIN).all(axis=1)
        if 0.02 < float(is_held.mean()) < 0.5:
            rest = replace(detection, cloud=detection.cloud.where(np.asarray(~is_held)))
            return fitted(rest, detection.category, detection.color)
    return detection


def shows_held(detection: Detection, tracks: Sequence[Track]) -> bool:
    """Whether a detection is a view of the held object, by where its points are."""
    for track in tracks:
        if track.tcp_from_object is None:
            continue
        points = detection.cloud.points if len(detection.cloud) else detection.pose.position
        local = track.pose.inverse().apply(np.atleast_2d(points))
        inside = (np.abs(local) <= 0.5 * track.size + _AROUND_HELD).all(axis=1)
        if float(inside.mean()) > 0.5:
            return True
    return False


def _let_go(track: Track, others: Sequence[SceneObject]) -> None:
    """A short fall is taken for granted; a long one has to be seen."""
    pose = fallen(track.as_object(), others)
    if 0.0 < track.pose.position[2] - pose.position[2] < _SHORT_FALL:
        track.place(pose)
