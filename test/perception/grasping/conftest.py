"""A block on the table that is really lifted, and doubles of models that are not here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import Grasp, completed_cloud
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld

# From the base of the hand, the origin of a grasp in those models, to between the fingertips.
GRIPPER_DEPTH = 0.1034
LIFT = 0.12


@pytest.fixture
def block_cloud(block: SceneObject) -> PointCloud:
    return completed_cloud(
        Detection(
            category=block.category, pose=block.pose, size=block.size, cloud=PointCloud.empty()
        )
    )


@pytest.fixture
def good_grasp(block: SceneObject) -> np.ndarray:
    """A grasp ``(4, 4)`` of the block as GraspNet's authors define it.

    From the contact on one side, x to the contact on the other, z the approach, the origin the
    gripper's depth before the middle between both contacts.
    """
    across = block.pose.matrix()[:3, 0]
    contact = np.asarray(block.pose.position) - 0.5 * block.size[0] * across
    approach = np.array([0.0, 0.0, -1.0])
    grasp = np.eye(4)
    grasp[:3, :3] = np.column_stack((across, np.cross(approach, across), approach))
    grasp[:3, 3] = contact + 0.5 * block.size[0] * across - GRIPPER_DEPTH * approach
    return grasp


@pytest.fixture
def lifts(fresh_block_world: MujocoWorld, block: SceneObject) -> Callable[[Grasp], bool]:
    """Whether the robot lifts the block with a grasp; physics decides."""

    def lift(grasp: Grasp) -> bool:
        robot = simulated_robot(fresh_block_world)
        x, y, z = grasp.tcp.position
        robot.open_gripper()
        for height in (z + LIFT, z):
            moved = robot.execute_trajectory((x, y, height), grasp.tcp.yaw)
            assert moved.is_success, moved.message
        gripped = robot.close_gripper(block.name)
        assert gripped.width == pytest.approx(grasp.width, abs=0.006)
        robot.execute_trajectory((x, y, z + LIFT), grasp.tcp.yaw)
        pose: Pose = fresh_block_world.pose(block.name)
        return pose.position[2] - block.pose.position[2] > 0.9 * LIFT

    return lift
