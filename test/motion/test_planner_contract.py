"""What every planner in the table keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planning_server import DirectClient

from malmm_ros.backends import load_backend
from malmm_ros.errors import MotionError, UnknownNameError
from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.models import arm_joint_names
from malmm_ros.motion import PLANNERS, MotionPlanner, PlanningScene
from malmm_ros.trajectory import JointState


@pytest.fixture(scope="module", params=sorted(PLANNERS))
def any_planner(request: pytest.FixtureRequest) -> MotionPlanner:
    cls: Any = load_backend("motion planner", request.param, PLANNERS)
    planner: MotionPlanner = cls(DirectClient()) if request.param == "moveit" else cls()
    return planner


def reaches(planner: MotionPlanner, end: JointState, goal: Pose) -> bool:
    tcp = planner.tcp_pose(end)
    distance = np.linalg.norm(np.subtract(tcp.position, goal.position))
    return bool(distance < 1e-3 and yaw_difference(tcp.yaw, goal.yaw, symmetry=2) < 5e-3)


@pytest.mark.parametrize("straight", [False, True])
def test_a_plan_leads_from_the_start_to_the_goal_at_rest(
    any_planner: MotionPlanner, ready: JointState, straight: bool
) -> None:
    goal = top_down((0.15, 0.1, 1.1), 0.4)
    trajectory = any_planner.plan(ready, goal, PlanningScene(), straight=straight)
    assert trajectory.names == arm_joint_names()
    assert trajectory.times[0] == 0.0
    np.testing.assert_allclose(trajectory.positions[0], ready.positions, atol=1e-9)
    np.testing.assert_array_equal(trajectory.velocities[[0, -1]], 0.0)
    assert reaches(any_planner, trajectory.end, goal)


def test_extra_and_reordered_joints_do_not_matter(
    any_planner: MotionPlanner, ready: JointState
) -> None:
    names = ("panda_finger_joint1", *reversed(ready.names))
    shuffled = JointState.at_rest(names, np.array([0.04, *reversed(ready.positions)]))
    goal = top_down((0.2, 0.0, 0.9), 0.0)
    first = any_planner.plan(ready, goal, PlanningScene())
    second = any_planner.plan(shuffled, goal, PlanningScene())
    np.testing.assert_array_equal(first.positions, second.positions)


def test_a_goal_outside_the_workspace_is_refused(
    any_planner: MotionPlanner, ready: JointState
) -> None:
    with pytest.raises(MotionError) as caught:
        any_planner.plan(ready, top_down((0.9, 0.0, 0.9), 0.0), PlanningScene())
    assert caught.value.category == "outside_workspace"


def test_an_unknown_planner_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'roboplan'"):
        load_backend("motion planner", "robo_plan", PLANNERS)
