"""An arm's and a hand's controllers without physics, which fail as they are told to."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from franka_msgs.action import Grasp, Move
from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import header, seconds, trajectory_value
from malmm_ros.trajectory import Trajectory

Result = FollowJointTrajectory.Result
_FAILURES = {
    "path_tolerance": Result.PATH_TOLERANCE_VIOLATED,
    "goal_tolerance": Result.GOAL_TOLERANCE_VIOLATED,
    "abort": Result.INVALID_GOAL,
    "preempt": Result.SUCCESSFUL,
}


class ControllerDouble(Node):
    """Follows trajectories in wall time; the fingers stop on an object of a width.

    Attributes:
        mode: ``follow``, ``reject``, ``hang`` or the name of a failure.
        hand_mode: ``follow``, ``reject`` or ``abort``; ``abort_on_stall`` as ros2_controllers do.
        object_width: Between the fingers, metres; 0 is nothing.
        states: ``whole``, ``parts``, ``silent``, ``stale``, ``broken``, ``armless``, or
            ``mimicless``: without the second finger.
        goals: Trajectories that were taken.
        hand_goals: Goals of the hand's actions.
        is_moving: Set while a trajectory is followed.
    """

    def __init__(self, *, hand: str = "gripper_command", **options: Any) -> None:
        super().__init__("controllers", **options)
        self.mode, self.hand_mode, self.states = "follow", "follow", "whole"
        self.object_width = 0.0
        self.positions = np.array(READY_POSITIONS)
        self.width = 0.08
        self.goals: list[Trajectory] = []
        self.hand_goals: list[Any] = []
        self.is_moving = threading.Event()
        self._group = ReentrantCallbackGroup()
        self._publisher = self.create_publisher(JointStateMessage, "joint_states", 10)
        self._timer = self.create_timer(
            0.01,
            self._publish,
            callback_group=self._group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._servers = [
            self._serve(FollowJointTrajectory, "arm/follow_joint_trajectory", self._follow)
        ]
        for kind, name, execute in (
            (GripperCommand, "hand/gripper_cmd", self._grip),
            (ParallelGripperCommand, "hand/parallel", self._grip_parallel),
            (Move, "franka/move", self._move),
            (Grasp, "franka/grasp", self._grasp),
        ):
            self._servers.append(self._serve(kind, name, execute, is_hand=True))

    def _serve(self, kind: Any, name: str, execute: Any, *, is_hand: bool = False) -> Any:
        def take(_goal: Any) -> GoalResponse:
            mode = self.hand_mode if is_hand else self.mode
            return GoalResponse.REJECT if mode == "reject" else GoalResponse.ACCEPT

        return ActionServer(
            self,
            kind,
            name,
            execute,
            callback_group=self._group,
            goal_callback=take,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def vanish(self) -> None:
        """Take the arm's action server away."""
        self._servers.pop(0).destroy()

    def _publish(self) -> None:
        if self.states == "silent":
            return
        arm = list(zip(arm_joint_names(), self.positions, strict=True))
        fingers = [(name, 0.5 * self.width) for name in finger_joint_names()]
        stamp_s = seconds(self.get_clock().now().to_msg())
        if self.states == "stale":
            stamp_s -= 30.0
        if self.states == "broken":
            self._publisher.publish(
                JointStateMessage(header=header(stamp_s, ""), name=["a", "b"], position=[0.0])
            )
            arm = [(name, float("nan")) for name, _ in arm]
        extra = [("elevator", 0.3)]
        if self.states == "armless":
            messages = [fingers]
        elif self.states == "mimicless":
            messages = [[*arm, fingers[0]]]
        elif self.states == "parts":
            messages = [arm, fingers]
        else:
            messages = [[*fingers[:1], *reversed(arm), *extra, *fingers[1:]]]
        for joints in messages:
            self._publisher.publish(
                JointStateMessage(
                    header=header(stamp_s, ""),
                    name=[name for name, _ in joints],
                    position=[float(value) for _, value in joints],
                )
            )

    def _follow(self, handle: Any) -> Any:
        trajectory = trajectory_value(handle.request.trajectory)
        self.goals.append(trajectory)
        mode = self.mode
        order = [trajectory.names.index(name) for name in arm_joint_names()]
        self.is_moving.set()
        started = time.monotonic()
        try:
            # Looked at again: who made it hang lets it go at the end, or its thread would stay.
            # What is to fail does so however late its thread gets its turn.
            while (
                (now := time.monotonic() - started) < trajectory.duration
                or self.mode == "hang"
                or mode in _FAILURES
            ):
                if handle.is_cancel_requested:
                    handle.canceled()
                    return Result(error_code=Result.SUCCESSFUL, error_string="stopped")
                if self.mode != "hang":
                    self.positions = trajectory.sample(now)[0][order]
                if mode in _FAILURES and now > 0.3 * trajectory.duration:
                    handle.abort()
                    return Result(error_code=_FAILURES[mode], error_string=f"told to {mode}")
                time.sleep(0.005)
        finally:
            self.is_moving.clear()
        self.positions = trajectory.positions[-1][order]
        handle.succeed()
        return Result(error_code=Result.SUCCESSFUL)

    def _drive(self, handle: Any, width: float) -> bool:
        """Move the fingers; whether they stopped on the object."""
        end = max(width, self.object_width) if width < self.width else width
        while abs(self.width - end) > 1e-6 and not handle.is_cancel_requested:
            self.width += float(np.clip(end - self.width, -0.004, 0.004))
            time.sleep(0.005)
        return end > width

    def _end_grip(self, handle: Any, *, is_stalled: bool) -> None:
        if handle.is_cancel_requested:
            handle.canceled()
        elif self.hand_mode == "abort" or (is_stalled and self.hand_mode == "abort_on_stall"):
            handle.abort()
        else:
            handle.succeed()

    def _grip(self, handle: Any) -> Any:
        command = handle.request.command
        self.hand_goals.append(command)
        is_stalled = self._drive(handle, 2.0 * command.position)
        self._end_grip(handle, is_stalled=is_stalled)
        told = is_stalled and self.hand_mode != "abort"
        return GripperCommand.Result(
            position=0.5 * self.width, stalled=told, reached_goal=not is_stalled
        )

    def _grip_parallel(self, handle: Any) -> Any:
        command = handle.request.command
        self.hand_goals.append(command)
        is_stalled = self._drive(handle, 2.0 * command.position[0])
        self._end_grip(handle, is_stalled=is_stalled)
        result = ParallelGripperCommand.Result(stalled=is_stalled, reached_goal=not is_stalled)
        result.state = JointStateMessage(name=list(command.name), position=[0.5 * self.width])
        return result

    def _move(self, handle: Any) -> Any:
        self.hand_goals.append(handle.request)
        self._drive(handle, handle.request.width)
        self._end_grip(handle, is_stalled=False)
        return Move.Result(
            success=self.hand_mode != "abort",
            error="libfranka: told to abort" if self.hand_mode == "abort" else "",
        )

    def _grasp(self, handle: Any) -> Any:
        """As libfranka: a grasp is good when the width is within epsilon of what was commanded."""
        goal = handle.request
        self.hand_goals.append(goal)
        self._drive(handle, goal.width)
        is_good = goal.width - goal.epsilon.inner < self.width < goal.width + goal.epsilon.outer
        is_good = is_good and self.hand_mode != "abort"
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            (handle.succeed if is_good else handle.abort)()
        return Grasp.Result(
            success=is_good,
            error="libfranka: told to abort" if self.hand_mode == "abort" else "",
        )


if __name__ == "__main__":
    from malmm_ros.nodes.runner import main

    main(ControllerDouble, arguments=sys.argv, threads=8)
