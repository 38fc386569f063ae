"""What the planner plans, the arm's controller takes: at any share of the joints' limits."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.errors import MotionError
from malmm_ros.geometry import top_down
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.controllers import ArmController
from malmm_ros.simulation.mujoco_world import CONTROL_PERIOD_S
from malmm_ros.trajectory import JointState


@pytest.mark.parametrize("share", [0.1, 1.0])
@pytest.mark.parametrize("straight", [False, True])
def test_the_controller_takes_every_plan(world: MujocoWorld, share: float, straight: bool) -> None:
    planner = RoboplanPlanner(RoboplanConfig(velocity_scale=share, acceleration_scale=share))
    scene = PlanningScene.from_scene(world.ground_truth())
    start, rng = world.joint_state(), np.random.default_rng(0)
    taken = 0
    for _ in range(20):
        place = (rng.uniform(0.05, 0.5), rng.uniform(-0.4, 0.4), rng.uniform(0.95, 1.2))
        try:
            plan = planner.plan(
                start, top_down(place, rng.uniform(-1.5, 1.5)), scene, straight=straight
            )
        except MotionError:
            continue
        ArmController(
            joint_names=start.names,
            limits=world.arm().controller.limits,
            period_s=CONTROL_PERIOD_S,
            positions=start.positions,
        ).start(plan)
        start = JointState.at_rest(start.names, plan.positions[-1])
        taken += 1
    assert taken >= 10
