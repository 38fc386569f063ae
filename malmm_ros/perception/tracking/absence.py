"""What it means that a known object was not found: hidden, fallen, or gone."""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.solidity import do_overlap, parts_of
from malmm_ros.perception.tracking.configuration import TrackingConfig
from malmm_ros.perception.tracking.hand import others_than
from malmm_ros.perception.tracking.held import fallen
from malmm_ros.perception.tracking.stacks import is_same_color
from malmm_ros.perception.tracking.track import Track
from malmm_ros.perception.tracking.visibility import View, look_at


def miss(
    track: Track, tracks: Sequence[Track], views: Sequence[View], config: TrackingConfig
) -> bool:
    """Remember it, or note that its place is empty.

    Args:
        track: What was not found.
        tracks: All known objects.
        views: What the cameras saw.
        config: When it is gone.

    Returns:
        Whether it is gone.
    """
    track.is_remembered = True
    if _is_seen_as_another(track, tracks):
        track.misses += 1
        return track.misses >= config.empty_misses
    place = look_at(track.surface, views)
    is_empty = place.empty >= config.empty_share
    if is_empty and track.is_released and not track.is_dropped:
        _let_fall(track, tracks, views, config)
        return False
    if is_empty:
        track.misses += 1
        return track.misses >= config.empty_misses
    if place.seen >= config.empty_share and not track.as_object().is_fixed:
        track.misses += 1
        return track.misses >= config.unseen_misses
    return False


def was_nothing(track: Track, views: Sequence[View]) -> bool:
    """Whether it was seen once in the first frames, and later not, though nothing hid it."""
    if track.frames > 1 or not track.is_remembered or track.tcp_from_object is not None:
        return False
    return look_at(track.surface, views).hidden < 0.5


def _is_seen_as_another(track: Track, tracks: Sequence[Track]) -> bool:
    """Whether something else of its colour, in sight, is where it is thought to be."""
    if track.category == FLAT or track.is_released:
        return False
    boxes = parts_of(track.as_object())
    return any(
        other is not track
        and not other.is_remembered
        and other.category != FLAT
        and is_same_color(other.color, track.color)
        and do_overlap(boxes, parts_of(other.as_object()))
        for other in tracks
    )


def _let_fall(
    track: Track, tracks: Sequence[Track], views: Sequence[View], config: TrackingConfig
) -> None:
    """What was let go and is not where that was has fallen: out of sight, or it is gone."""
    track.is_released = False
    track.place(fallen(track.as_object(), others_than(track, tracks)))
    if look_at(track.surface, views).empty >= config.empty_share:
        track.misses += 1
