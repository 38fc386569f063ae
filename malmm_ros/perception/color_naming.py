"""Name colours as seen under a light that is only roughly known.

The 20 names lie on one circle of hues, 30° or 60° apart, each in one or two brightnesses, and on
one grey axis. Hue and saturation are those of HSV: both stay when the light gets brighter or
darker, and there the names are evenly spaced (in CIELAB, violet and blue are 5° apart and move
with the light). Brightness is only compared to what white would show under the same light.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.colors import COLORS

NO_FAMILY = 0
BLACK = 1
GRAY = 2
FIRST_HUE = 3
# Hue in degrees, bright name, dark name.
_HUES: tuple[tuple[float, str, str], ...] = (
    (0.0, "red", "maroon"),
    (30.0, "orange", "orange"),
    (60.0, "yellow", "olive"),
    (120.0, "lime", "green"),
    (180.0, "cyan", "teal"),
    (210.0, "azure", "azure"),
    (240.0, "blue", "navy"),
    (270.0, "violet", "violet"),
    (300.0, "magenta", "purple"),
    (330.0, "rose", "rose"),
)
FAMILY_COUNT = FIRST_HUE + len(_HUES)
# What a white face that looks up shows when nothing is known of the light, of 255.
NOMINAL_WHITE = 240.0
# Half brightness (with the light misjudged by a fifth) lies below, full brightness in the arm's
# shadow above. Between the greys: halfway.
_DARK_BELOW = 0.605
_SATURATED, _SATURATED_DARK, _SATURATED_SILVER = 255.0, 172.0, 243.0
_SILVER_BELOW, _GRAY_BELOW, _BLACK_BELOW = 0.87, 0.62, 0.22
_BLACK_VALUE = 30
_LEAST_SATURATION = 0.38


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """How bright the scene is lit.

    Attributes:
        white: What a white face that looks up shows (or would, were the sensor not saturated),
            of 255.
        spread: The light may be so much brighter or darker, relative.
    """

    white: float = NOMINAL_WHITE
    spread: float = 0.35


def families(rgb: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The colour family and the saturation of each pixel.

    Args:
        rgb: ``(H, W, 3)``.

    Returns:
        Families ``(H, W)``: ``BLACK``, ``GRAY`` (to white), or ``FIRST_HUE`` plus the index of a
        hue. Saturations ``(H, W)``, of 255.
    """
    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV_FULL)
    hue, saturation, value = cv2.split(hsv)
    result = cv2.LUT(hue, _FAMILY_OF_HUE)
    least = np.uint8(round(255 * _LEAST_SATURATION))
    result[saturation < least] = GRAY
    result[value < _BLACK_VALUE] = BLACK
    return np.asarray(result, np.uint8), np.asarray(saturation, np.uint8)


def family_of_name(name: str) -> int:
    """The family that a colour name belongs to; ``NO_FAMILY`` for an unknown one."""
    if name not in COLORS:
        return NO_FAMILY
    pixel = np.array(COLORS[name]) * 255.0
    return int(families(pixel.astype(np.uint8).reshape(1, 1, 3))[0][0, 0])


def name_color(rgb: NDArray[np.float64], light: Light | None = None) -> str:
    """Name the colour of a surface that looks up.

    Args:
        rgb: ``(3,)``, 0 to 255, averaged over the surface.
        light: The present light; ``None``: nominal.
    """
    pixel = np.clip(np.rint(rgb), 0, 255).astype(np.uint8).reshape(1, 1, 3)
    family = int(families(pixel)[0][0, 0])
    brightness = float(np.max(rgb)) / min(255.0, (light or Light()).white)
    if family >= FIRST_HUE:
        _, bright, dark = _HUES[family - FIRST_HUE]
        limit = _DARK_BELOW * (light or Light()).white
        if (light or Light()).white >= _SATURATED:
            # How much brighter than the sensor's end it is, nobody knows.
            limit = max(limit, _SATURATED_DARK)
        return dark if float(np.max(rgb)) < limit else bright
    if family == BLACK and brightness < _BLACK_BELOW:
        return "black"
    return _name_gray(float(np.max(rgb)), (light or Light()).white)


def second_color(rgb: NDArray[np.float64], light: Light | None = None) -> str:
    """What a colour may be named as well, since the light is not known exactly.

    Args:
        rgb: ``(3,)``, 0 to 255, averaged over the surface.
        light: The present light; ``None``: nominal.

    Returns:
        Empty where no light that is likely gives it another name.
    """
    light = light or Light()
    name = name_color(rgb, light)
    for factor in (1.0 + light.spread, 1.0 / (1.0 + light.spread)):
        other = name_color(rgb, Light(white=factor * light.white, spread=light.spread))
        if other != name:
            return other
    return ""


def _name_gray(value: float, white: float) -> str:
    steps = [(_BLACK_BELOW, "black"), (_GRAY_BELOW, "gray"), (_SILVER_BELOW, "silver")]
    for share, name in steps:
        # Saturated white shows 255 less some noise.
        limit = min(share * white, _SATURATED_SILVER)
        if value < limit:
            return name
    return "white"


def _family_table() -> NDArray[np.uint8]:
    degrees = np.arange(256) * (360.0 / 256.0)
    centers = np.array([hue for hue, _, _ in _HUES])
    distance = np.abs((degrees[:, None] - centers + 180.0) % 360.0 - 180.0)
    return np.asarray(FIRST_HUE + distance.argmin(axis=1), np.uint8)


_FAMILY_OF_HUE = _family_table()
