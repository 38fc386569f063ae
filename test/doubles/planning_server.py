"""What a move_group does, by MoveIt's rules and with roboplan's search: a stand-in for tests.

It knows nothing of ROS; move_group_node.py puts it behind MoveIt's services and actions.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.models import BASE_POSE, READY_POSITIONS, finger_joint_names
from malmm_ros.motion.collision_world import TABLE, CollisionWorld
from malmm_ros.motion.free_path import FreePath
from malmm_ros.motion.inverse_kinematics import InverseKinematics
from malmm_ros.motion.moveit_answers import angle_between
from malmm_ros.motion.moveit_client import (
    Body,
    IkAnswer,
    KnownNames,
    PlanAnswer,
    PlanOptions,
    SceneDiff,
    own_names,
)
from malmm_ros.motion.moveit_codes import NO_IK_SOLUTION, START_STATE_IN_COLLISION, SUCCESS
from malmm_ros.motion.moveit_scene import TABLE_BODY
from malmm_ros.motion.planner import HeldObject, PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.motion.straight_path import StraightPath
from malmm_ros.motion.timing import Timing
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Workspace
from malmm_ros.trajectory import JointState, Trajectory

GOAL_IN_COLLISION, PLANNING_FAILED, INVALID_MOTION_PLAN = -12, -1, -2
_EVERYWHERE = Workspace(low=(-3.0, -3.0, -3.0), high=(3.0, 3.0, 4.0))
_HAND = ("hand", "leftfinger", "rightfinger")


class PlanningServer:
    """A planning scene, and searches in it; poses are in the frame of its robot model.

    Args:
        robot_name: Prefix of links and joints.
        base: Where its model has the arm's base, and ``table_z`` the table.

    Attributes:
        bodies: Of the world, by name.
        attached: To the tool point, by name; at most one is planned with.
        touch_links: Of what is attached.
        allowed: Pairs that may touch, beside the robot's own.
        current: Where the arm is, ``(7,)``; a detached body falls where it was held.
        calls: Names of what was asked, oldest first.
        planners: Of each plan asked for.
        broken: Planners that find nothing.
    """

    def __init__(
        self,
        robot_name: str = "panda",
        *,
        base: Pose = BASE_POSE,
        table_z: float = TABLE_TOP_Z,
    ) -> None:
        self.bodies: dict[str, Body] = {}
        self.attached: dict[str, Body] = {}
        self.touch_links: dict[str, tuple[str, ...]] = {}
        self.allowed: set[frozenset[str]] = set()
        self.current = np.array(READY_POSITIONS)
        self.calls: list[str] = []
        self.planners: list[str] = []
        self.broken: frozenset[str] = frozenset()
        self._config = RoboplanConfig(
            robot_name=robot_name,
            base=base,
            table_z=table_z,
            obstacle_padding=0.0,
            held_padding=0.0,
            table_padding_hand=0.0,
            flat_height=0.0,
        )
        self._prefix = f"{robot_name}_"
        self.robot = PlanningRobot(self._config)
        self._world = CollisionWorld(self.robot, self._config)
        self._free = FreePath(self.robot, self._config)
        self._line = StraightPath(self.robot, self._config)
        self._kinematics = InverseKinematics(PlanningRobot(self._config), self._config)

    # The scene, as moveit_core's PlanningScene changes it.

    def add(self, body: Body) -> bool:
        """Put a body into the world, or replace it."""
        self.bodies[body.name] = body
        return bool(body.parts)

    def remove(self, name: str) -> bool:
        """Take a body out; an empty name takes all. Its permissions go, too."""
        if not name:
            self.bodies.clear()
            return True
        self.allowed = {pair for pair in self.allowed if name not in pair}
        return self.bodies.pop(name, None) is not None

    def attach(self, body: Body, touch_links: tuple[str, ...]) -> bool:
        """Hang a body on the tool point; it leaves the world."""
        self.bodies.pop(body.name, None)
        self.attached[body.name] = body
        self.touch_links[body.name] = touch_links
        return bool(body.parts)

    def detach(self, name: str) -> bool:
        """Let an attached body go into the world."""
        body = self.attached.pop(name, None)
        self.touch_links.pop(name, None)
        if body is None:
            return False
        if name not in self.bodies:
            tcp = Pose.from_matrix(self.robot.tcp_matrix(self.current))
            self.bodies[name] = replace(body, pose=tcp @ body.pose)
        return True

    def allow(self, pairs: set[frozenset[str]]) -> None:
        """Replace all permissions, as a message with any entries does."""
        self.allowed = set(pairs)

    # Queries.

    def solve_ik(
        self,
        goal: Pose,
        near: JointState,
        *,
        avoid_collisions: bool,
        with_attached: bool = True,
    ) -> IkAnswer:
        self.calls.append("ik")
        arm = near.select(self.robot.names).positions
        self._load(near, with_attached)
        for generator in (None, np.random.default_rng(0)):
            for item in self._kinematics.solve(goal, arm, generator, random_seeds=8):
                end = Pose.from_matrix(self.robot.tcp_matrix(item))
                if angle_between(end, goal) > 0.01:
                    continue  # the other half turn
                if not avoid_collisions or not self.robot.is_colliding(item):
                    return IkAnswer(code=SUCCESS, state=JointState.at_rest(self.robot.names, item))
        return IkAnswer(code=NO_IK_SOLUTION)

    def plan(
        self,
        start: JointState,
        goal: JointState,
        options: PlanOptions,
        *,
        with_attached: bool = True,
    ) -> PlanAnswer:
        self.calls.append("plan")
        self.planners.append(options.planner)
        begin = start.select(self.robot.names).positions
        end = goal.select(self.robot.names).positions
        self._load(start, with_attached)
        if self._is_start_blocked(begin):
            return PlanAnswer(code=START_STATE_IN_COLLISION)
        if self.robot.is_colliding(end):
            return PlanAnswer(code=GOAL_IN_COLLISION)
        if options.planner in self.broken:
            return PlanAnswer(code=PLANNING_FAILED, detail="this planner finds nothing")
        path = self._free.search(begin, end, 0)
        if path is None:
            return PlanAnswer(code=PLANNING_FAILED)
        trajectory = self._timing(options).time(path)
        if self._is_colliding(trajectory):
            return PlanAnswer(code=INVALID_MOTION_PLAN)
        return PlanAnswer(code=SUCCESS, trajectory=trajectory)

    def follow_line(
        self,
        start: JointState,
        goal: Pose,
        *,
        step: float,
        options: PlanOptions,
        with_attached: bool = True,
    ) -> PlanAnswer:
        """As far as it goes, which MoveIt calls a success."""
        self.calls.append("line")
        assert step > 0.0
        begin = start.select(self.robot.names).positions
        self._load(start, with_attached)
        attempt = self._line.follow(begin, goal)
        if len(attempt.path) < 2:
            return PlanAnswer(code=SUCCESS, fraction=attempt.fraction)
        trajectory = self._timing(options).time(attempt.path, is_dense=True)
        return PlanAnswer(code=SUCCESS, trajectory=trajectory, fraction=attempt.fraction)

    def _is_start_blocked(self, arm: NDArray[np.float64]) -> bool:
        links = {f"{self._prefix}link0", f"{self._prefix}link1"}
        stands = all(frozenset((TABLE_BODY, link)) in self.allowed for link in links)
        return not stands or self.robot.is_colliding(arm)

    def _is_colliding(self, trajectory: Trajectory) -> bool:
        positions = trajectory.positions
        return any(
            self.robot.is_path_colliding(first, second, 0.01)
            for first, second in pairwise(positions)
        )

    def _timing(self, options: PlanOptions) -> Timing:
        config = replace(
            self._config,
            velocity_scale=options.velocity_scale,
            acceleration_scale=options.acceleration_scale,
        )
        return Timing(self.robot, config)

    def _load(self, state: JointState, with_attached: bool) -> None:
        """Put the scene into roboplan's world; without a table that was told, nothing works."""
        assert TABLE_BODY in self.bodies, "nobody told where the table is"
        table = self.bodies[TABLE_BODY]
        top = table.pose.position[2] + 0.5 * table.parts[0].size[2]
        assert abs(top - self._config.table_z) < 1e-6, f"the table was put at {top}"
        fingers = state.select(finger_joint_names(self._config.robot_name)).positions
        held = next(iter(self.attached.values()), None) if with_attached else None
        scene = PlanningScene(
            objects=tuple(
                _object(body) for name, body in self.bodies.items() if name != TABLE_BODY
            ),
            held=None
            if held is None
            else HeldObject(item=_object(held), tcp_from_object=held.pose),
            finger_width=float(fingers.sum()),
            touchable=frozenset(name for name in self.bodies if self._hand_may_touch(name)),
            held_touchable=frozenset()
            if held is None
            else frozenset(
                TABLE if name == TABLE_BODY else name
                for name in self.bodies
                if frozenset((held.name, name)) in self.allowed
            ),
            workspace=_EVERYWHERE,
        )
        if held is not None:
            assert {f"{self._prefix}{name}" for name in _HAND} <= set(self.touch_links[held.name])
        self._world.load(scene, (0.0, 0.0, 1.0), {})

    def _hand_may_touch(self, name: str) -> bool:
        return all(frozenset((name, f"{self._prefix}{link}")) in self.allowed for link in _HAND)


