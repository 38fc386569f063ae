"""``panda_hand_controller/gripper_cmd``, as ros2_controllers' grippers offer it."""

from __future__ import annotations

import threading
from typing import Any, Literal

from control_msgs.action import GripperCommand
from rclpy.action.server import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.errors import MalmmError
from malmm_ros.nodes.simulator.goals import AcceptedGoals, GoalWatch, WatchedGoal
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import World
from malmm_ros.simulation.gripper import GripperStatus

_FEEDBACK_PERIOD_S = 0.05


class GripperAction:
    """Serves openings with the world's gripper controller.

    A stall is a success: for a gripper that closes on something it is what is wanted.

    Args:
        node: Ours.
        robot_name: The arm; also the first part of the action's name.
        physics: Owns the world.
        watch: Finds out when goals end.
        position: Whether a goal's position is half or the full opening.
    """

    def __init__(
        self,
        node: Node,
        robot_name: str,
        *,
        physics: PhysicsThread,
        watch: GoalWatch,
        position: Literal["half", "full"],
    ) -> None:
        self._node, self._robot_name = node, robot_name
        self._physics, self._watch = physics, watch
        self._width_per_position = 2.0 if position == "half" else 1.0
        self._closing = threading.Event()
        self._accepted = AcceptedGoals(physics)
        self._server = ActionServer(
            node,
            GripperCommand,
            f"{robot_name}_hand_controller/gripper_cmd",
            execute_callback=self._execute,
            goal_callback=self._accepted.accept,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    def close(self) -> None:
        """Give every waiting client its result; what is held stays held."""
        self._closing.set()

    def _execute(self, handle: Any) -> Any:
        try:
            goal = self._start(handle.request)
        except MalmmError as error:
            self._node.get_logger().warning(f"gripper: {error}")
            handle.abort()
            return GripperCommand.Result()
        while not goal.ended.wait(_FEEDBACK_PERIOD_S) and not self._closing.is_set():
            if handle.is_cancel_requested:
                self._physics.post(lambda world: self._stop(world, goal.number))
            handle.publish_feedback(self._report(GripperCommand.Feedback(), goal.status))
        return self._finish(handle, goal)

    def _start(self, request: Any) -> WatchedGoal[GripperStatus]:
        generation = self._accepted.take(request)
        width = request.command.position * self._width_per_position

        def start(world: World) -> WatchedGoal[GripperStatus]:
            gripper = world.arm(self._robot_name).gripper
            number = gripper.command(width, request.command.max_effort or None)
            goal = WatchedGoal(
                number,
                generation,
                lambda now: now.arm(self._robot_name).gripper.status,
                gripper.status,
            )
            self._watch.add(goal)
            return goal

        return self._accepted.begin(generation, start)

    def _stop(self, world: World, number: int) -> None:
        gripper = world.arm(self._robot_name).gripper
        if gripper.status.goal == number:
            gripper.cancel()

    def _finish(self, handle: Any, goal: WatchedGoal[GripperStatus]) -> Any:
        if goal.ended.is_set() and not goal.lost and goal.status.state in ("reached", "stalled"):
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return self._report(GripperCommand.Result(), goal.status)

    def _report(self, message: Any, status: GripperStatus) -> Any:
        message.position = status.width / self._width_per_position
        message.effort = status.force
        message.stalled = status.is_stalled
        message.reached_goal = status.state == "reached"
        return message
