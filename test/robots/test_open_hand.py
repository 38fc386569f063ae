"""Whether the hand is open is one question: world, robot and rehearsal answer alike."""

from __future__ import annotations

import pytest

from malmm_ros.robots import PlannedRobot
from malmm_ros.scene import MAX_GRIPPER_WIDTH, OPEN_WIDTH
from malmm_ros.simulation import MujocoWorld


@pytest.mark.parametrize("width", [0.0, 0.06, 0.0735, OPEN_WIDTH + 0.002, MAX_GRIPPER_WIDTH])
def test_world_robot_and_rehearsal_agree_on_what_is_open(
    world: MujocoWorld, robot: PlannedRobot, width: float
) -> None:
    world.arm().gripper.command(width)
    world.settle()
    assert world.gripper_width() == pytest.approx(width, abs=0.0014)
    seen = robot.observe()
    assert world.ground_truth().gripper.is_open == seen.gripper.is_open == (width >= OPEN_WIDTH)
    assert robot.rehearse().observe().gripper.is_open == seen.gripper.is_open
