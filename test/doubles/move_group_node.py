"""A stand-in for move_group: MoveIt's services and actions, its rules, and roboplan's search.

What it does like MoveIt 2.12 to 2.14 on purpose, traps included: a start state that is not marked
as a difference loses what is attached; a matrix in a difference replaces all permissions; what is
detached falls into the world; removing what is not there fails; a part of a line is a success; a
goal of execute_trajectory takes a cancellation and goes on, and "stop" on the event topic ends it.

Frames, as in planning_scene.cpp and move_group_capability.cpp: an object's frame is looked up in
the robot's state, a pose's frame on /tf, whatever the model says; only the model's own frame is
taken as it is. With the parameter ``fixed_base`` the model is like Franka's: its SRDF's virtual
joint has the base at the origin of the model frame, which is called world nevertheless.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import PoseStamped
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    AttachedCollisionObject,
    CollisionObject,
    MoveItErrorCodes,
    RobotState,
    RobotTrajectory,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetPlanningScene,
    GetPositionFK,
    GetPositionIK,
)
from planning_server import PlanningServer
from rclpy.action.server import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.models import BASE_POSE, arm_joint_names, finger_joint_names
from malmm_ros.motion.moveit_client import Body, PlanAnswer, PlanOptions
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import (
    joint_state_message,
    joint_state_value,
    pose_message,
    pose_value,
    seconds,
    trajectory_message,
)
from malmm_ros.nodes.qos import STATIC_TRANSFORMS
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.nodes.vision.frames import FrameBuffer
from malmm_ros.scene import TABLE_TOP_Z, Solid
from malmm_ros.trajectory import JointState, Trajectory

GROUP, TIP, BASE, MODEL_FRAME = "panda_arm", "panda_hand_tcp", "panda_link0", "world"
JOINTS = (*arm_joint_names(), *finger_joint_names())
CODES = MoveItErrorCodes
START_TOLERANCE = 0.01
DURATION_SCALING, DURATION_MARGIN_S = 1.2, 0.5
_SHAPES = {1: "box", 2: "sphere", 3: "cylinder"}


class MoveGroupStandIn(Node):
    """Serves what the bridge asks for."""

    def __init__(self, **options: Any) -> None:
        super().__init__("move_group", **options)
        # Where the robot's model has its base: as our URDF, or as Franka's virtual joint.
        is_fixed = bool(self.declare_parameter("fixed_base", value=False).value)
        self._model_from_base = Pose((0.0, 0.0, 0.0)) if is_fixed else BASE_POSE
        table_z = TABLE_TOP_Z - (BASE_POSE.position[2] if is_fixed else 0.0)
        self._server = PlanningServer(base=self._model_from_base, table_z=table_z)
        self._frames = FrameBuffer()
        self._lock = threading.Lock()
        self._state = JointState.at_rest(JOINTS, np.array([*self._server.current, 0.04, 0.04]))
        self._executing: Any = None
        self._is_stopped = self._has_controller = False
        group = ReentrantCallbackGroup()
        for kind, name, answer in (
            (GetPlanningScene, "get_planning_scene", self._get_scene),
            (ApplyPlanningScene, "apply_planning_scene", self._apply_scene),
            (GetPositionIK, "compute_ik", self._solve_ik),
            (GetPositionFK, "compute_fk", self._find_links),
            (GetCartesianPath, "compute_cartesian_path", self._follow_line),
        ):
            self.create_service(kind, name, answer, callback_group=group)
        self._servers = [
            ActionServer(
                self,
                kind,
                name,
                execute,
                callback_group=group,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )
            for kind, name, execute in (
                (MoveGroup, "move_action", self._move),
                (ExecuteTrajectory, "execute_trajectory", self._execute),
            )
        ]
        self._controller = ActionClient(
            self,
            FollowJointTrajectory,
            "panda_arm_controller/follow_joint_trajectory",
            callback_group=group,
        )
        self.create_subscription(
            JointStateMessage, "joint_states", self._hear, 10, callback_group=group
        )
        for topic, profile, is_static in (
            ("/tf", 100, False),
            ("/tf_static", STATIC_TRANSFORMS, True),
        ):
            self.create_subscription(
                TFMessage,
                topic,
                lambda message, is_static=is_static: self._frames.add(
                    message.transforms, is_static=is_static
                ),
                profile,
                callback_group=group,
            )
        self.create_subscription(
            String, "trajectory_execution_event", self._on_event, 10, callback_group=group
        )

    def _hear(self, message: JointStateMessage) -> None:
        self._state = joint_state_value(message).select(JOINTS)

    # Planning scene.

    def _get_scene(self, request: Any, response: Any) -> Any:
        assert request.components.components
        with self._lock:
            server, scene = self._server, response.scene
            scene.world.collision_objects = [CollisionObject(id=name) for name in server.bodies]
            scene.robot_state.attached_collision_objects = [
                AttachedCollisionObject(link_name=TIP, object=CollisionObject(id=name))
                for name in server.attached
            ]
            names = sorted({name for pair in server.allowed for name in pair})
            scene.allowed_collision_matrix.entry_names = names
            scene.allowed_collision_matrix.entry_values = [
                AllowedCollisionEntry(
                    enabled=[frozenset((first, second)) in server.allowed for second in names]
                )
                for first in names
            ]
        return response

    def _apply_scene(self, request: Any, response: Any) -> Any:
        scene = request.scene
        assert scene.is_diff, "a scene that is not a difference replaces everything"
        with self._lock:
            self._server.current = self._state.positions[:7].copy()
            done = [
                self._apply_attached(item, is_diff=scene.robot_state.is_diff)
                for item in scene.robot_state.attached_collision_objects
            ]
            matrix = scene.allowed_collision_matrix
            if matrix.entry_names:
                self._server.allow(_pairs(matrix))
            done += [self._apply_object(item) for item in scene.world.collision_objects]
        response.success = all(done)
        return response

    def _apply_attached(self, item: AttachedCollisionObject, *, is_diff: bool) -> bool:
        if item.object.operation == CollisionObject.ADD:
            assert item.link_name == item.object.header.frame_id == TIP
            return self._server.attach(_body(item.object), tuple(item.touch_links))
        if not is_diff:
            self.get_logger().error("a detachment is ignored: the state is no difference")
            return True
        return self._server.detach(item.object.id)

    def _apply_object(self, item: CollisionObject) -> bool:
        if item.operation == CollisionObject.REMOVE:
            return self._server.remove(item.id)
        assert item.operation == CollisionObject.ADD
        body = _body(item)
        return self._server.add(
            replace(body, pose=self._in_state(item.header.frame_id) @ body.pose)
        )

    # Queries.

    def _in_state(self, frame: str) -> Pose:
        """``model_from_frame`` by the robot's own state."""
        return {MODEL_FRAME: Pose((0.0, 0.0, 0.0)), BASE: self._model_from_base}[frame]

    def _in_tf(self, frame: str) -> Pose | None:
        """``model_from_frame`` by /tf, as MoveIt asks for poses; ``None``: not known there."""
        if frame in ("", MODEL_FRAME):
            return Pose((0.0, 0.0, 0.0))
        try:
            return self._frames.lookup(MODEL_FRAME, frame, self._frames.newest_s(frame))
        except PerceptionError as error:
            self.get_logger().error(f"TF problem: {error}")
            return None

    def _find_links(self, request: Any, response: Any) -> Any:
        assert request.header.frame_id in ("", MODEL_FRAME)
        if request.fk_link_names != [BASE]:
            response.error_code.val = CODES.INVALID_LINK_NAME
            return response
        found = PoseStamped(pose=pose_message(self._model_from_base))
        found.header.frame_id = MODEL_FRAME
        response.pose_stamped, response.fk_link_names = [found], [BASE]
        response.error_code.val = CODES.SUCCESS
        return response

    def _solve_ik(self, request: Any, response: Any) -> Any:
        query = request.ik_request
        if query.group_name != GROUP:
            response.error_code.val = CODES.INVALID_GROUP_NAME
            return response
        assert query.ik_link_name == TIP
        model_from_frame = self._in_tf(query.pose_stamped.header.frame_id)
        if model_from_frame is None:
            response.error_code.val = CODES.FRAME_TRANSFORM_FAILURE
            return response
        with self._lock:
            answer = self._server.solve_ik(
                model_from_frame @ pose_value(query.pose_stamped.pose),
                self._full(query.robot_state),
                avoid_collisions=query.avoid_collisions,
                with_attached=query.robot_state.is_diff,
            )
        response.error_code.val = answer.code
        if answer.state is not None:
            response.solution.joint_state = joint_state_message(answer.state, stamp_s=0.0)
        return response

    def _follow_line(self, request: Any, response: Any) -> Any:
        if request.group_name != GROUP:
            response.error_code.val = CODES.INVALID_GROUP_NAME
            return response
        if request.max_step <= 0.0:
            response.error_code.val = CODES.FAILURE
            return response
        (waypoint,) = request.waypoints
        model_from_frame = self._in_tf(request.header.frame_id)
        if model_from_frame is None:
            response.error_code.val = CODES.FRAME_TRANSFORM_FAILURE
            return response
        options = _options(request)
        with self._lock:
            answer = self._server.follow_line(
                self._full(request.start_state),
                model_from_frame @ pose_value(waypoint),
                step=request.max_step,
                options=options,
                with_attached=request.start_state.is_diff,
            )
        response.error_code.val, response.fraction = answer.code, answer.fraction
        response.solution = _robot_trajectory(answer)
        return response

    def _move(self, handle: Any) -> MoveGroup.Result:
        request = handle.request.request
        result = MoveGroup.Result()
        if request.group_name != GROUP:
            result.error_code.val = CODES.INVALID_GROUP_NAME
            handle.abort()
            return result
        (constraints,) = request.goal_constraints
        goal = JointState.at_rest(
            tuple(item.joint_name for item in constraints.joint_constraints),
            np.array([item.position for item in constraints.joint_constraints]),
        )
        options = _options(request, planner=request.planner_id)
        with self._lock:
            answer = self._server.plan(
                self._full(request.start_state),
                goal,
                options,
                with_attached=request.start_state.is_diff,
            )
        result.error_code.val = answer.code
        result.planned_trajectory = _robot_trajectory(answer)
        if answer.trajectory is not None and not handle.request.planning_options.plan_only:
            result.error_code.val = self._carry_out(result.planned_trajectory)
        (handle.succeed if result.error_code.val == CODES.SUCCESS else handle.abort)()
        return result

    def _full(self, message: RobotState) -> JointState:
        """The present state with what the message says."""
        told = joint_state_value(message.joint_state)
        values = dict(zip(self._state.names, self._state.positions, strict=True))
        values |= dict(zip(told.names, told.positions, strict=True))
        return JointState.at_rest(JOINTS, np.array([values[name] for name in JOINTS]))

    # Execution.

    def _execute(self, handle: Any) -> ExecuteTrajectory.Result:
        result = ExecuteTrajectory.Result()
        result.error_code.val = self._carry_out(handle.request.trajectory)
        (handle.succeed if result.error_code.val == CODES.SUCCESS else handle.abort)()
        return result

    def _carry_out(self, trajectory: RobotTrajectory) -> int:
        """Send what MoveIt sends, and watch its duration."""
        points = trajectory.joint_trajectory.points
        names = tuple(trajectory.joint_trajectory.joint_names)
        present = self._state.select(names).positions
        if np.abs(np.array(points[0].positions) - present).max() > START_TOLERANCE:
            self.get_logger().error("the trajectory starts too far from the arm")
            return int(CODES.CONTROL_FAILED)
        self._is_stopped = False
        goal = FollowJointTrajectory.Goal(trajectory=trajectory.joint_trajectory)
        self._find_controller()
        sent = _wait(self._controller.send_goal_async(goal), 10.0)
        if sent is None or not sent.accepted:
            return int(CODES.CONTROL_FAILED)
        self._executing = sent
        allowed_s = DURATION_SCALING * seconds(points[-1].time_from_start) + DURATION_MARGIN_S
        started_s = seconds(self.get_clock().now().to_msg())
        future = sent.get_result_async()
        while _wait(future, 0.02) is None:
            if seconds(self.get_clock().now().to_msg()) - started_s > allowed_s:
                sent.cancel_goal_async()
                return int(CODES.TIMED_OUT)
        self._executing = None
        if self._is_stopped:
            return int(CODES.PREEMPTED)
        succeeded = future.result().status == GoalStatus.STATUS_SUCCEEDED
        return int(CODES.SUCCESS if succeeded else CODES.CONTROL_FAILED)

    def _find_controller(self) -> None:
        """What is sent before both sides have found each other is lost, or its answer is."""
        if self._has_controller:
            return
        self._controller.wait_for_server(timeout_sec=20.0)
        time.sleep(1.0)  # that the server knows our ears cannot be asked
        self._has_controller = True

    def _on_event(self, message: String) -> None:
        executing = self._executing
        if message.data == "stop" and executing is not None:
            self._is_stopped = True
            executing.cancel_goal_async()


