"""From where the arm is to a tool pose: retreat, free move and approach in one trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malmm_ros.configuration import check_ranges, within
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.motion.planner import MotionPlanner, PlanningScene
from malmm_ros.robots.contact import objects_at_tool, supports
from malmm_ros.robots.fit import overlapped
from malmm_ros.scene import Scene
from malmm_ros.trajectory import JointState, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteConfig:
    """How a move is cut into pieces.

    Attributes:
        approach_height: Metres above a contact at which straight pieces begin and end.
        vertical_tolerance: A move that shifts the tool point less than this sideways is
            vertical, metres.
        vertical_yaw_tolerance: And turns it less than this, radians.
    """

    approach_height: float = field(default=0.08, metadata=within(0.01, 0.3))
    vertical_tolerance: float = field(default=0.015, metadata=within(0.0))
    vertical_yaw_tolerance: float = field(default=0.05, metadata=within(0.0))

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contacts:
    """What may be touched at one end of the move."""

    hand: frozenset[str]
    held: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.hand or self.held)


def plan_route(
    planner: MotionPlanner, start: JointState, goal: Pose, scene: Scene, config: RouteConfig
) -> Trajectory:
    """Plan a move of the tool point in a scene.

    A vertical move is a straight line. Others leave a contact straight up, move freely and come
    down straight on what they touch at the goal; where a straight piece is impossible, the free
    planner does it with the same contacts allowed.

    Raises:
        MotionError: No valid motion was found; says why.
    """
    obstacles = PlanningScene.from_scene(scene)
    here = planner.tcp_pose(start)
    at_start = _contacts(scene, obstacles, here, is_there=True)
    at_goal = _contacts(scene, obstacles, goal)
    both = replace(
        obstacles,
        touchable=at_start.hand | at_goal.hand,
        held_touchable=at_start.held | at_goal.held,
    )
    if _is_vertical(here, goal, config):
        return _straight_or_free(planner, start, goal, both)
    pieces: list[Trajectory] = []
    state = start
    if at_start:
        leave = replace(obstacles, touchable=at_start.hand, held_touchable=at_start.held)
        above = _raised(here, here.yaw, obstacles, config)
        pieces.append(_straight_or_free(planner, state, above, leave))
        state = _rest(pieces[-1])
    if not at_goal:
        pieces.append(planner.plan(state, goal, obstacles))
        return join(pieces)
    above = _raised(goal, goal.yaw, obstacles, config)
    pieces.append(planner.plan(state, above, obstacles))
    arrive = replace(obstacles, touchable=at_goal.hand, held_touchable=at_goal.held)
    pieces.append(_straight_or_free(planner, _rest(pieces[-1]), goal, arrive))
    return join(pieces)


def join(pieces: Sequence[Trajectory]) -> Trajectory:
    """Chain trajectories that each end where the next begins, at rest."""
    times, positions, velocities = [pieces[0].times], [pieces[0].positions], [pieces[0].velocities]
    for piece in pieces[1:]:
        times.append(piece.times[1:] + times[-1][-1])
        positions.append(piece.positions[1:])
        velocities.append(piece.velocities[1:])
    return Trajectory(
        names=pieces[0].names,
        times=np.concatenate(times),
        positions=np.concatenate(positions),
        velocities=np.concatenate(velocities),
    )


def _contacts(
    scene: Scene, obstacles: PlanningScene, tcp: Pose, *, is_there: bool = False
) -> _Contacts:
    """What may be touched at a pose; where the arm is, all that it seems to be in."""
    held = obstacles.held
    if held is None:
        near = objects_at_tool(scene, tcp)
        return _Contacts(hand=frozenset(item.name for item in near), held=frozenset())
    carried = replace(held.item, pose=tcp @ held.tcp_from_object)
    touched = supports(carried, obstacles.objects)
    if is_there:
        touched |= overlapped(carried, obstacles.objects)
    return _Contacts(hand=frozenset(), held=touched)


def _is_vertical(here: Pose, goal: Pose, config: RouteConfig) -> bool:
    shift = float(np.linalg.norm(np.subtract(goal.position, here.position)[:2]))
    turn = yaw_difference(here.yaw, goal.yaw, symmetry=2)
    return shift < config.vertical_tolerance and turn < config.vertical_yaw_tolerance


def _raised(pose: Pose, yaw: float, obstacles: PlanningScene, config: RouteConfig) -> Pose:
    x, y, z = pose.position
    return top_down((x, y, min(z + config.approach_height, obstacles.workspace.high[2])), yaw)


def _rest(piece: Trajectory) -> JointState:
    return JointState.at_rest(piece.names, piece.positions[-1])


def _straight_or_free(
    planner: MotionPlanner, start: JointState, goal: Pose, scene: PlanningScene
) -> Trajectory:
    try:
        return planner.plan(start, goal, scene, straight=True)
    except MotionError as straight_error:
        try:
            return planner.plan(start, goal, scene)
        except MotionError as error:
            raise error from straight_error
