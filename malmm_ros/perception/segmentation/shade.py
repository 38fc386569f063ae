"""Which things lie in a shadow, told by the table around them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from malmm_ros.perception.color_naming import Light
from malmm_ros.perception.quantiles import quantile
from malmm_ros.perception.segmentation.regions import View
from malmm_ros.perception.segmentation.thing import Thing

_STRIDE = 6
_TALL = 0.075  # m
_BARE = 0.003  # m: the table itself
_RING_PX = 9
_LEAST_PIXELS, _LEAST_SHARE = 40, 0.4
# Of the pixels around a thing: its own shadow falls on a part of them only.
_SHARE = 0.6
# A table so much darker than elsewhere lies in a shadow; patterns differ less. Nothing is darker
# in a shadow than this, since some light comes from everywhere.
_SHADOW_BELOW, _DARKEST = 0.7, 0.5


class Shade:
    """Compares the table around a thing with the table at large.

    Args:
        view: The image.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        red, green, blue = cv2.split(view.image.rgb)
        # Five times as fast as numpy's maximum over the last axis.
        self._value = np.asarray(cv2.max(cv2.max(red, green), blue))
        bare = view.is_inside[::_STRIDE, ::_STRIDE] & (
            np.abs(view.smooth[::_STRIDE, ::_STRIDE]) < _BARE
        )
        values = self._value[::_STRIDE, ::_STRIDE][bare]
        self._table = float(np.median(values)) if len(values) else 0.0

    def _is_tall(self, thing: Thing) -> bool:
        """Whether its top may be in the light while its foot is in the shadow."""
        height = self._view.smooth[thing.window][thing.pixels]
        return quantile(height, 0.97) > _TALL

    def on(self, thing: Thing, light: Light) -> Light:
        """The light that falls where a thing lies."""
        if self._table <= 0.0 or thing.floor is not None or self._is_tall(thing):
            return light
        height, width = self._view.heights.shape
        rows, columns = thing.window
        rows = slice(max(0, rows.start - _RING_PX), min(height, rows.stop + _RING_PX))
        columns = slice(max(0, columns.start - _RING_PX), min(width, columns.stop + _RING_PX))
        mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
        top, left = thing.window[0].start - rows.start, thing.window[1].start - columns.start
        mask[top : top + thing.pixels.shape[0], left : left + thing.pixels.shape[1]] = thing.pixels
        kernel = np.ones((2 * _RING_PX + 1, 2 * _RING_PX + 1), np.uint8)
        ring = (cv2.dilate(mask, kernel) > 0) & (mask == 0)
        around = int(ring.sum())
        ring &= self._view.is_inside[rows, columns]
        ring &= np.abs(self._view.smooth[rows, columns]) < _BARE
        values = self._value[rows, columns][ring]
        if len(values) < max(_LEAST_PIXELS, _LEAST_SHARE * around):
            return light
        share = float(np.quantile(values, _SHARE)) / self._table
        if share > _SHADOW_BELOW:
            return light
        return replace(light, white=light.white * max(_DARKEST, share))
