"""Each refusal says what is wrong, by how much, and what to try."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.bench.planning_queries import block
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.models import arm_joint_names
from malmm_ros.motion import HeldObject, PlanningScene
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.trajectory import JointState


def refusal(
    planner: RoboplanPlanner,
    start: JointState,
    goal: Pose,
    scene: PlanningScene,
    *,
    straight: bool = False,
) -> MotionError:
    with pytest.raises(MotionError) as caught:
        planner.plan(start, goal, scene, straight=straight)
    return caught.value


def test_outside_the_workspace_names_axis_and_distance(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    error = refusal(planner, ready, top_down((0.7, 0.5, 0.9), 0.0), PlanningScene())
    assert error.category == "outside_workspace"
    assert "x = 0.700 is 0.125 m above 0.575" in str(error)
    assert "y = 0.500 is 0.045 m above 0.455" in str(error)


def test_unreachable_says_how_far_the_hand_gets(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    error = refusal(planner, ready, top_down((0.57, 0.45, 0.8), 0.0), PlanningScene())
    assert error.category == "unreachable"
    assert "0.953 m from the base" in str(error)
    assert "short" in str(error)
    assert "0.78 m" in str(error)


def test_a_goal_in_an_object_names_both_and_the_depth(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    scene = PlanningScene(objects=(block("red block", 0.2, 0.0, size=(0.05, 0.12, 0.05)),))
    error = refusal(planner, ready, top_down((0.2, 0.0, 0.77), 0.0), scene)
    assert error.category == "in_collision"
    assert "finger overlaps 'red block' by" in str(error)


def test_a_goal_with_a_small_block_inside_the_hand_is_in_collision(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    scene = PlanningScene(
        objects=(block("crumb", 0.2, 0.0, size=(0.01, 0.01, 0.01), bottom=0.22),)
    )
    error = refusal(planner, ready, top_down((0.2, 0.0, 0.9), 0.0), scene)
    assert error.category == "in_collision"
    assert "the hand overlaps 'crumb'" in str(error)


def test_a_goal_too_near_to_the_table_says_so(planner: RoboplanPlanner, ready: JointState) -> None:
    error = refusal(planner, ready, top_down((0.3, 0.1, 0.755), 0.0), PlanningScene())
    assert error.category == "in_collision"
    assert "overlaps the table" in str(error)


def test_a_start_deep_in_an_object_is_refused(planner: RoboplanPlanner, ready: JointState) -> None:
    goal = top_down((0.3, 0.0, 0.9), 0.0)
    scene = PlanningScene(objects=(block("pole", 0.037, 0.0, size=(0.05, 0.12, 0.5)),))
    error = refusal(planner, ready, goal, scene)
    assert error.category == "start_in_collision"
    assert "'pole'" in str(error)


def test_a_start_outside_the_joint_limits_names_the_joint(planner: RoboplanPlanner) -> None:
    arm = JointState.at_rest(arm_joint_names(), np.array([0, -0.8, 0, 0.1, 0, 1.6, 0.8]))
    error = refusal(planner, arm, top_down((0.3, 0.0, 0.9), 0.0), PlanningScene())
    assert error.category == "limits"
    assert "panda_joint4 is at 0.100 rad" in str(error)


def test_a_blocked_line_says_how_far_it_got_and_what_is_there(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    scene = PlanningScene(objects=(block("tower", 0.25, 0.0, size=(0.05, 0.05, 0.35)),))
    start = planner.plan(ready, top_down((0.25, -0.2, 0.9), 0.0), scene).end
    error = refusal(planner, start, top_down((0.25, 0.2, 0.9), 0.0), scene, straight=True)
    assert error.category == "no_path"
    assert "free only for its first" in str(error)
    assert "'tower'" in str(error)


def test_a_goal_that_can_be_held_but_not_reached_has_no_path(ready: JointState) -> None:
    planner = RoboplanPlanner(RoboplanConfig(rrt_iterations=100, goal_tries=2))
    # The plate in the hand is larger than the opening between the bars, above and below it free.
    bars = tuple(
        block(name, x, y, size=size, bottom=0.16)
        for name, x, y, size in (
            ("left bar", 0.25, 0.14, (0.4, 0.02, 0.02)),
            ("right bar", 0.25, -0.14, (0.4, 0.02, 0.02)),
            ("far bar", 0.39, 0.0, (0.02, 0.3, 0.02)),
            ("near bar", 0.11, 0.0, (0.02, 0.3, 0.02)),
        )
    )
    held = HeldObject(
        item=block("plate", 0.0, 0.0, size=(0.30, 0.32, 0.01)),
        tcp_from_object=Pose((0.0, 0.0, 0.015)),
    )
    scene = PlanningScene(objects=bars, held=held, finger_width=0.02)
    error = refusal(planner, ready, top_down((0.25, 0.0, 0.82), 0.0), scene)
    assert error.category == "no_path"
    assert "though the goal itself is free" in str(error)
    assert planner.plan(ready, top_down((0.25, 0.0, 1.0), 0.0), scene).duration > 0.0


def test_missing_joints_are_named(planner: RoboplanPlanner) -> None:
    start = JointState.at_rest(arm_joint_names()[:6], np.zeros(6))
    error = refusal(planner, start, top_down((0.3, 0.0, 0.9), 0.0), PlanningScene())
    assert error.category == "wrong_joints"
    assert "panda_joint7" in str(error)
