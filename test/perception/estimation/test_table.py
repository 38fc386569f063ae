"""The table's plane corrects what it can of a camera's pose."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.estimation import TablePlane, TablePlaneConfig, clean, object_points
from malmm_ros.perception.estimation.table import heights
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation.appearance import Appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife


@pytest.fixture(scope="module")
def still_life() -> Iterator[StillLife]:
    scene = StillLife("put_block", 1, Appearance())
    yield scene
    scene.close()


@pytest.fixture(scope="module")
def image(still_life: StillLife) -> RgbdImage:
    return still_life.render()


def _block_pixels(image: RgbdImage, still_life: StillLife) -> np.ndarray:
    name = next(item.name for item in still_life.objects if item.category == "block")
    assert image.labels is not None
    return image.labels == image.label_names.index(name)


@pytest.mark.parametrize("seed", range(4))
def test_tilt_and_height_errors_are_taken_out(image: RgbdImage, seed: int) -> None:
    noise = SensorNoiseConfig(rotation_error=math.radians(0.5), position_error=0.006)
    noisy = SensorNoise(noise, np.random.default_rng(seed)).apply(image)
    level = TablePlane().update(noisy)
    places = np.array([[0.4, 0.3, TABLE_TOP_Z], [0.4, -0.3, TABLE_TOP_Z], [0.0, 0.0, TABLE_TOP_Z]])
    seen = image.world_from_camera.inverse().apply(places)
    misses = level.world_from_camera.apply(seen)[:, 2] - TABLE_TOP_Z
    assert np.abs(misses).max() < 0.001


def test_a_perfect_pose_stays(image: RgbdImage) -> None:
    level = TablePlane().update(image)
    np.testing.assert_allclose(
        level.world_from_camera.matrix(), image.world_from_camera.matrix(), atol=5e-4
    )


def test_each_camera_has_its_own_correction(image: RgbdImage) -> None:
    table = TablePlane()
    noisy = SensorNoise(SensorNoiseConfig(), np.random.default_rng(0)).apply(image)
    table.update(noisy)
    other = RgbdImage(
        rgb=image.rgb,
        depth=image.depth,
        camera=image.camera,
        world_from_camera=image.world_from_camera,
        camera_name="overhead",
    )
    assert table.level(other) is other


def test_an_image_without_a_table_changes_nothing(image: RgbdImage) -> None:
    empty = RgbdImage(
        rgb=image.rgb,
        depth=np.zeros_like(image.depth),
        camera=image.camera,
        world_from_camera=image.world_from_camera,
        camera_name="front",
    )
    assert TablePlane().update(empty) is empty


def test_a_mask_of_another_size_is_refused(image: RgbdImage) -> None:
    small = np.ones((10, 10), bool)
    for call in (
        lambda: TablePlane().update(image, small),
        lambda: clean(small, image),
        lambda: object_points(image, small, table_z=TABLE_TOP_Z),
    ):
        with pytest.raises(PerceptionError, match="differ in size"):
            call()


@pytest.mark.parametrize("options", [{"refresh": 0.0}, {"search": -1.0}])
def test_nonsense_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError):
        TablePlaneConfig(**options)


def test_heights_are_above_the_table(image: RgbdImage, still_life: StillLife) -> None:
    above = heights(image, TABLE_TOP_Z)
    block = next(item for item in still_life.objects if item.category == "block")
    pixels = _block_pixels(image, still_life)
    assert above[pixels].max() == pytest.approx(block.size[2], abs=0.002)


def test_cleaning_takes_pixels_beside_depth_edges(image: RgbdImage, still_life: StillLife) -> None:
    pixels = _block_pixels(image, still_life)
    kept = clean(pixels, SensorNoise(SensorNoiseConfig(), np.random.default_rng(0)).apply(image))
    assert not (kept & ~pixels).any()
    assert 0.5 * pixels.sum() < kept.sum() < pixels.sum()
    assert not clean(np.zeros_like(pixels), image).any()


def test_a_level_top_is_sharper_than_its_depth(image: RgbdImage, still_life: StillLife) -> None:
    noisy = SensorNoise(
        SensorNoiseConfig(position_error=0.0, rotation_error=0.0), np.random.default_rng(1)
    ).apply(image)
    block = next(item for item in still_life.objects if item.category == "block")
    cloud = object_points(noisy, _block_pixels(image, still_life), table_z=TABLE_TOP_Z)
    top = cloud.points[cloud.points[:, 2] > block.top_z - 0.002]
    local = block.pose.inverse().apply(top)[:, :2]
    assert len(top) > 100
    # Half a pixel covers some 2.5 mm of a level face seen from the front.
    assert np.abs(local).max() < 0.5 * block.size[0] + 0.006


def test_an_empty_mask_has_no_points(image: RgbdImage) -> None:
    empty = np.zeros(image.depth.shape, bool)
    assert len(object_points(image, empty, table_z=TABLE_TOP_Z)) == 0