class DirectClient:
    """A planner's client of a server in the same process.

    Attributes:
        server: Behind it.
        refusals: How many scenes it will not take from now on.
        is_closed: Whether it was let go.
    """

    def __init__(self, server: PlanningServer | None = None) -> None:
        self.server = server or PlanningServer()
        self.refusals = 0
        self.is_closed = False
        self.diffs: list[SceneDiff] = []

    def known_names(self) -> KnownNames:
        return KnownNames(
            bodies=own_names(self.server.bodies), attached=own_names(self.server.attached)
        )

    def apply(self, diff: SceneDiff) -> bool:
        self.diffs.append(diff)
        if self.refusals:
            self.refusals -= 1
            return False
        server = self.server
        done = [server.detach(name) for name in diff.detached]
        done += [server.attach(body, diff.touch_links) for body in diff.attached]
        server.allow({frozenset(pair) for pair in diff.allowed})
        done += [server.remove(name) for name in diff.removed]
        done += [server.add(body) for body in diff.added]
        return all(done)

    def solve_ik(self, goal: Pose, near: JointState, *, avoid_collisions: bool) -> IkAnswer:
        return self.server.solve_ik(goal, near, avoid_collisions=avoid_collisions)

    def plan(self, start: JointState, goal: JointState, options: PlanOptions) -> PlanAnswer:
        return self.server.plan(start, goal, options)

    def follow_line(
        self, start: JointState, goal: Pose, *, step: float, options: PlanOptions
    ) -> PlanAnswer:
        return self.server.follow_line(start, goal, step=step, options=options)

    def close(self) -> None:
        self.is_closed = True


def _object(body: Body) -> SceneObject:
    low = np.min(
        [np.asarray(p.pose.position) - 0.5 * np.asarray(p.size) for p in body.parts], axis=0
    )
    high = np.max(
        [np.asarray(p.pose.position) + 0.5 * np.asarray(p.size) for p in body.parts], axis=0
    )
    x, y, z = (float(value) for value in high - low)
    return SceneObject(
        name=body.name, category="", pose=body.pose, size=(x, y, z), solids=body.parts
    )
