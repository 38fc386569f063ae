from __future__ import annotations

import math

import numpy as np

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.nodes.simulator.sensors import CameraSensors
from malmm_ros.simulation.sensor_noise import SensorNoiseConfig

CAMERAS = ("front", "wrist")
CAMERA = Pinhole.from_field_of_view(0.7, width_px=32, height_px=24)
IMAGE = RgbdImage(
    rgb=np.full((24, 32, 3), 100, np.uint8),
    depth=np.ones((24, 32), np.float32),
    camera=CAMERA,
    world_from_camera=Pose((0.0, 0.0, 1.0)),
    camera_name="wrist",
)


def test_perfect_sensors_change_nothing() -> None:
    sensors = CameraSensors(CAMERAS, seed=3, config=None)
    assert sensors.apply(IMAGE) is IMAGE
    assert sensors.offset("front") == Pose((0.0, 0.0, 0.0))


def test_errors_are_those_of_the_seed_whoever_looks_first() -> None:
    first, second = (CameraSensors(CAMERAS, seed=3, config=SensorNoiseConfig()) for _ in range(2))
    first.apply(IMAGE)
    for camera in CAMERAS:
        assert first.offset(camera) == second.offset(camera)
        assert math.hypot(*first.offset(camera).position) > 0.0
    assert CameraSensors(CAMERAS, seed=4, config=SensorNoiseConfig()).offset("front") != (
        first.offset("front")
    )


def test_the_published_pose_is_as_wrong_as_the_one_in_the_image() -> None:
    sensors = CameraSensors(CAMERAS, seed=3, config=SensorNoiseConfig())
    stated = IMAGE.world_from_camera @ sensors.offset("wrist")
    assert sensors.apply(IMAGE).world_from_camera == stated
