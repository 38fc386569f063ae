"""MoveIt's Python library, moveit_py, inside our process."""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from moveit.core.robot_trajectory import RobotTrajectory
from moveit.planning import MoveItPy, PlanRequestParameters
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from moveit_msgs.msg import RobotTrajectory as RobotTrajectoryMessage
from numpy.typing import NDArray
from rclpy.node import Node
from scipy.spatial.transform import Rotation, Slerp

from malmm_ros.geometry import WORLD, Pose
from malmm_ros.models import arm_joint_names
from malmm_ros.motion.moveit_client import (
    IkAnswer,
    KnownNames,
    PlanAnswer,
    PlanOptions,
    SceneDiff,
)
from malmm_ros.motion.moveit_codes import FAILURE, NO_IK_SOLUTION, SUCCESS
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.conversions import pose_message, trajectory_message
from malmm_ros.nodes.moveit_bridge.messages import (
    answer_value,
    body_message,
    goal_constraints,
    known_names,
)
from malmm_ros.nodes.moveit_bridge.settings import library_settings, write_settings
from malmm_ros.trajectory import JointState, Trajectory

_ANGLE_STEP = 0.05  # rad
# Corners of a line's dense points are cut by at most this, radians.
_PATH_TOLERANCE = 1e-3
_SAMPLE_S = 0.02


