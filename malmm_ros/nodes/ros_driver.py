"""The arm behind controllers: FollowJointTrajectory, GripperCommand and joint states."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action.client import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState as JointStateMessage

from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import NodeDiedError
from malmm_ros.models import arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import joint_state_value, seconds, trajectory_message
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.robots.driver import DriveResult, GripReading
from malmm_ros.trajectory import JointState, Trajectory

_SILENCE_S = 5.0  # wall time to wait for joint states that are not there at all


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """Where the controllers are and how they count.

    Attributes:
        arm_action: Name of the control_msgs/FollowJointTrajectory action.
        gripper_action: Name of the control_msgs/GripperCommand action.
        gripper_position: Whether that action's position is half or all of the opening.
        max_effort: Grip force, newtons.
        server_timeout_s: Wall time for a server to appear, and to take a goal; a dead one is
            noticed by its lease long before.
        slack_s: Wall time that a motion may take beyond ten times its own duration.
        stale_s: Joint states older than this (wall time) count as silent.
    """

    arm_action: str = "panda_arm_controller/follow_joint_trajectory"
    gripper_action: str = "panda_hand_controller/gripper_cmd"
    gripper_position: Literal["half", "full"] = "half"
    max_effort: float = 40.0
    server_timeout_s: float = 30.0
    slack_s: float = 20.0
    stale_s: float = 1.0

    def __post_init__(self) -> None:
        for name in ("max_effort", "server_timeout_s", "slack_s", "stale_s"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")


class RosDriver:
    """Drives the joints through controllers; the executor must spin in other threads.

    Args:
        node: Ours.
        watch: A lost node of ``needed`` ends a wait.
        needed: Names of the nodes behind the controllers.
        robot_name: Prefix of the joints.
        config: Names and times.
    """

    def __init__(
        self,
        node: Node,
        *,
        watch: NodeWatch,
        needed: tuple[str, ...],
        robot_name: str,
        config: ControllerConfig,
    ) -> None:
        self._node, self._watch, self._needed, self._config = node, watch, needed, config
        self._joints = arm_joint_names(robot_name)
        self._fingers = finger_joint_names(robot_name)
        self._arrived = threading.Condition()
        self._state: JointState | None = None
        self._stamp_s = 0.0
        self._received_at = float("-inf")
        group = ReentrantCallbackGroup()
        self._subscription = node.create_subscription(
            JointStateMessage, "joint_states", self._receive, 10, callback_group=group
        )
        self._arm = GoalClient(
            ActionClient(node, FollowJointTrajectory, config.arm_action, callback_group=group),
            watch=watch,
            needed=needed,
            what=config.arm_action,
            accept_timeout_s=config.server_timeout_s,
        )
        self._hand = GoalClient(
            ActionClient(node, GripperCommand, config.gripper_action, callback_group=group),
            watch=watch,
            needed=needed,
            what=config.gripper_action,
            accept_timeout_s=config.server_timeout_s,
        )

    def joint_state(self) -> JointState:
        """Arm joints, sensed after the last motion where the clock still runs.

        Raises:
            NodeDiedError: Joint states are silent.
        """
        return self._fresh_state().select(self._joints)

    def gripper_width(self) -> float:
        """Full opening now, metres."""
        fingers = self._fresh_state().select(self._fingers)
        return float(np.clip(fingers.positions, 0.0, None).sum())

    def follow(self, trajectory: Trajectory, cancel: CancelToken) -> DriveResult:
        """Send a trajectory to the arm's controller and wait for its end."""
        goal = FollowJointTrajectory.Goal(trajectory=trajectory_message(trajectory))
        timeout_s = 10.0 * trajectory.duration + self._config.slack_s
        outcome = self._arm.run(goal, timeout_s=timeout_s, cancel=cancel)
        if outcome.is_rejected:
            return _failed_drive("rejected", "the arm's controller rejected the trajectory")
        if outcome.is_canceled or cancel.is_cancelled:
            by = cancel.reason or "cancelled by another client of the controller"
            return _failed_drive("cancelled", f"{by}; the arm brakes and holds")
        code, text = outcome.result.error_code, outcome.result.error_string
        if not outcome.has_succeeded or code != FollowJointTrajectory.Result.SUCCESSFUL:
            text = text or f"goal status {outcome.status}, error code {code}"
            return _failed_drive("controller", f"the arm's controller stopped: {text}")
        return DriveResult(is_success=True)

    def grip(self, width: float, cancel: CancelToken) -> GripReading:
        """Drive the fingers to a full opening or until they stall."""
        factor = 0.5 if self._config.gripper_position == "half" else 1.0
        goal = GripperCommand.Goal()
        goal.command.position = factor * width
        goal.command.max_effort = self._config.max_effort
        outcome = self._hand.run(goal, timeout_s=self._config.slack_s, cancel=cancel)
        if outcome.is_rejected:
            return self._failed_grip("rejected", "the hand's controller rejected the command")
        if outcome.is_canceled or cancel.is_cancelled:
            by = cancel.reason or "cancelled by another client of the controller"
            return self._failed_grip("cancelled", f"{by}; the fingers stay where they are")
        result = outcome.result
        # ros2_controllers abort a goal on a stall unless told otherwise, and still fill it in.
        if not outcome.has_succeeded and not result.stalled:
            return self._failed_grip(
                "controller", f"the hand's controller gave up (goal status {outcome.status})"
            )
        return GripReading(width=float(result.position) / factor, is_stalled=bool(result.stalled))

    def stop(self) -> None:
        """Cancel what runs: the controllers brake and hold. From any thread."""
        self._arm.cancel()
        self._hand.cancel()

    def _receive(self, message: JointStateMessage) -> None:
        state = joint_state_value(message)
        with self._arrived:
            self._state, self._stamp_s = state, seconds(message.header.stamp)
            self._received_at = time.monotonic()
            self._arrived.notify_all()

    def _fresh_state(self) -> JointState:
        """A state sensed from now on: where the arm stood before a motion's end is no start."""
        after_s = seconds(self._node.get_clock().now().to_msg())
        with self._arrived:
            # A controller that has just come back takes a moment to be heard.
            is_fresh = self._arrived.wait_for(
                lambda: (
                    self._state is not None
                    and self._stamp_s >= after_s
                    and self._age_s() < self._config.stale_s
                ),
                _SILENCE_S,
            )
            if self._state is None or not is_fresh:
                name = (self._watch.missing(self._needed) or self._needed)[0]
                raise NodeDiedError(
                    name, f"no fresh joint states for {_SILENCE_S:g} s; check node {name!r}"
                )
            return self._state

    def _age_s(self) -> float:
        """Wall time since the last joint state."""
        return time.monotonic() - self._received_at

    def _failed_grip(self, reason: str, message: str) -> GripReading:
        return GripReading(
            width=self.gripper_width(),
            is_stalled=False,
            is_success=False,
            reason=reason,
            message=message,
        )


def _failed_drive(reason: str, message: str) -> DriveResult:
    return DriveResult(is_success=False, reason=reason, message=message)
