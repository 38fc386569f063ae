"""A rendered scene with a block, and whether a mask of it is good enough to lift it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.perception.grasping import choose_grasp
from malmm_ros.perception.grasping.antipodal import AntipodalProposer
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.segmentation import Mask
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.scene import MAX_GRIPPER_WIDTH, SceneObject
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.appearance import Appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife

LIFT = 0.12


@pytest.fixture
def image(fresh_block_world: MujocoWorld) -> RgbdImage:
    return fresh_block_world.render("front", with_labels=True)


@pytest.fixture
def true_pixels(image: RgbdImage, block: SceneObject) -> np.ndarray:
    assert image.labels is not None
    return image.labels == image.label_names.index(block.name)


@pytest.fixture
def lifts(
    fresh_block_world: MujocoWorld, block: SceneObject, image: RgbdImage
) -> Callable[[Mask], bool]:
    """Whether the robot lifts the block by what a mask tells; physics decides."""

    def lift(mask: Mask) -> bool:
        grasp = choose_grasp(
            AntipodalProposer().propose(deproject(image, mask.pixels), PointCloud.empty())
        )
        assert grasp is not None
        robot = simulated_robot(fresh_block_world)
        x, y, z = grasp.tcp.position
        robot.open_gripper()
        for height in (z + LIFT, z):
            moved = robot.execute_trajectory((x, y, height), grasp.tcp.yaw)
            assert moved.is_success, moved.message
        robot.close_gripper(block.name)
        robot.execute_trajectory((x, y, z + LIFT), grasp.tcp.yaw)
        raised = fresh_block_world.pose(block.name).position[2] - block.pose.position[2]
        return raised > 0.9 * LIFT

    return lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One image and the truth about it."""

    true: RgbdImage
    image: RgbdImage
    robot: NDArray[np.bool_]
    objects: tuple[SceneObject, ...]


@pytest.fixture(scope="session")
def look(robot_mask: RobotMask) -> Callable[[str, int], Sight]:
    """Render a task's scene once."""
    seen: dict[tuple[str, int], Sight] = {}

    def look(task: str, seed: int) -> Sight:
        if (task, seed) not in seen:
            scene = StillLife(task, seed, Appearance())
            true = scene.render()
            scene.close()
            sensor = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
            image = sensor.apply(true)
            robot = robot_mask.pixels(image, scene.arm.joint_state, MAX_GRIPPER_WIDTH)
            seen[task, seed] = Sight(true=true, image=image, robot=robot, objects=scene.objects)
        return seen[task, seed]

    return look
