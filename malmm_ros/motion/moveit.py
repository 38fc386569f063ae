"""MoveIt as a motion planner: it searches, we say what the world is and check what comes back."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError, MotionError
from malmm_ros.geometry import Pose
from malmm_ros.models import finger_joint_names
from malmm_ros.motion import checks
from malmm_ros.motion.clearance import ClearanceProbe, Contact
from malmm_ros.motion.inverse_kinematics import HALF_TURN, InverseKinematics
from malmm_ros.motion.moveit_answers import AnswerChecks, angle_between
from malmm_ros.motion.moveit_client import MoveItClient, PlanOptions, SceneMirror
from malmm_ros.motion.moveit_codes import (
    NO_IK_SOLUTION,
    START_STATE_IN_COLLISION,
    SUCCESS,
    code_error,
)
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.moveit_scene import wanted_scene
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan import TOP_DOWN_REACH
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.trajectory import JointState, Trajectory

# What a smaller padding may mend.
_TIGHT = frozenset({"in_collision", "start_in_collision", "no_path"})
# Joint states at the goal that differ less are the same.
_ALIKE = 0.05
_WHOLE_LINE = 0.9999
_AT_GOAL = 1e-4  # m, and rad


class MoveItPlanner:
    """Plans for one arm by asking MoveIt; what it answers is checked before it is believed.

    Calls from several threads wait for each other.

    Args:
        client: Speaks to MoveIt.
        config: How to ask.
        model: The arm, where it stands, and the table.

    Raises:
        ConfigurationError: There is no client.
    """

    def __init__(
        self,
        client: MoveItClient | None = None,
        config: MoveItConfig | None = None,
        model: RoboplanConfig | None = None,
    ) -> None:
        if client is None:
            raise ConfigurationError(
                "motion planner 'moveit'",
                "plans only through ROS: choose it with the node `motion` "
                "(`malmm up sim --motion moveit`), or take 'roboplan'",
            )
        self._client = client
        self.config = config or MoveItConfig()
        self._model = model or RoboplanConfig()
        self._robot = PlanningRobot(self._model)
        self._kinematics = InverseKinematics(self._robot, self._model)
        self._probe = ClearanceProbe(self._model)
        self._checks = AnswerChecks(self._robot)
        self._mirror = SceneMirror()
        self._lock = threading.Lock()

    def plan(
        self, start: JointState, goal: Pose, scene: PlanningScene, *, straight: bool = False
    ) -> Trajectory:
        with self._lock:
            arm = checks.checked_start(
                start.select(self._robot.names).positions,
                names=self._robot.names,
                low=self._robot.low,
                high=self._robot.high,
            )
            target = checks.checked_goal(goal, scene.workspace)
            search = self._search_line if straight else self._search_free
            *wider, narrowest = self.config.paddings
            for padding in wider:
                try:
                    self._tell(scene, padding)
                    return search(arm, target, scene)
                except MotionError as error:
                    if error.category not in _TIGHT:
                        raise
            self._tell(scene, narrowest)
            return search(arm, target, scene)

    def tcp_pose(self, state: JointState) -> Pose:
        with self._lock:
            return self._tcp(state.select(self._robot.names).positions)

    def close(self) -> None:
        """Let go of MoveIt; nothing can be planned afterwards."""
        self._client.close()

    def _tell(self, scene: PlanningScene, padding: float) -> None:
        """Bring MoveIt's scene to that of a query.

        Raises:
            MotionError: MoveIt does not take it (``planner``).
        """
        wanted = wanted_scene(scene, padding, self._model)
        for _ in range(2):
            diff = self._mirror.difference(wanted, self._client.known_names())
            if diff is None or self._client.apply(diff):
                self._mirror.remember(wanted)
                return
            # Who knows how much of it was taken: all of it again.
            self._mirror.forget()
        raise MotionError(
            "planner", "MoveIt did not take the planning scene; its own log says which object"
        )

    def _search_free(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene
    ) -> Trajectory:
        if self._is_at(arm, goal) or self._is_at(arm, goal @ HALF_TURN):
            return self._checks.resting(arm)
        begin = self._full(arm, scene)
        what = f"a motion to ({_numbers(goal)})"
        error = MotionError("no_path", f"{what}: MoveIt found none")
        for goal_arm in self._goal_states(begin, goal, scene)[: self.config.goal_tries]:
            end = JointState.at_rest(self._robot.names, goal_arm)
            for planner in self.config.planners:
                answer = self._client.plan(begin, end, self._options(planner))
                if answer.code == START_STATE_IN_COLLISION:
                    raise self._start_error(arm, scene)
                if answer.trajectory is None or answer.code != SUCCESS:
                    error = code_error(answer.code, what=what, detail=answer.detail)
                    continue
                try:
                    return self._checks.checked(
                        answer.trajectory, arm, goal, workspace=scene.workspace
                    )
                except MotionError as problem:
                    error = problem
        raise error

    def _goal_states(
        self, begin: JointState, goal: Pose, scene: PlanningScene
    ) -> list[NDArray[np.float64]]:
        """Arm joints ``(7,)`` at the goal that touch nothing, nearest first.

        Asked for beforehand: MoveIt itself says that a goal is out of reach only when all of the
        planning time is over.

        Raises:
            MotionError: There are none (``unreachable``, ``in_collision``).
        """
        arm = begin.select(self._robot.names).positions
        found = self._solve(begin, goal, avoid_collisions=True)
        if not found:
            raise self._goal_error(begin, goal, scene)
        found.sort(key=lambda item: float(np.abs((item - arm) / self._robot.max_velocity).max()))
        different: list[NDArray[np.float64]] = []
        for item in found:
            if all(np.abs(item - other).max() > _ALIKE for other in different):
                different.append(item)
        return different

    def _solve(
        self, begin: JointState, goal: Pose, *, avoid_collisions: bool
    ) -> list[NDArray[np.float64]]:
        """Inverse kinematics for both half turns, from here and from the ready posture."""
        count = len(self._robot.names)
        ready = begin.positions.copy()
        ready[:count] = self._robot.ready
        found = []
        for pose in (goal, goal @ HALF_TURN):
            for near in (begin, JointState.at_rest(begin.names, ready)):
                answer = self._client.solve_ik(pose, near, avoid_collisions=avoid_collisions)
                if answer.state is not None:
                    found.append(answer.state.select(self._robot.names).positions)
                elif answer.code not in (NO_IK_SOLUTION, SUCCESS):
                    raise code_error(answer.code, what="inverse kinematics")
        return found

    def _search_line(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene
    ) -> Trajectory:
        here = self._tcp(arm)
        target = min(goal, goal @ HALF_TURN, key=lambda pose: angle_between(here, pose))
        if self._is_at(arm, target):
            return self._checks.resting(arm)
        begin = self._full(arm, scene)
        answer = self._client.follow_line(
            begin, target, step=self.config.line_step, options=self._options("")
        )
        what = f"a straight line to ({_numbers(goal)})"
        if answer.code == START_STATE_IN_COLLISION:
            raise self._start_error(arm, scene)
        if answer.code != SUCCESS:
            raise code_error(answer.code, what=what, detail=answer.detail)
        # MoveIt calls a part of the way a success, too.
        if answer.trajectory is None or answer.fraction < _WHOLE_LINE:
            raise MotionError(
                "no_path",
                f"the straight line is free only for its first {answer.fraction:.0%}; take a "
                "free motion, or start from higher above",
            )
        trajectory = self._checks.checked(
            answer.trajectory, arm, target, workspace=scene.workspace
        )
        self._checks.check_line(
            trajectory,
            here,
            target,
            tolerance=self.config.line_tolerance,
            largest_jump=self.config.largest_jump,
        )
        return trajectory

    def _goal_error(self, begin: JointState, goal: Pose, scene: PlanningScene) -> MotionError:
        """Why no joint state at the goal is free."""
        solutions = self._solve(begin, goal, avoid_collisions=False)
        if not solutions:
            miss = self._kinematics.nearest_miss(goal)
            return checks.unreachable(goal, self._model.base, miss=miss, reach=TOP_DOWN_REACH)
        least: list[Contact] = []
        for item in solutions:
            contacts = self._probe.contacts(item, scene, margin=max(self.config.paddings))
            if contacts and (not least or contacts[0].distance > least[0].distance):
                least = contacts
        return checks.collision(
            "in_collision",
            f"the goal ({_numbers(goal)}) is in collision",
            least,
            advice="go higher, turn the hand (yaw), or move the object away first",
        )

    def _start_error(self, arm: NDArray[np.float64], scene: PlanningScene) -> MotionError:
        return checks.collision(
            "start_in_collision",
            "the arm starts in collision",
            self._probe.contacts(arm, scene, margin=max(self.config.paddings)),
            advice="open the gripper or move the object away, or name it as touchable",
        )

    def _full(self, arm: NDArray[np.float64], scene: PlanningScene) -> JointState:
        """Arm and fingers: the start is always ours, never what MoveIt has heard last."""
        fingers = finger_joint_names(self._model.robot_name)
        opening = 0.5 * min(max(scene.finger_width, 0.0), 0.08)
        return JointState.at_rest(
            (*self._robot.names, *fingers), np.concatenate([arm, [opening, opening]])
        )

    def _options(self, planner: str) -> PlanOptions:
        config = self.config
        return PlanOptions(
            pipeline=config.pipeline,
            planner=planner,
            attempts=config.attempts,
            time_s=config.planning_time_s,
            velocity_scale=config.velocity_scale,
            acceleration_scale=config.acceleration_scale,
        )

    def _tcp(self, arm: NDArray[np.float64]) -> Pose:
        return Pose.from_matrix(self._robot.tcp_matrix(arm))

    def _is_at(self, arm: NDArray[np.float64], goal: Pose) -> bool:
        here = self._tcp(arm)
        gap = float(np.linalg.norm(np.subtract(here.position, goal.position)))
        return gap < _AT_GOAL and angle_between(here, goal) < _AT_GOAL


def _numbers(pose: Pose) -> str:
    return ", ".join(f"{value:.3f}" for value in pose.position)
