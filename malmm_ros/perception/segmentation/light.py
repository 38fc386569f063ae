"""How bright the scene is lit, told by the one thing whose colour is known: the white arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.color_naming import GRAY, NOMINAL_WHITE, Light
from malmm_ros.perception.segmentation.regions import View

_STRIDE = 3
_LEAST_PIXELS = 150
# Cameras nearer than this see only the hand, whose faces look anywhere.
_LEAST_DISTANCE = 0.6
# Of the arm's bright pixels: those whose faces look at the lamp about as a level face does.
_PERCENTILES, _TO_LEVEL = (97.0, 99.0), 1.02
# Where those saturate, darker ones say how far: measured on the development scenes.
_SATURATED = 251.0
_LESS, _LESS_TO_WHITE = 90.0, 1.17
_DARKEST, _BRIGHTEST = 140.0, 330.0


def light_of(view: View, ignore: NDArray[np.bool_] | None) -> Light | None:
    """The light by the arm's brightest faces.

    Args:
        view: The image.
        ignore: ``(H, W)``: pixels of the robot.

    Returns:
        ``None`` when too little of the arm is in the image.
    """
    if ignore is None:
        return None
    robot = ignore[::_STRIDE, ::_STRIDE] & (view.image.depth[::_STRIDE, ::_STRIDE] > 0)
    robot &= view.families[::_STRIDE, ::_STRIDE] == GRAY
    if robot.sum() < _LEAST_PIXELS:
        return None
    if float(np.median(view.image.depth[::_STRIDE, ::_STRIDE][robot])) < _LEAST_DISTANCE:
        return None
    value = view.image.rgb[::_STRIDE, ::_STRIDE][robot].max(axis=1)
    less, bright, brightest = (
        float(share) for share in np.percentile(value, (_LESS, *_PERCENTILES))
    )
    white = 0.5 * (bright + brightest)
    if white >= _SATURATED:
        white = max(_SATURATED, _LESS_TO_WHITE * less)
    return Light(white=float(np.clip(_TO_LEVEL * white, _DARKEST, _BRIGHTEST)))


class LightMeter:
    """Keeps the light from image to image: cameras that do not see the arm share it."""

    def __init__(self, *, refresh: float = 0.2) -> None:
        self._refresh = refresh
        self._white: float | None = None

    def update(self, view: View, ignore: NDArray[np.bool_] | None) -> Light:
        """Learn from an image and say what is known."""
        seen = light_of(view, ignore)
        if seen is not None:
            known = seen.white if self._white is None else self._white
            self._white = known + self._refresh * (seen.white - known)
        return Light(white=NOMINAL_WHITE if self._white is None else self._white)
