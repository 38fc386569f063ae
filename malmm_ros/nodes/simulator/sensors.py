"""The noise of the simulated cameras, for as long as a world is loaded."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig

# Beside the world's seed, so that noise does not repeat the layout's own draws.
_CAMERAS, _FRAMES = 2311, 2312


class CameraSensors:
    """Light and calibration errors are those of the world's seed; frames follow in order.

    Args:
        cameras: All that may be looked through.
        seed: Of the world.
        config: How bad; ``None``: perfect.
    """

    def __init__(
        self, cameras: Iterable[str], *, seed: int, config: SensorNoiseConfig | None
    ) -> None:
        self._frames = np.random.default_rng((seed, _FRAMES))
        self._noise: SensorNoise | None = None
        if config is not None:
            self._noise = SensorNoise(config, np.random.default_rng((seed, _CAMERAS)))
        # Drawn now, so that they do not depend on who looks through which camera first.
        self._offsets = {camera: self._draw_offset(camera) for camera in cameras}

    def offset(self, camera: str) -> Pose:
        """``true_from_stated``: how far off the camera's published pose is."""
        return self._offsets[camera]

    def apply(self, image: RgbdImage) -> RgbdImage:
        """The image as the sensor gives it."""
        return image if self._noise is None else self._noise.apply(image, self._frames)

    def _draw_offset(self, camera: str) -> Pose:
        if self._noise is None:
            return Pose((0.0, 0.0, 0.0))
        return self._noise.offset(camera)