def _wait(future: Any, timeout_s: float) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    return future.result() if done.wait(timeout_s) else None


def _options(request: Any, *, planner: str = "") -> PlanOptions:
    return PlanOptions(
        pipeline="",
        planner=planner,
        attempts=1,
        time_s=1.0,
        velocity_scale=request.max_velocity_scaling_factor,
        acceleration_scale=request.max_acceleration_scaling_factor,
    )


def _body(item: CollisionObject) -> Body:
    return Body(
        name=item.id,
        pose=pose_value(item.pose),
        parts=tuple(
            _solid(primitive, pose)
            for primitive, pose in zip(item.primitives, item.primitive_poses, strict=True)
        ),
    )


def _solid(primitive: Any, pose: Any) -> Solid:
    sizes = [float(value) for value in primitive.dimensions]
    shape = _SHAPES[primitive.type]
    if shape == "box":
        return Solid(shape="box", size=(sizes[0], sizes[1], sizes[2]), pose=pose_value(pose))
    if shape == "cylinder":
        size = (2.0 * sizes[1], 2.0 * sizes[1], sizes[0])
        return Solid(shape="cylinder", size=size, pose=pose_value(pose))
    size = (2.0 * sizes[0], 2.0 * sizes[0], 2.0 * sizes[0])
    return Solid(shape="sphere", size=size, pose=pose_value(pose))


def _pairs(matrix: Any) -> set[frozenset[str]]:
    return {
        frozenset((first, second))
        for first, entry in zip(matrix.entry_names, matrix.entry_values, strict=True)
        for second, is_allowed in zip(matrix.entry_names, entry.enabled, strict=True)
        if is_allowed
    }


def _robot_trajectory(answer: PlanAnswer) -> RobotTrajectory:
    """With velocities and accelerations at every point, as MoveIt's timing gives."""
    message = RobotTrajectory()
    if answer.trajectory is None:
        return message
    message.joint_trajectory = trajectory_message(answer.trajectory)
    message.joint_trajectory.header.frame_id = "world"
    for point, acceleration in zip(
        message.joint_trajectory.points, _accelerations(answer.trajectory), strict=True
    ):
        point.accelerations = acceleration.tolist()
    return message


def _accelerations(trajectory: Trajectory) -> np.ndarray[Any, Any]:
    return np.gradient(trajectory.velocities, trajectory.times, axis=0)


if __name__ == "__main__":
    run_main(MoveGroupStandIn, threads=8)
