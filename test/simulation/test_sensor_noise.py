"""What the simulated sensor does to a perfect image."""

import math

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig, apply

CLEAN = {
    "depth_sigma": 0.0,
    "edge_loss_px": 0,
    "color_sigma": 0.0,
    "light": 0.0,
    "tint": 0.0,
    "position_error": 0.0,
    "rotation_error": 0.0,
}


def _image(depth: np.ndarray) -> RgbdImage:
    height, width = depth.shape
    return RgbdImage(
        rgb=np.full((height, width, 3), 120, np.uint8),
        depth=depth.astype(np.float32),
        camera=Pinhole.from_field_of_view(0.7, width_px=width, height_px=height),
        world_from_camera=Pose((1.0, 2.0, 3.0)),
        camera_name="front",
    )


def test_without_any_effect_the_image_stays() -> None:
    image = _image(np.full((20, 30), 1.3))
    noisy = SensorNoise(SensorNoiseConfig(**CLEAN), np.random.default_rng(0)).apply(image)
    np.testing.assert_array_equal(noisy.rgb, image.rgb)
    np.testing.assert_array_equal(noisy.depth, image.depth)
    assert noisy.world_from_camera == image.world_from_camera


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0])
def test_depth_noise_grows_with_the_square_of_the_distance(distance: float) -> None:
    image = _image(np.full((200, 200), distance))
    config = SensorNoiseConfig(**{**CLEAN, "depth_sigma": 0.0015})
    noisy = SensorNoise(config, np.random.default_rng(1)).apply(image)
    assert np.std(noisy.depth - distance) == pytest.approx(0.0015 * distance**2, rel=0.05)


def test_one_to_two_pixels_beside_a_depth_edge_have_no_reading() -> None:
    depth = np.full((60, 80), 1.4)
    depth[:, 40:] = 1.0
    noisy = apply(_image(depth), np.random.default_rng(2))
    lost = noisy.depth == 0.0
    assert lost[:, 39:41].all()
    assert not lost[:, :38].any()
    assert not lost[:, 42:].any()
    assert 0.2 < lost[:, [38, 41]].mean() < 0.8


def test_a_slanted_plane_is_no_edge() -> None:
    depth = np.tile(np.linspace(1.0, 1.6, 150)[:, None], (1, 50))
    assert not (apply(_image(depth), np.random.default_rng(3)).depth == 0.0).any()


def test_light_and_calibration_stay_for_an_episode() -> None:
    image = _image(np.full((20, 30), 1.3))
    sensor = SensorNoise(SensorNoiseConfig(color_sigma=0.0), np.random.default_rng(4))
    first, second = sensor.apply(image), sensor.apply(image)
    np.testing.assert_array_equal(first.rgb, second.rgb)
    assert first.world_from_camera == second.world_from_camera
    error = image.world_from_camera.inverse() @ first.world_from_camera
    assert np.linalg.norm(error.position) == pytest.approx(0.002)
    assert 2 * math.acos(min(1.0, error.orientation[3])) == pytest.approx(math.radians(0.2))


def test_equal_seeds_give_equal_images() -> None:
    image = _image(np.full((20, 30), 1.3))
    first, second = (apply(image, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first.rgb, second.rgb)
    np.testing.assert_array_equal(first.depth, second.depth)


@pytest.mark.parametrize("field", ["depth_sigma", "light", "rotation_error"])
def test_nonsense_is_refused(field: str) -> None:
    with pytest.raises(ConfigurationError, match=field):
        SensorNoiseConfig(**{field: -1.0})
