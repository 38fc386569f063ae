"""What the embedded planner keeps clear of, and what it may touch."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from malmm_ros.bench.planning_queries import block
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.motion import HeldObject, PlanningScene
from malmm_ros.motion.collision_world import CollisionWorld
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.scene import Solid, Workspace
from malmm_ros.trajectory import JointState, Trajectory

EVERYWHERE = Workspace(low=(-9.0, -9.0, -9.0), high=(9.0, 9.0, 9.0))


def least_clearance(
    planner: RoboplanPlanner, trajectory: Trajectory, scene: PlanningScene
) -> float:
    nearest = 1.0
    for arm in trajectory.positions[::4]:
        state = JointState.at_rest(trajectory.names, arm)
        contacts = planner.contacts(state, scene, margin=0.05)
        nearest = min([nearest, *(item.distance for item in contacts)])
    return nearest


def test_the_two_collision_models_agree_on_random_states() -> None:
    generator = np.random.default_rng(3)
    config = RoboplanConfig(obstacle_padding=0.0, held_padding=0.0, table_padding_hand=0.0)
    planner, robot = RoboplanPlanner(config), PlanningRobot(config)
    world = CollisionWorld(robot, config)
    bottle = (
        Solid(shape="cylinder", size=(0.08, 0.08, 0.2)),
        Solid(shape="sphere", size=(0.1, 0.1, 0.1), pose=Pose((0.0, 0.0, 0.15))),
    )
    boxes = [
        block(f"b{i}", *generator.uniform([0.0, -0.4], [0.5, 0.4]), size=(0.06, 0.08, 0.2), yaw=i)
        for i in range(8)
    ]
    objects = tuple(replace(box, solids=() if i % 3 else bottle) for i, box in enumerate(boxes))
    held = HeldObject(
        item=block("h", 0.0, 0.0, size=(0.05, 0.05, 0.25)), tcp_from_object=Pose((0.0, 0.0, 0.08))
    )
    touching = 0
    for index in range(150):
        scene = PlanningScene(
            objects=objects,
            held=held if index % 2 else None,
            touchable=frozenset({"b1"} if index % 3 == 0 else ()),
            held_touchable=frozenset({"b2", "table"} if index % 5 == 0 else ()),
            workspace=EVERYWHERE,
        )
        arm = generator.uniform(
            [-1, -0.3, -0.6, -2.9, -0.8, 0.8, -1], [1, 1.5, 0.6, -0.8, 0.8, 3, 2]
        )
        world.load(scene, (0.0, 0.0, 1.0), {})
        is_colliding = robot.is_colliding(arm)
        contacts = planner.contacts(JointState.at_rest(robot.names, arm), scene)
        # The exact model rounds the links' meshes to their hulls: a little more than the mesh.
        if contacts and contacts[0].distance > -0.002:
            continue
        assert is_colliding == bool(contacts), contacts
        touching += is_colliding
    assert touching > 30


def test_a_tall_held_box_goes_round_the_wall(planner: RoboplanPlanner, ready: JointState) -> None:
    wall = block("wall", 0.3, 0.0, size=(0.35, 0.02, 0.2))
    held = HeldObject(
        item=block("plank", 0.0, 0.0, size=(0.04, 0.04, 0.26)),
        tcp_from_object=Pose((0.0, 0.0, 0.1)),
    )
    scene = PlanningScene(objects=(wall,), held=held, finger_width=0.04)
    start = planner.plan(ready, top_down((0.35, -0.15, 0.99), 0.0), scene).end
    trajectory = planner.plan(start, top_down((0.35, 0.15, 0.99), 0.0), scene)
    assert least_clearance(planner, trajectory, scene) > 0.0
    # Without the plank the hand may pass over the wall directly, so the plank made the detour.
    empty = planner.plan(start, top_down((0.35, 0.15, 0.99), 0.0), PlanningScene(objects=(wall,)))
    assert least_clearance(planner, empty, scene) < 0.0


def test_the_obstacles_padding_is_kept(planner: RoboplanPlanner, ready: JointState) -> None:
    scene = PlanningScene(objects=(block("tower", 0.25, 0.0, size=(0.08, 0.08, 0.3)),))
    start = planner.plan(ready, top_down((0.25, -0.2, 0.85), 0.0), scene).end
    trajectory = planner.plan(start, top_down((0.25, 0.2, 0.85), 0.0), scene)
    assert least_clearance(planner, trajectory, scene) > 0.004


def test_a_cube_between_neighbours_can_be_grasped_and_lifted(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    cubes = tuple(block(f"cube {i}", 0.25, 0.1 * (i - 1)) for i in range(3))
    grasp = top_down((0.25, 0.0, 0.777), 0.0)
    scene = PlanningScene(objects=cubes, touchable=frozenset({"cube 1"}))
    above = planner.plan(ready, top_down((0.25, 0.0, 0.9), 0.0), scene).end
    down = planner.plan(above, grasp, scene, straight=True)
    held = HeldObject(item=cubes[1], tcp_from_object=grasp.inverse() @ cubes[1].pose)
    carrying = PlanningScene(
        objects=(cubes[0], cubes[2]),
        held=held,
        finger_width=0.05,
        held_touchable=frozenset({"table"}),
    )
    up = planner.plan(down.end, top_down((0.25, 0.0, 0.9), 0.0), carrying, straight=True)
    assert up.duration > 0.1


def test_a_block_is_put_on_another_and_let_go(planner: RoboplanPlanner, ready: JointState) -> None:
    base, top = block("base", 0.3, 0.1), block("top", 0.3, 0.1, bottom=0.05)
    place = top_down((0.3, 0.1, 0.827), 0.0)
    held = HeldObject(item=top, tcp_from_object=place.inverse() @ top.pose)
    carrying = PlanningScene(
        objects=(base,), held=held, finger_width=0.05, held_touchable=frozenset({"base"})
    )
    above = planner.plan(ready, top_down((0.3, 0.1, 0.93), 0.0), carrying).end
    down = planner.plan(above, place, carrying, straight=True)
    released = PlanningScene(objects=(base, top), touchable=frozenset({"top"}))
    planner.plan(down.end, top_down((0.3, 0.1, 0.93), 0.0), released, straight=True)
    with pytest.raises(MotionError, match="held top"):
        planner.plan(above, place, replace(carrying, held_touchable=frozenset()), straight=True)


def test_a_light_contact_at_the_start_is_tolerated(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    cube = block("cube", 0.25, 0.0)
    grasp = top_down((0.25, 0.0, 0.777), 0.0)
    start = planner.solve_ik(grasp, PlanningScene(), near=ready)
    # Not named as touchable, the held cube stands 0.5 mm deep in the table.
    held = HeldObject(item=cube, tcp_from_object=grasp.inverse() @ Pose((0.25, 0.0, 0.7765)))
    scene = PlanningScene(held=held, finger_width=0.05)
    assert planner.plan(start, top_down((0.25, 0.0, 0.9), 0.0), scene, straight=True).duration > 0


@pytest.mark.parametrize("yaw", [-math.pi / 2, 0.0, math.pi / 2])
@pytest.mark.parametrize("place", [(0.1, 0.0), (0.4, 0.2), (0.2, -0.4), (0.45, 0.0)])
def test_every_yaw_is_reached_one_centimetre_above_the_table(
    planner: RoboplanPlanner, ready: JointState, place: tuple[float, float], yaw: float
) -> None:
    above = planner.plan(ready, top_down((*place, 0.862), yaw), PlanningScene()).end
    down = planner.plan(above, top_down((*place, 0.762), yaw), PlanningScene(), straight=True)
    assert planner.tcp_pose(down.end).position[2] == pytest.approx(0.762, abs=5e-4)


def test_half_a_turn_of_the_hand_is_the_same_goal(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    scene = PlanningScene(objects=(block("cube", 0.3, 0.2),))
    ends = [
        planner.plan(ready, top_down((0.3, 0.0, 0.85), yaw), scene).end.positions
        for yaw in (0.3, 0.3 + math.pi)
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=0.01)


def test_areas_on_the_table_are_no_obstacles(planner: RoboplanPlanner, ready: JointState) -> None:
    area = block("green area", 0.3, 0.0, size=(0.15, 0.15, 0.001))
    goal = top_down((0.3, 0.0, 0.762), 0.0)
    with_area = planner.plan(ready, goal, PlanningScene(objects=(area,)))
    assert with_area.duration > 0.0


def test_a_move_to_where_the_arm_is_takes_no_way(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    here = planner.tcp_pose(ready)
    for straight in (False, True):
        trajectory = planner.plan(ready, here, PlanningScene(), straight=straight)
        assert np.abs(trajectory.positions - ready.positions).max() < 1e-3


def test_many_different_scenes_do_not_slow_the_planner_down(
    planner: RoboplanPlanner, ready: JointState
) -> None:
    goal = top_down((0.2, 0.0, 0.95), 0.0)
    for index in range(20):
        size = (0.03 + 1e-4 * index, 0.04, 0.05)
        boxes = tuple(block(f"b{i}", 0.4, -0.4 + 0.1 * i, size=size) for i in range(8))
        planner.plan(ready, goal, PlanningScene(objects=boxes))
    assert planner._world.geometry_count < 150


def test_a_named_robot_plans_with_its_own_joints() -> None:
    planner = RoboplanPlanner(RoboplanConfig(robot_name="left"))
    state = planner.solve_ik(top_down((0.3, 0.1, 0.9), 0.0))
    assert state.names[0] == "left_joint1"


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    x=st.floats(0.05, 0.4),
    y=st.floats(-0.3, 0.3),
    z=st.floats(0.765, 1.0),
    yaw=st.floats(-math.pi, math.pi),
)
def test_inverse_kinematics_meets_the_pose_up_to_half_a_turn(
    planner: RoboplanPlanner, x: float, y: float, z: float, yaw: float
) -> None:
    goal = top_down((x, y, z), yaw)
    tcp = planner.tcp_pose(planner.solve_ik(goal))
    np.testing.assert_allclose(tcp.position, goal.position, atol=2e-4)
    turn = (tcp.inverse() @ goal).matrix()[:3, :3]
    assert min(np.abs(turn - np.diag(d)).max() for d in ([1, 1, 1], [-1, -1, 1])) < 3e-3