class LibraryClient:
    """Asks moveit_py; see :class:`malmm_ros.motion.moveit_client.MoveItClient`.

    The library has no straight lines: they are followed here, by its inverse kinematics and its
    collision checks, and timed by it. While it plans it holds Python's lock, so that nothing else
    in this process runs: the arm stands still meanwhile.

    Args:
        node: Ours; the library makes a node of its own in the same namespace.
        config: Group, folder of MoveIt's parameters.
        model: The robot's name and place.
    """

    def __init__(self, node: Node, config: MoveItConfig, model: RoboplanConfig) -> None:
        self._config = config
        self._group = config.group or f"{model.robot_name}_arm"
        self._tip = f"{model.robot_name}_hand_tcp"
        self._joints = arm_joint_names(model.robot_name)
        uses_simulated_time = bool(node.get_parameter("use_sim_time").value)
        settings = library_settings(config, model, uses_simulated_time=uses_simulated_time)
        self._moveit: Any = _start(node, settings)
        self._monitor: Any = self._moveit.get_planning_scene_monitor()
        self._component: Any = self._moveit.get_planning_component(self._group)
        self._model: Any = self._moveit.get_robot_model()
        self._allowed: frozenset[tuple[str, str]] = frozenset()

    def known_names(self) -> KnownNames:
        with self._monitor.read_only() as scene:
            return known_names(scene.planning_scene_message)

    def apply(self, diff: SceneDiff) -> bool:
        done = [self._attach(_removal(name), ()) for name in diff.detached]
        done += [
            self._attach(body_message(body, frame=self._tip), diff.touch_links)
            for body in diff.attached
        ]
        self._allow(diff.allowed)
        changes = [_removal(name) for name in diff.removed]
        changes += [body_message(body, frame=WORLD) for body in diff.added]
        done += [
            bool(self._monitor.process_collision_object(collision_object_msg=item))
            for item in changes
        ]
        return all(done)

    def solve_ik(self, goal: Pose, near: JointState, *, avoid_collisions: bool) -> IkAnswer:
        with self._monitor.read_only() as scene:
            state = self._state(scene, near)
            if not self._set_from_ik(state, goal):
                return IkAnswer(code=NO_IK_SOLUTION)
            if avoid_collisions and self._is_colliding(scene, state):
                return IkAnswer(code=NO_IK_SOLUTION)
            return IkAnswer(code=SUCCESS, state=JointState.at_rest(self._joints, self._arm(state)))

    def plan(self, start: JointState, goal: JointState, options: PlanOptions) -> PlanAnswer:
        with self._monitor.read_only() as scene:
            state = self._state(scene, start)
        self._component.set_start_state(robot_state=state)
        if not self._component.set_goal_state(motion_plan_constraints=[goal_constraints(goal)]):
            return PlanAnswer(code=FAILURE, detail="the goal was not taken")
        parameters = PlanRequestParameters(self._moveit, "")
        parameters.planning_pipeline = options.pipeline
        parameters.planner_id = options.planner
        parameters.planning_attempts = options.attempts
        parameters.planning_time = options.time_s
        parameters.max_velocity_scaling_factor = options.velocity_scale
        parameters.max_acceleration_scaling_factor = options.acceleration_scale
        response = self._component.plan(single_plan_parameters=parameters)
        if not response:
            return answer_value(response.error_code, RobotTrajectoryMessage())
        return answer_value(response.error_code, response.trajectory.get_robot_trajectory_msg())

    def follow_line(
        self, start: JointState, goal: Pose, *, step: float, options: PlanOptions
    ) -> PlanAnswer:
        with self._monitor.read_only() as scene:
            state = self._state(scene, start)
            path = [self._arm(state)]
            targets = self._targets(state, goal, step)
            for target in targets:
                if not self._set_from_ik(state, target) or self._is_colliding(scene, state):
                    break
                arm = self._arm(state)
                if np.abs(arm - path[-1]).max() > self._config.largest_jump:
                    break
                path.append(arm)
            begin = self._state(scene, start)
        fraction = (len(path) - 1) / len(targets)
        if len(path) < 2:
            return PlanAnswer(code=SUCCESS, fraction=fraction)
        return self._timed(begin, path, options, fraction=fraction)

    def close(self) -> None:
        # What the library gave us must go before it: otherwise it crashes at the end.
        self._component = self._monitor = self._model = None
        self._moveit.shutdown()
        self._moveit = None

    def _attach(self, item: CollisionObject, touch_links: tuple[str, ...]) -> bool:
        message = AttachedCollisionObject(
            link_name=self._tip, object=item, touch_links=list(touch_links)
        )
        return bool(
            self._monitor.process_attached_collision_object(attached_collision_object_msg=message)
        )

    def _allow(self, pairs: frozenset[tuple[str, str]]) -> None:
        """Change the pairs that may touch; the robot's own stay."""
        with self._monitor.read_write() as scene:
            matrix = scene.allowed_collision_matrix
            for first, second in self._allowed - pairs:
                matrix.remove_entry(name1=first, name2=second)
            for first, second in pairs:
                matrix.set_entry(name1=first, name2=second, allowed=True)
            scene.allowed_collision_matrix = matrix
        self._allowed = pairs

    def _state(self, scene: Any, joints: JointState) -> Any:
        """The scene's state with our joints; a fresh one would hold nothing in its hand."""
        state = copy.deepcopy(scene.current_state)
        state.joint_positions = {
            name: float(value) for name, value in zip(joints.names, joints.positions, strict=True)
        }
        state.update()
        return state

    def _arm(self, state: Any) -> NDArray[np.float64]:
        positions = state.joint_positions
        return np.array([positions[name] for name in self._joints])

    def _set_from_ik(self, state: Any, goal: Pose) -> bool:
        found = state.set_from_ik(
            joint_model_group_name=self._group,
            geometry_pose=pose_message(goal),
            tip_name=self._tip,
        )
        state.update()
        return bool(found)

    def _is_colliding(self, scene: Any, state: Any) -> bool:
        return bool(
            scene.is_state_colliding(robot_state=state, joint_model_group_name=self._group)
        )

    def _targets(self, state: Any, goal: Pose, step: float) -> list[Pose]:
        """Poses along the line, without the start."""
        start = np.asarray(state.get_global_link_transform(link_name=self._tip))
        end = goal.matrix()
        length = float(np.linalg.norm(end[:3, 3] - start[:3, 3]))
        turn = Rotation.from_matrix(start[:3, :3].T @ end[:3, :3]).magnitude()
        count = max(math.ceil(length / step), math.ceil(turn / _ANGLE_STEP), 2)
        fractions = np.linspace(0.0, 1.0, count + 1)[1:]
        slerp = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))
        targets = []
        for fraction, rotation in zip(fractions, slerp(fractions).as_matrix(), strict=True):
            matrix = np.eye(4)
            matrix[:3, :3] = rotation
            matrix[:3, 3] = (1.0 - fraction) * start[:3, 3] + fraction * end[:3, 3]
            targets.append(Pose.from_matrix(matrix))
        return targets

    def _timed(
        self,
        begin: Any,
        path: list[NDArray[np.float64]],
        options: PlanOptions,
        *,
        fraction: float,
    ) -> PlanAnswer:
        """Let the library time a path, from rest to rest."""
        untimed = Trajectory(
            names=self._joints,
            times=np.arange(len(path), dtype=np.float64),
            positions=np.stack(path),
            velocities=np.zeros((len(path), len(self._joints))),
        )
        trajectory: Any = RobotTrajectory(self._model)
        trajectory.joint_model_group_name = self._group
        trajectory.set_robot_trajectory_msg(
            robot_state=begin,
            msg=RobotTrajectoryMessage(joint_trajectory=trajectory_message(untimed)),
        )
        is_timed = trajectory.apply_totg_time_parameterization(
            velocity_scaling_factor=options.velocity_scale,
            acceleration_scaling_factor=options.acceleration_scale,
            path_tolerance=_PATH_TOLERANCE,
            resample_dt=_SAMPLE_S,
        )
        if not is_timed:
            return PlanAnswer(code=FAILURE, detail="the line could not be timed")
        message = trajectory.get_robot_trajectory_msg()
        return answer_value(_Success(), message, fraction=fraction)


def _start(node: Node, settings: Mapping[str, Any]) -> Any:
    """Start the library with a node of its own beside ours."""
    with tempfile.TemporaryDirectory(prefix="malmm_ros_moveit_") as folder:
        # Not by config_dict: the library writes that under the bare name of its node, which
        # matches no node in a namespace. The file is read when the node is made.
        file = write_settings(settings, Path(folder))
        return MoveItPy(
            node_name=f"{node.get_name()}_moveit",
            name_space=node.get_namespace(),
            launch_params_filepaths=[str(file)],
            # move_group's name for its own scene: two would answer.
            provide_planning_service=False,
        )


def _removal(name: str) -> CollisionObject:
    return CollisionObject(id=name, operation=CollisionObject.REMOVE)


class _Success:
    """Stands for an error code where the library gives none."""

    val = SUCCESS
    message = ""
