"""``panda_arm_controller/follow_joint_trajectory``, as ros2_controllers' arms offer it.

A goal that cannot be followed is accepted and aborted at once: only a result carries words.
Velocities at the points are followed, accelerations are not read. Tolerances of positions and of
time are held to, on the path and at the goal: 0 leaves the controller's own, a negative one allows
any. A header stamp only tells what is too old.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.action.server import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectoryPoint

from malmm_ros.errors import MalmmError, MotionError
from malmm_ros.nodes.conversions import duration_message, header, seconds, trajectory_value
from malmm_ros.nodes.simulator.goals import AcceptedGoals, GoalWatch, WatchedGoal
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import World
from malmm_ros.simulation.controllers import ArmStatus, GoalTolerances
from malmm_ros.trajectory import Trajectory

Result = FollowJointTrajectory.Result
_CODES = {
    "wrong_joints": Result.INVALID_JOINTS,
    "old_stamp": Result.OLD_HEADER_TIMESTAMP,
    "path_tolerance": Result.PATH_TOLERANCE_VIOLATED,
    "goal_tolerance": Result.GOAL_TOLERANCE_VIOLATED,
}
_FEEDBACK_PERIOD_S = 0.05
_CANCEL_GRACE_S = 1.0


class ArmAction:
    """Serves trajectories with the world's arm controller.

    Args:
        node: Ours.
        robot_name: The arm; also the first part of the action's name.
        physics: Owns the world.
        watch: Finds out when goals end.
    """

    def __init__(
        self, node: Node, robot_name: str, *, physics: PhysicsThread, watch: GoalWatch
    ) -> None:
        self._node, self._robot_name = node, robot_name
        self._physics, self._watch = physics, watch
        self._closing = threading.Event()
        self._numbers: dict[bytes, int] = {}
        self._accepted = AcceptedGoals(physics)
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            f"{robot_name}_arm_controller/follow_joint_trajectory",
            execute_callback=self._execute,
            goal_callback=self._accepted.accept,
            cancel_callback=self._cancel,
            callback_group=ReentrantCallbackGroup(),
        )

    def close(self) -> None:
        """Brake and give every waiting client its result."""
        self._physics.post(lambda world: world.arm(self._robot_name).controller.cancel())
        self._closing.set()

    def _cancel(self, handle: Any) -> CancelResponse:
        number = self._numbers.get(bytes(handle.goal_id.uuid))
        self._physics.post(lambda world: self._brake(world, number))
        return CancelResponse.ACCEPT

    def _brake(self, world: World, number: int | None) -> None:
        controller = world.arm(self._robot_name).controller
        if number is not None and controller.status.goal == number:
            controller.cancel()

    def _execute(self, handle: Any) -> Any:
        key = bytes(handle.goal_id.uuid)
        try:
            goal = self._start(handle.request, key)
        except MalmmError as error:
            self._node.get_logger().warning(f"arm: {error}")
            handle.abort()
            category = error.category if isinstance(error, MotionError) else ""
            return _result(_CODES.get(category, Result.INVALID_GOAL), str(error))
        try:
            self._follow(handle, goal)
            return self._finish(handle, goal)
        finally:
            self._numbers.pop(key, None)

    def _start(self, request: Any, key: bytes) -> WatchedGoal[ArmStatus]:
        generation = self._accepted.take(request)
        trajectory = trajectory_value(request.trajectory)
        _check_stamp(request.trajectory, trajectory, now_s=self._physics.now_s)

        def start(world: World) -> WatchedGoal[ArmStatus]:
            controller = world.arm(self._robot_name).controller
            number = controller.start(
                trajectory,
                tolerances=_tolerances(request, controller.joint_names, controller.own_tolerances),
            )
            self._numbers[key] = number
            goal = WatchedGoal(
                number,
                generation,
                lambda now: now.arm(self._robot_name).controller.status,
                controller.status,
            )
            self._watch.add(goal)
            return goal

        return self._accepted.begin(generation, start)

    def _follow(self, handle: Any, goal: WatchedGoal[ArmStatus]) -> None:
        """Give feedback until the goal is over."""
        is_braking = False
        while not goal.ended.wait(_FEEDBACK_PERIOD_S) and not self._closing.is_set():
            if handle.is_cancel_requested and not is_braking:
                # Asked before the goal had a number.
                self._physics.post(lambda world: self._brake(world, goal.number))
                is_braking = True
            handle.publish_feedback(self._feedback(goal.status))

    def _finish(self, handle: Any, goal: WatchedGoal[ArmStatus]) -> Any:
        status = goal.status
        if goal.lost or not goal.ended.is_set():
            reason = goal.lost or "the simulator is ending"
            _end(handle, is_success=False)
            return _result(Result.INVALID_GOAL, f"preempted: {reason}")
        if status.state == "succeeded":
            _end(handle, is_success=True)
            return _result(Result.SUCCESSFUL, "")
        if status.state == "cancelled":
            _wait_for_cancelling(handle)
            _end(handle, is_success=False)
            return _result(Result.SUCCESSFUL, status.message)
        _end(handle, is_success=False)
        return _result(_CODES.get(status.reason, Result.INVALID_GOAL), status.message)

    def _feedback(self, status: ArmStatus) -> Any:
        moment = duration_message(status.time_s)
        zeros = np.zeros_like(status.velocity)
        return FollowJointTrajectory.Feedback(
            header=header(self._physics.now_s, ""),
            joint_names=[f"{self._robot_name}_joint{index + 1}" for index in range(len(zeros))],
            desired=_point(status.desired, status.velocity, moment),
            actual=_point(status.actual, zeros, moment),
            error=_point(-status.error, zeros, moment),
        )


def _tolerances(request: Any, names: Sequence[str], own: GoalTolerances) -> GoalTolerances:
    """Those of a goal, in the controller's order.

    Raises:
        MotionError: They name a joint that is not there (``wrong_joints``).
    """
    path, goal = own.path.copy(), own.goal.copy()
    for values, messages in ((path, request.path_tolerance), (goal, request.goal_tolerance)):
        for message in messages:
            if message.name not in names:
                raise MotionError(
                    "wrong_joints",
                    f"trajectory refused: a tolerance is for {message.name!r}; there are "
                    f"{', '.join(names)}",
                )
            if message.position != 0.0:
                allowed = message.position if message.position > 0.0 else np.inf
                values[names.index(message.name)] = allowed
    time_s = seconds(request.goal_time_tolerance)
    return GoalTolerances(
        path=path,
        goal=goal,
        settle_timeout_s=own.settle_timeout_s if time_s == 0.0 else max(time_s, 0.0) or np.inf,
    )


def _check_stamp(message: Any, trajectory: Trajectory, *, now_s: float) -> None:
    """Refuse what would have ended already; a start in the past or future means now."""
    stamp_s = seconds(message.header.stamp)
    if stamp_s > 0.0 and stamp_s + trajectory.duration < now_s:
        raise MotionError(
            "old_stamp",
            f"trajectory refused: it would have ended {now_s - stamp_s - trajectory.duration:.2f} "
            "s ago",
        )


def _wait_for_cancelling(handle: Any) -> None:
    """Let rclpy take over the goal's state: it does so only after the cancel callback."""
    deadline = time.monotonic() + _CANCEL_GRACE_S
    pause = threading.Event()
    while not handle.is_cancel_requested and time.monotonic() < deadline:
        pause.wait(0.002)


def _end(handle: Any, *, is_success: bool) -> None:
    """Put the goal into its final state."""
    if is_success:
        handle.succeed()
    elif handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()


def _result(code: int, text: str) -> Any:
    return Result(error_code=int(code), error_string=text)


def _point(positions: Any, velocities: Any, moment: Any) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=positions.tolist(), velocities=velocities.tolist(), time_from_start=moment
    )
