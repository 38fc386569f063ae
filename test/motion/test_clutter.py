"""Pick and place among eight boxes: solved, free, within limits, straight where asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from malmm_ros.bench.planning_queries import PickAndPlace, pick_and_place_queries
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.models.description import MAX_ACCELERATION
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.scene import Workspace
from malmm_ros.trajectory import JointState, Trajectory

QUERIES = 50
MAX_VELOCITY = np.array([2.175] * 4 + [2.61] * 3)


@dataclass(frozen=True)
class Move:
    name: str
    goal: Pose
    scene: PlanningScene
    is_straight: bool
    trajectory: Trajectory


def moves_of(planner: RoboplanPlanner, query: PickAndPlace) -> list[Move]:
    state = JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
    moves = []
    for name, goal, scene, asked in query.moves():
        straight = asked
        try:
            trajectory = planner.plan(state, goal, scene, straight=straight)
        except MotionError as error:
            if not straight or error.category != "no_path":
                raise
            straight = False
            trajectory = planner.plan(state, goal, scene)
        moves.append(Move(name, goal, scene, straight, trajectory))
        state = trajectory.end
    return moves


@pytest.fixture(scope="module")
def moves(planner: RoboplanPlanner) -> list[Move]:
    queries = pick_and_place_queries(QUERIES)
    return [move for query in queries for move in moves_of(planner, query)]


def test_every_query_is_solved_and_nearly_all_lines_are_straight(moves: list[Move]) -> None:
    assert len(moves) == 6 * QUERIES
    asked = [move for move in moves if move.name not in ("approach", "carry")]
    assert np.mean([move.is_straight for move in asked]) > 0.95


def test_nothing_touches_on_the_way(planner: RoboplanPlanner, moves: list[Move]) -> None:
    # Exact shapes, by another model than the planner's; a few states of each move.
    for move in moves:
        positions = move.trajectory.positions
        for index in np.linspace(0, len(positions) - 1, 6).astype(int):
            state = JointState.at_rest(move.trajectory.names, positions[index])
            assert not planner.contacts(state, move.scene), move


def test_limits_hold_at_and_between_the_points(moves: list[Move]) -> None:
    step = 1e-3
    for move in moves:
        trajectory = move.trajectory
        times = np.arange(0.0, trajectory.duration, step)
        samples = [trajectory.sample(time) for time in times]
        positions = np.array([sample[0] for sample in samples])
        velocities = np.array([sample[1] for sample in samples])
        accelerations = np.diff(velocities, axis=0) / step
        assert (np.abs(velocities) <= MAX_VELOCITY + 1e-6).all()
        assert (np.abs(accelerations) <= np.array(MAX_ACCELERATION) + 1e-6).all()
        assert (positions > [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973]).all()
        assert (positions < [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973]).all()


def test_straight_moves_stay_within_two_millimetres_of_their_line(
    planner: RoboplanPlanner, moves: list[Move]
) -> None:
    for move in moves:
        if not move.is_straight:
            continue
        names = move.trajectory.names
        times = np.linspace(0.0, move.trajectory.duration, 25)
        points = np.array(
            [
                planner.tcp_pose(
                    JointState.at_rest(names, move.trajectory.sample(time)[0])
                ).position
                for time in times
            ]
        )
        along = (points[-1] - points[0]) / np.linalg.norm(points[-1] - points[0])
        offsets = (points - points[0]) - np.outer((points - points[0]) @ along, along)
        assert np.linalg.norm(offsets, axis=1).max() < 0.002
        np.testing.assert_allclose(points[-1], move.goal.position, atol=1e-3)


def test_the_tool_point_stays_in_the_workspace(
    planner: RoboplanPlanner, moves: list[Move]
) -> None:
    for move in moves:
        for arm in move.trajectory.positions[::5]:
            tcp = planner.tcp_pose(JointState.at_rest(move.trajectory.names, arm))
            assert Workspace().contains(tcp.position, margin=-0.005)


def test_equal_queries_give_equal_plans_whatever_came_before(
    planner: RoboplanPlanner, moves: list[Move]
) -> None:
    fresh = RoboplanPlanner()
    for move in moves[:12:3]:
        again = fresh.plan(move.trajectory.start, move.goal, move.scene, straight=move.is_straight)
        np.testing.assert_array_equal(again.positions, move.trajectory.positions)
        np.testing.assert_array_equal(again.times, move.trajectory.times)
