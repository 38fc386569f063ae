"""A rendered scene with a block, and whether a mask of it is good enough to lift it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.perception.grasping import choose_grasp
from malmm_ros.perception.grasping.antipodal import AntipodalProposer
from malmm_ros.perception.segmentation import Mask
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld

LIFT = 0.12


@pytest.fixture
def block_world() -> Iterator[MujocoWorld]:
    world = MujocoWorld()
    world.reset("put_block", 3)
    world.settle()
    yield world
    world.close()


@pytest.fixture
def block(block_world: MujocoWorld) -> SceneObject:
    objects = block_world.ground_truth().objects
    return next(item for item in objects if item.category == "block")


@pytest.fixture
def image(block_world: MujocoWorld) -> RgbdImage:
    return block_world.render("front", with_labels=True)


@pytest.fixture
def true_pixels(image: RgbdImage, block: SceneObject) -> np.ndarray:
    assert image.labels is not None
    return image.labels == image.label_names.index(block.name)


@pytest.fixture
def lifts(
    block_world: MujocoWorld, block: SceneObject, image: RgbdImage
) -> Callable[[Mask], bool]:
    """Whether the robot lifts the block by what a mask tells; physics decides."""

    def lift(mask: Mask) -> bool:
        grasp = choose_grasp(
            AntipodalProposer().propose(deproject(image, mask.pixels), PointCloud.empty())
        )
        assert grasp is not None
        robot = simulated_robot(block_world)
        x, y, z = grasp.tcp.position
        robot.open_gripper()
        for height in (z + LIFT, z):
            moved = robot.execute_trajectory((x, y, height), grasp.tcp.yaw)
            assert moved.is_success, moved.message
        robot.close_gripper(block.name)
        robot.execute_trajectory((x, y, z + LIFT), grasp.tcp.yaw)
        raised = block_world.pose(block.name).position[2] - block.pose.position[2]
        return raised > 0.9 * LIFT

    return lift
