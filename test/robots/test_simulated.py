"""The whole arm in real physics, commanded as the agents' code commands it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest

from malmm_ros.geometry import Pose, top_down
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots import PlannedRobot, Robot
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.scene import Scene, SceneObject
from malmm_ros.simulation import MujocoWorld

LIFT = 0.15


def find(scene: Scene, name: str) -> SceneObject:
    item = scene.find(name)
    assert item is not None
    return item


def free_yaw(robot: Robot, item: SceneObject) -> float:
    """The yaw at which the fingers fit between the object and its neighbours."""
    sides = (item.yaw, item.yaw + math.pi / 2)
    return next(
        yaw
        for yaw in sides
        if robot.rehearse().execute_trajectory(item.pose.position, yaw).is_success
    )


def pick(robot: Robot, name: str, yaw: float | None = None) -> None:
    item = find(robot.observe(), name)
    x, y, z = item.pose.position
    yaw = free_yaw(robot, item) if yaw is None else yaw
    for height in (z + LIFT, z):
        moved = robot.execute_trajectory([x, y, height], yaw)
        assert moved.is_success, moved.message
    grip = robot.close_gripper(name)
    assert grip.is_success, grip.message
    moved = robot.execute_trajectory([x, y, z + LIFT], yaw)
    assert moved.is_success, moved.message


def place(robot: Robot, position: tuple[float, float, float], yaw: float) -> None:
    x, y, z = position
    for height in (z + LIFT, z + 0.004):
        moved = robot.execute_trajectory([x, y, height], yaw)
        assert moved.is_success, moved.message
    assert robot.open_gripper().is_success
    assert robot.execute_trajectory([x, y, z + LIFT], yaw).is_success


def stack_three(robot: Robot) -> None:
    scene = robot.observe()
    area = find(scene, "green target area")
    x, y, _ = area.pose.position
    for level, name in enumerate([item for item in scene.names if item.startswith("red")][:3]):
        pick(robot, name)
        place(robot, (x, y, area.top_z + 0.05 * level + 0.025), area.yaw)


@pytest.mark.parametrize("seed", range(20))
def test_three_blocks_stack_on_every_layout(seed: int, planner: RoboplanPlanner) -> None:
    world = MujocoWorld()
    world.reset("stack_blocks", seed=seed, options={"color": "red", "count": 3})
    stack_three(PlannedRobot(planner, SimulationDriver(world), StateScenes(world)))
    is_success, text = world.success()
    assert is_success, text


def test_a_carried_block_is_known_and_moves_with_the_hand(robot: PlannedRobot) -> None:
    before = find(robot.observe(), "red block 2").pose.position
    pick(robot, "red block 2")
    scene = robot.observe()
    assert scene.gripper.held_object == "red block 2"
    after = find(scene, "red block 2")
    assert after.is_held
    assert after.pose.position[2] - before[2] == pytest.approx(LIFT, abs=0.005)


def test_gripper_that_closes_on_nothing_reports_it(robot: PlannedRobot) -> None:
    item = find(robot.observe(), "red block 1")
    x, y, z = item.pose.position
    robot.execute_trajectory([x, y, z + LIFT], item.yaw)
    grip = robot.close_gripper("red block 1")
    assert not grip.is_success
    assert grip.reason == "closed_on_nothing"
    assert "red block 1" in grip.message
    assert not robot.observe().gripper.is_holding


def test_gripper_that_holds_another_object_names_both(robot: PlannedRobot) -> None:
    item = find(robot.observe(), "red block 1")
    x, y, z = item.pose.position
    robot.execute_trajectory([x, y, z + LIFT], item.yaw)
    robot.execute_trajectory([x, y, z], item.yaw)
    grip = robot.close_gripper("red block 2")
    assert grip.reason == "holds_other"
    assert grip.held_object == "red block 1"
    assert "red block 2" in grip.message


def test_an_unknown_object_is_refused_before_the_fingers_move(robot: PlannedRobot) -> None:
    grip = robot.close_gripper("red block 9")
    assert grip.reason == "unknown_object"
    assert "Did you mean" in grip.message
    assert grip.width > 0.07


def test_a_block_that_slips_on_the_way_is_noticed(robot: PlannedRobot, world: MujocoWorld) -> None:
    pick(robot, "red block 1")
    # The fingers let go behind the robot's back, and close again on air.
    hand = world.arm().gripper
    for width in (0.08, 0.0):
        hand.command(width)
        world.step_until(lambda: not hand.is_active, 3.0)
    x, y, z = world.ground_truth().gripper.tcp.position
    moved = robot.execute_trajectory([x, y, z + 0.05], 0.0)
    assert moved.reason == "dropped"
    assert "red block 1" in moved.message
    assert not robot.observe().gripper.is_holding


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ((0.3, 0.0, 0.70), "outside_workspace"),
        ((0.9, 0.0, 0.9), "outside_workspace"),
        ((0.575, 0.455, 0.80), "unreachable"),
    ],
)
def test_an_impossible_goal_is_a_result_with_its_reason_and_nothing_moves(
    robot: PlannedRobot, position: tuple[float, float, float], reason: str
) -> None:
    before = robot.observe().gripper.tcp
    moved = robot.execute_trajectory(position, 0.0)
    assert not moved.is_success
    assert moved.reason == reason
    assert any(character.isdigit() for character in moved.message)
    np.testing.assert_allclose(robot.observe().gripper.tcp.position, before.position, atol=1e-4)


def test_the_hand_pressed_into_a_block_is_refused_with_its_name(robot: PlannedRobot) -> None:
    pick(robot, "red block 1")
    x, y, z = find(robot.observe(), "red block 2").pose.position
    moved = robot.execute_trajectory([x, y, z], 0.0)
    assert moved.reason == "in_collision"
    assert "red block 2" in moved.message


def test_a_rehearsal_moves_nothing_and_its_plans_are_reused(
    robot: PlannedRobot, world: MujocoWorld, planner: RoboplanPlanner, monkeypatch: Any
) -> None:
    time_before = world.time_s
    yaw = find(robot.observe(), "red block 1").yaw
    twin = robot.rehearse()
    pick(twin, "red block 1", yaw)
    assert world.time_s - time_before < 1.0  # settling only
    assert twin.observe().gripper.held_object == "red block 1"
    assert not robot.observe().gripper.is_holding

    def refuse(*_arguments: Any, **_keywords: Any) -> None:
        raise AssertionError("planned again what the rehearsal had planned")

    monkeypatch.setattr(planner, "plan", refuse)
    pick(robot, "red block 1", yaw)


def test_a_target_that_moved_since_the_rehearsal_is_planned_anew(
    robot: PlannedRobot, world: MujocoWorld, planner: RoboplanPlanner
) -> None:
    item = find(robot.observe(), "red block 1")
    x, y, z = item.pose.position
    assert robot.rehearse().execute_trajectory([x, y, z + LIFT], item.yaw).is_success
    planned: list[int] = []
    original = planner.plan

    def count(*arguments: Any, **keywords: Any) -> Any:
        planned.append(1)
        return original(*arguments, **keywords)

    world.disturb("shift", "red block 1", np.random.default_rng(0))
    planner.plan = count  # type: ignore[method-assign]  # restored below
    try:
        assert robot.execute_trajectory([x, y, z + LIFT], item.yaw).is_success
    finally:
        planner.plan = original  # type: ignore[method-assign]
    assert planned


def test_stop_from_another_thread_brakes_and_the_result_says_cancelled(
    robot: PlannedRobot, world: MujocoWorld
) -> None:
    controller = world.arm().controller
    original = world.step
    stopper = threading.Event()

    def step_and_stop(count: int = 1) -> None:
        original(count)
        status = controller.status
        if status.state == "moving" and status.time_s > 0.3 and not stopper.is_set():
            stopper.set()
            thread = threading.Thread(target=robot.stop)
            thread.start()
            thread.join(timeout=5.0)

    world.step = step_and_stop  # type: ignore[method-assign]  # this world ends with the test
    moved = robot.execute_trajectory([0.4, 0.25, 1.0], 0.0)
    assert moved.reason == "cancelled"
    assert np.abs(world.joint_state().velocities).max() < 0.02


def test_a_stop_while_planning_is_kept_and_nothing_moves(
    robot: PlannedRobot, planner: RoboplanPlanner, monkeypatch: Any
) -> None:
    original = planner.plan

    def plan_and_stop(*arguments: Any, **keywords: Any) -> Any:
        robot.stop()
        return original(*arguments, **keywords)

    monkeypatch.setattr(planner, "plan", plan_and_stop)
    before = robot.observe().gripper.tcp.position
    moved = robot.execute_trajectory([0.4, 0.25, 1.0], 0.0)
    assert moved.reason == "cancelled"
    np.testing.assert_allclose(robot.observe().gripper.tcp.position, before, atol=1e-4)


def test_a_latched_stop_refuses_arm_and_hand_until_it_is_released(robot: PlannedRobot) -> None:
    robot.latch_stop()
    assert robot.execute_trajectory([0.4, 0.25, 1.0], 0.0).reason == "cancelled"
    assert robot.close_gripper("").reason == "cancelled"
    robot.release_stop()
    assert robot.execute_trajectory([0.4, 0.25, 1.0], 0.0).is_success


def test_what_was_taken_from_the_hand_is_not_held_any_more(
    robot: PlannedRobot, world: MujocoWorld
) -> None:
    pick(robot, "red block 1")
    x, y, z = find(robot.observe(), "red block 1").pose.position
    world.physics.place("red block 1", Pose((x, y - 0.3, z)))
    assert not robot.observe().gripper.is_holding


def test_a_hand_that_was_opened_by_others_holds_nothing(
    robot: PlannedRobot, world: MujocoWorld
) -> None:
    pick(robot, "red block 1")
    world.arm().gripper.command(0.08)
    world.step_until(lambda: not world.arm().gripper.is_active, 3.0)
    assert not robot.observe().gripper.is_holding


def test_a_grasp_beside_the_middle_that_would_press_on_the_block_is_refused(
    robot: PlannedRobot,
) -> None:
    item = find(robot.observe(), "red block 1")
    closing = top_down((0.0, 0.0, 0.0), item.yaw).matrix()[:3, 1]
    x, y, z = np.asarray(item.pose.position) + 0.03 * closing
    robot.execute_trajectory([x, y, z + LIFT], item.yaw)
    twin = robot.rehearse().execute_trajectory([x, y, z], item.yaw)
    assert twin.reason == "in_collision"
    assert "finger" in twin.message
    assert "red block 1" in twin.message


def test_a_hand_lowered_until_its_palm_would_press_is_refused(robot: PlannedRobot) -> None:
    # A tower of two is as high as a hand may reach down to its lower block.
    names = [item for item in robot.observe().names if item.startswith("red")][:2]
    for level, name in enumerate(names):
        pick(robot, name)
        area = find(robot.observe(), "green target area")
        x, y, _ = area.pose.position
        place(robot, (x, y, area.top_z + 0.05 * level + 0.025), area.yaw)
    x, y, z = find(robot.observe(), names[0]).pose.position
    refused = robot.execute_trajectory([x, y, z], area.yaw)
    assert refused.reason == "in_collision"
