"""Colours that are asked for, where light makes a neighbouring one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from malmm_ros.colors import COLORS
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.perception.tracking.track import Track

# Colours this near by hue and saturation differ in brightness alone, which light changes.
_SAME_CHROMA = 0.16
# And by at most this of brightness, 0 to 1.
_BRIGHTNESS = 0.55


def asked_colors(tracks: Sequence[Track], phrases: Sequence[ObjectPhrase]) -> dict[int, str]:
    """Tracks that must be what a phrase asks for, though their colour was read as a neighbour.

    A phrase whose colour nothing of its kind has means the one thing of that kind that may have
    it, since the light is not known exactly, when there is exactly one and nobody asks for its
    own colour. What is clearly of another brightness is not meant, and what the hand holds is
    not renamed.

    Returns:
        Index of the track to the colour that was asked for.
    """
    found: dict[int, str] = {}
    asked = {(phrase.category, phrase.color) for phrase in phrases}
    for phrase in phrases:
        same_kind = [index for index, track in enumerate(tracks) if phrase.fits(track.category)]
        if not phrase.color or any(tracks[i].color == phrase.color for i in same_kind):
            continue
        near = [
            index
            for index in same_kind
            if tracks[index].tcp_from_object is None
            and (phrase.category, tracks[index].color) not in asked
            and are_neighbours(tracks[index].color, phrase.color)
            and tracks[index].votes.may_be_color(phrase.color)
        ]
        if len({tracks[index].color for index in near}) == 1:
            found |= dict.fromkeys(near, phrase.color)
    return found


def are_neighbours(first: str, second: str) -> bool:
    """Whether two colours differ by little more than brightness."""
    if first not in COLORS or second not in COLORS:
        return False
    one, other = np.asarray(COLORS[first]), np.asarray(COLORS[second])
    if abs(float(one.max() - other.max())) > _BRIGHTNESS:
        return False
    chroma = [(color + 0.05) / (color + 0.05).sum() for color in (one, other)]
    return float(np.linalg.norm(chroma[0] - chroma[1])) < _SAME_CHROMA
