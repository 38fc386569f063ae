"""How bright the scene is lit, told by the one thing whose colour is known: the white arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.color_naming import NOMINAL_WHITE, Light
from malmm_ros.perception.estimation.support import is_steep
from malmm_ros.perception.segmentation.regions import View

_STRIDE = 3
_LEAST_PIXELS = 150
# Cameras nearer than this see only the hand, whose faces look anywhere.
_LEAST_DISTANCE = 0.6
# Of the arm's pixels, white ones: not its black joints, nothing coloured.
_DARK, _SATURATION = 45.0, 0.25
# Faces in the shade, in between, and the brightest. How bright a level face is follows from all
# three, since they tell where the lamp is: weights fitted on 92 development scenes, 2 % off.
_PERCENTILES = (25.0, 75.0, 99.0)
_WEIGHTS = np.array([0.785, -0.766, 1.078])
# Where the sensor saturates, only the shade tells; 4 % off on 43 scenes.
_SATURATED, _OF_SHADE = 252.0, 1.768
_DARKEST, _BRIGHTEST = 140.0, 330.0
# Faces are not level, and lie in each other's light.
_SPREAD = 0.12


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
    depth = view.image.depth[::_STRIDE, ::_STRIDE]
    robot = ignore[::_STRIDE, ::_STRIDE] & (depth > 0)
    pixels = view.image.rgb[::_STRIDE, ::_STRIDE][robot]
    value = pixels.max(axis=1).astype(np.float64)
    is_white = (value > _DARK) & (pixels.min(axis=1) > (1.0 - _SATURATION) * value)
    if is_white.sum() < _LEAST_PIXELS or float(np.median(depth[robot])) < _LEAST_DISTANCE:
        return None
    low, middle, high = (float(v) for v in np.percentile(value[is_white], _PERCENTILES))
    if high >= _SATURATED:
        white = max(_SATURATED, _OF_SHADE * low)
    else:
        white = float(np.array([low, middle, high]) @ _WEIGHTS)
    return Light(white=min(max(white, _DARKEST), _BRIGHTEST), spread=_SPREAD)


class LightMeter:
    """Keeps the light from image to image: cameras that do not see the arm share it."""

    def __init__(self, *, refresh: float = 0.2) -> None:
        self._refresh = refresh
        self._white: float | None = None

    def update(self, view: View, ignore: NDArray[np.bool_] | None) -> Light:
        """Learn from an image and say what is known."""
        seen = light_of(view, ignore)
        # From above, the arm shows few faces in the shade: better than nothing only.
        if seen is not None and (self._white is None or not is_steep(view.image)):
            known = seen.white if self._white is None else self._white
            self._white = known + self._refresh * (seen.white - known)
        if self._white is None:
            return Light(white=NOMINAL_WHITE)
        return Light(white=self._white, spread=_SPREAD)
