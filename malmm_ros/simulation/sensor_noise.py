"""What real depth cameras do to a perfect image: noise, holes, light, a slightly wrong pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose, vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorNoiseConfig:
    """How bad the sensor is; zero switches each effect off.

    Attributes:
        depth_sigma: Standard deviation of depth at 1 m, metres; it grows with the square.
        edge_step: Two neighbours that differ by more than this are a depth edge, metres at 1 m;
            grows with the depth.
        edge_loss_px: Width of the band beside a depth edge that has no reading; each pixel of
            its outer half is lost by chance.
        color_sigma: Standard deviation of each channel, of 255.
        light: Largest relative change of the brightness, the same for the whole episode.
        tint: Largest relative change between the channels, likewise.
        position_error: How far off the camera's stated position is, metres.
        rotation_error: How far it is turned off, radians.
    """

    depth_sigma: float = 0.0015
    edge_step: float = 0.015
    edge_loss_px: int = 2
    color_sigma: float = 3.0
    light: float = 0.3
    tint: float = 0.03
    position_error: float = 0.002
    rotation_error: float = math.radians(0.2)

    def __post_init__(self) -> None:
        for name in ("depth_sigma", "edge_step", "edge_loss_px", "color_sigma", "position_error"):
            if getattr(self, name) < 0:
                raise ConfigurationError(
                    f"sensor noise: {name}", f"must not be negative, got {getattr(self, name)}"
                )
        for name in ("light", "tint"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ConfigurationError(
                    f"sensor noise: {name}", f"must be in [0, 1), got {getattr(self, name)}"
                )
        if not 0.0 <= self.rotation_error <= math.radians(10.0):
            raise ConfigurationError(
                "sensor noise: rotation_error",
                f"must be in [0, 0.17] radians, got {self.rotation_error}",
            )


class SensorNoise:
    """The cameras of one episode: light and calibration errors are drawn once and stay.

    Args:
        config: How bad.
        rng: Of the episode; each camera's error is drawn when its first image comes.
    """

    def __init__(self, config: SensorNoiseConfig, rng: np.random.Generator) -> None:
        self._config = config
        self._rng = rng
        self._offsets: dict[str, Pose] = {}
        self._pool = _NoisePool(rng)
        brightness = 1.0 + rng.uniform(-config.light, config.light)
        self._gain = brightness * (1.0 + rng.uniform(-config.tint, config.tint, 3))

    def apply(self, image: RgbdImage, rng: np.random.Generator | None = None) -> RgbdImage:
        """The image as this sensor would give it; labels stay as they are.

        Args:
            image: Perfect.
            rng: For what changes from frame to frame; ``None``: the episode's own.
        """
        pool = self._pool if rng is None else _NoisePool(rng)
        return replace(
            image,
            rgb=_shade(image.rgb, self._gain, self._config.color_sigma, pool),
            depth=_noisy_depth(image.depth, self._config, pool),
            world_from_camera=image.world_from_camera @ self.offset(image.camera_name),
        )

    def offset(self, camera: str) -> Pose:
        """``true_from_stated`` of a camera, drawn once."""
        if camera not in self._offsets:
            shift, axis = (_direction(self._rng) for _ in range(2))
            turn = Rotation.from_rotvec(self._config.rotation_error * axis)
            x, y, z, w = turn.as_quat().tolist()
            self._offsets[camera] = Pose(
                vector3(self._config.position_error * shift), (x, y, z, w)
            )
        return self._offsets[camera]


def apply(
    image: RgbdImage, rng: np.random.Generator, config: SensorNoiseConfig | None = None
) -> RgbdImage:
    """One image by a sensor of its own: for single frames, see :class:`SensorNoise`."""
    return SensorNoise(config or SensorNoiseConfig(), rng).apply(image)


class _NoisePool:
    """Normal deviates, drawn once; each image takes a stretch that begins anywhere.

    A million of them take 20 ms to draw, as long as to draw the picture.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._values = np.empty(0, np.float32)

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """A stretch of it; not to be written to."""
        count = math.prod(shape)
        if len(self._values) < 2 * count:
            self._values = self._rng.standard_normal(2 * count, dtype=np.float32)
        start = int(self._rng.integers(len(self._values) - count))
        return self._values[start : start + count].reshape(shape)

    def chance(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """True for a half of all, ``shape``."""
        return np.asarray(self.normal(shape) < 0.0)


def _shade(
    rgb: NDArray[np.uint8],
    gain: NDArray[np.float64],
    sigma: float,
    pool: _NoisePool,
) -> NDArray[np.uint8]:
    bright = pool.normal(rgb.shape) * np.float32(sigma)
    bright += rgb * gain.astype(np.float32)
    # Of OpenCV: rounds and clips in one go.
    return np.asarray(cv2.convertScaleAbs(np.maximum(bright, 0.0, out=bright)), np.uint8)


def _noisy_depth(
    depth: NDArray[np.float32], config: SensorNoiseConfig, pool: _NoisePool
) -> NDArray[np.float32]:
    noisy = depth + pool.normal(depth.shape) * np.float32(config.depth_sigma) * depth * depth
    noisy[(depth <= 0.0) | ~np.isfinite(depth) | _lost(depth, config, pool)] = 0.0
    return np.maximum(noisy, np.float32(0.0))


def _lost(
    depth: NDArray[np.float32], config: SensorNoiseConfig, pool: _NoisePool
) -> NDArray[np.bool_]:
    """Pixels beside a depth edge; the far half of the band only by chance."""
    if not config.edge_loss_px:
        return np.zeros(depth.shape, dtype=bool)
    inner = (config.edge_loss_px + 1) // 2
    near = _has_step(depth, inner, config)
    far = _has_step(depth, config.edge_loss_px, config)
    return near | (far & pool.chance(depth.shape))


def _has_step(
    depth: NDArray[np.float32], reach_px: int, config: SensorNoiseConfig
) -> NDArray[np.bool_]:
    """Where depths within ``reach_px`` differ by more than a step."""
    kernel = np.ones((2 * reach_px + 1, 2 * reach_px + 1), np.uint8)
    spread = cv2.dilate(depth, kernel) - cv2.erode(depth, kernel)
    # A plane seen at a slant changes by some millimetres a pixel; that is no edge.
    steps: NDArray[np.bool_] = spread > config.edge_step * depth * reach_px
    return steps


def _direction(rng: np.random.Generator) -> NDArray[np.float64]:
    vector = rng.standard_normal(3)
    unit: NDArray[np.float64] = vector / np.linalg.norm(vector)
    return unit
