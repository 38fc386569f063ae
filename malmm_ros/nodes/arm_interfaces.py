"""What carries an arm's trajectory out: its controller, or move_group in front of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from malmm_ros.cancellation import CancelToken
from malmm_ros.motion.moveit_codes import PREEMPTED, SUCCESS, describe_code
from malmm_ros.nodes.conversions import trajectory_message
from malmm_ros.nodes.goal_client import GoalClient, GoalOutcome
from malmm_ros.robots.driver import DriveResult
from malmm_ros.trajectory import Trajectory

_Result = FollowJointTrajectory.Result
_CODES = {
    _Result.INVALID_GOAL: ("controller", "the goal is not valid"),
    _Result.INVALID_JOINTS: ("controller", "the joints are not the controller's"),
    _Result.OLD_HEADER_TIMESTAMP: ("controller", "the trajectory's stamp is too old"),
    _Result.PATH_TOLERANCE_VIOLATED: ("tolerance", "the arm left its path"),
    _Result.GOAL_TOLERANCE_VIOLATED: ("tolerance", "the arm did not reach the end"),
}
_HALT_PERIOD_S = 0.05


class ArmInterface(Protocol):
    """Carries trajectories out; calls block until they have ended."""

    def run(
        self,
        trajectory: Trajectory,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> DriveResult:
        """Follow a trajectory; see :class:`malmm_ros.nodes.goal_client.GoalClient`."""
        ...

    def stop(self) -> None:
        """Brake what we have sent; from any thread, without waiting."""
        ...


class CancelAll:
    """Cancels every goal of an action server, whoever sent it.

    Args:
        node: Ours.
        action: The server's name.

    Attributes:
        action: As given.
    """

    def __init__(self, node: Node, action: str) -> None:
        self.action = action
        self._client: Any = node.create_client(
            CancelGoal, f"{action}/_action/cancel_goal", callback_group=ReentrantCallbackGroup()
        )
        self._lock = threading.Lock()
        self._asked: Any = None

    def is_ready(self) -> bool:
        """Whether the server is there."""
        return bool(self._client.service_is_ready())

    def send(self) -> None:
        """Ask, without waiting, as often as you like; a server that is not there has no goals."""
        with self._lock:
            if self._asked is not None and not self._asked.done():
                self._client.remove_pending_request(self._asked)
            # No id and no stamp stand for all goals.
            request = CancelGoal.Request()
            self._asked = self._client.call_async(request) if self.is_ready() else None


class FollowInterface:
    """A controller that offers control_msgs/FollowJointTrajectory."""

    def __init__(self, client: GoalClient) -> None:
        self._client = client

    def run(
        self,
        trajectory: Trajectory,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> DriveResult:
        goal = FollowJointTrajectory.Goal(trajectory=trajectory_message(trajectory))
        outcome = self._client.run(goal, timeout_s=timeout_s, cancel=cancel, check=check)
        ended = _early_end(outcome, cancel, "the arm's controller")
        if ended is not None:
            return ended
        code, text = outcome.result.error_code, outcome.result.error_string
        if outcome.has_succeeded and code == _Result.SUCCESSFUL:
            return DriveResult(is_success=True)
        reason, words = _CODES.get(code, ("controller", f"error code {code}"))
        if code == _Result.SUCCESSFUL:  # aborted without a reason
            words = f"goal status {outcome.status}"
        return failed_drive(reason, f"the arm's controller stopped: {text or words}")

    def stop(self) -> None:
        self._client.cancel()


class MoveGroupInterface:
    """move_group, which sends the trajectory to the controllers that it knows.

    move_group takes a cancellation of this action and does nothing (MoveIt 2.5 to 2.14): what
    stops it is the word on its event topic, and only while it executes already.

    Args:
        node: Ours.
        client: Of moveit_msgs/ExecuteTrajectory.
    """

    def __init__(self, node: Node, client: GoalClient) -> None:
        self._client = client
        self._events = node.create_publisher(String, "trajectory_execution_event", 10)
        self._halted_at = 0.0

    def run(
        self,
        trajectory: Trajectory,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> DriveResult:
        from moveit_msgs.action import ExecuteTrajectory

        def check_and_halt() -> None:
            if cancel.is_cancelled:
                self._halt_again()
            check()

        goal = ExecuteTrajectory.Goal()
        goal.trajectory.joint_trajectory = trajectory_message(trajectory)
        outcome = self._client.run(goal, timeout_s=timeout_s, cancel=cancel, check=check_and_halt)
        ended = _early_end(outcome, cancel, "move_group")
        if ended is not None:
            return ended
        error = outcome.result.error_code
        if outcome.has_succeeded and error.val == SUCCESS:
            return DriveResult(is_success=True)
        if error.val == PREEMPTED:
            return failed_drive("cancelled", "somebody stopped move_group; the arm holds")
        words = describe_code(error.val)
        detail = getattr(error, "message", "") or words.text
        return failed_drive("controller", f"move_group stopped: {detail} ({words.name})")

    def stop(self) -> None:
        self._events.publish(String(data="stop"))
        self._client.cancel()

    def _halt_again(self) -> None:
        """Until the result is there: a word that came before the execution was lost."""
        if time.monotonic() - self._halted_at > _HALT_PERIOD_S:
            self._halted_at = time.monotonic()
            self._events.publish(String(data="stop"))


def failed_drive(reason: str, message: str) -> DriveResult:
    """A motion that did not end well."""
    return DriveResult(is_success=False, reason=reason, message=message)


def _early_end(outcome: GoalOutcome, cancel: CancelToken, who: str) -> DriveResult | None:
    """A goal that was rejected or cancelled; ``None`` when it ended by itself."""
    if outcome.is_rejected:
        return failed_drive("rejected", f"{who} rejected the trajectory")
    if outcome.is_canceled or cancel.is_cancelled:
        by = cancel.reason or "cancelled by another client of the controller"
        return failed_drive("cancelled", f"{by}; the arm brakes and holds")
    return None
