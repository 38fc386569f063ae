"""What nobody recognised is in the way all the same; what is known, or the robot, is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.clutter import OBSTACLE, Clutter, ClutterConfig
from malmm_ros.perception.tracking import View
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig


@pytest.fixture(scope="module")
def front(block_world: MujocoWorld) -> RgbdImage:
    return block_world.render("front", with_labels=True)


def view(image: RgbdImage, seed: int = 0) -> View:
    """As a camera without a calibration error sees it, the robot masked."""
    assert image.labels is not None
    noise = SensorNoiseConfig(position_error=0.0, rotation_error=0.0)
    seen = SensorNoise(noise, np.random.default_rng(seed)).apply(image)
    is_robot = np.array([name.startswith("panda") for name in image.label_names] + [False])
    return View(image=seen, robot=is_robot[image.labels])


def test_a_thing_that_is_not_known_becomes_an_obstacle_where_it_is(
    block_world: MujocoWorld, front: RgbdImage
) -> None:
    clutter = Clutter()
    (block,) = (item for item in block_world.ground_truth().objects if not item.is_fixed)
    for seed in range(2):
        assert clutter.obstacles() == ()  # seen once is not believed yet
        clutter.update([view(front, seed)], [])
    (obstacle,) = clutter.obstacles()
    assert obstacle.is_fixed
    assert obstacle.category == OBSTACLE
    assert obstacle.pose.position[:2] == pytest.approx(block.pose.position[:2], abs=0.015)
    assert obstacle.top_z == pytest.approx(block.top_z, abs=0.016)
    points = clutter.cloud().points
    assert len(points) > 5
    assert np.abs(points[:, :2] - block.pose.position[:2]).max() < 0.06


def test_known_things_the_robot_and_the_table_are_no_clutter(
    block_world: MujocoWorld, front: RgbdImage
) -> None:
    clutter = Clutter()
    objects = block_world.ground_truth().objects
    for seed in range(4):
        clutter.update([view(front, seed)], objects)
    assert clutter.obstacles() == ()
    assert len(clutter.cloud()) == 0


def test_what_is_gone_is_forgotten(block_world: MujocoWorld, front: RgbdImage) -> None:
    clutter = Clutter()
    for _ in range(3):
        clutter.update([view(front)], [])
    assert clutter.obstacles()
    clutter.update([replace(view(front), robot=np.ones(front.depth.shape, bool))], [])
    assert clutter.obstacles() == ()


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="cell"):
        ClutterConfig(cell=0.0)
    with pytest.raises(ValueError, match="frames"):
        ClutterConfig(frames=0)
