"""What moves the fingers: gripper actions of ros2_controllers, or those of Franka's own node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from control_msgs.action import GripperCommand, ParallelGripperCommand

from malmm_ros.cancellation import CancelToken
from malmm_ros.nodes.goal_client import GoalClient, GoalOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOutcome:
    """How a command of the fingers ended; their opening is read from the joint states.

    Attributes:
        reason: Empty when it ended by itself, well or by a stall.
        has_arrived: The hand says that the commanded opening was reached.
        is_stalled: The hand says that the fingers stopped on something.
    """

    reason: str = ""
    message: str = ""
    has_arrived: bool = False
    is_stalled: bool = False


class HandInterface(Protocol):
    """Moves the fingers; calls block until they stand."""

    def run(
        self,
        width: float,
        present: float,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> HandOutcome:
        """Drive to a full opening (metres) or until the fingers stall, from a present one."""
        ...

    def stop(self) -> None:
        """Stop the fingers; from any thread, without waiting."""
        ...


class GripperActionInterface:
    """An action of ros2_controllers for grippers, whose result says how the fingers stand.

    Args:
        client: Of the action.
        make_goal: From a full opening, metres, to the action's goal.
    """

    def __init__(self, client: GoalClient, make_goal: Callable[[float], Any]) -> None:
        self._client, self._make_goal = client, make_goal

    def run(
        self,
        width: float,
        present: float,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> HandOutcome:
        goal = self._make_goal(width)
        outcome = self._client.run(goal, timeout_s=timeout_s, cancel=cancel, check=check)
        return _judge(outcome, cancel)

    def stop(self) -> None:
        self._client.cancel()


def gripper_command_goal(width: float, *, factor: float, max_effort: float) -> Any:
    """A goal of control_msgs/GripperCommand.

    Args:
        width: Full opening, metres.
        factor: From a full opening to the action's position.
        max_effort: Newtons.
    """
    goal = GripperCommand.Goal()
    goal.command.position = factor * width
    goal.command.max_effort = max_effort
    return goal


def parallel_gripper_goal(width: float, *, joint: str, factor: float, max_effort: float) -> Any:
    """A goal of control_msgs/ParallelGripperCommand, GripperCommand's successor.

    Args:
        width: Full opening, metres.
        joint: The joint that is commanded.
        factor: From a full opening to the joint's position.
        max_effort: Newtons.
    """
    goal = ParallelGripperCommand.Goal()
    goal.command.name = [joint]
    goal.command.position = [factor * width]
    goal.command.effort = [max_effort]
    return goal


class FrankaInterface:
    """franka_msgs/Grasp to close and franka_msgs/Move to open.

    Its verdict of a grasp depends on an expected width and is not used: a good grasp counts as
    failed when the width differs by more than an epsilon.

    Args:
        move: Client of the action ``move``.
        grasp: Client of the action ``grasp``.
        speed: Gives the fingers' speed for the next command, m/s.
        force: Newtons.
        epsilon: From the commanded width, within which a grasp counts as one, metres.
    """

    def __init__(
        self,
        move: GoalClient,
        grasp: GoalClient,
        *,
        speed: Callable[[], float],
        force: float,
        epsilon: float,
    ) -> None:
        self._move, self._grasp = move, grasp
        self._speed, self._force, self._epsilon = speed, force, epsilon

    def run(
        self,
        width: float,
        present: float,
        cancel: CancelToken,
        *,
        timeout_s: float,
        check: Callable[[], None],
    ) -> HandOutcome:
        closes = width < present
        client, goal = (self._grasp, self._grasp_goal(width)) if closes else self._opening(width)
        outcome = client.run(goal, timeout_s=timeout_s, cancel=cancel, check=check)
        ended = _early_end(outcome, cancel)
        if ended is not None:
            return ended
        result = outcome.result
        if outcome.has_succeeded and result.success:
            # A grasp succeeds on an object, a move at its width; the fingers' width tells.
            return HandOutcome(has_arrived=not closes)
        if closes and not result.error:
            return HandOutcome()  # nothing within epsilon: the width tells what there is
        return HandOutcome(
            reason="controller",
            message=f"the hand gave up: {result.error or f'goal status {outcome.status}'}",
        )

    def stop(self) -> None:
        self._move.cancel()
        self._grasp.cancel()

    def _opening(self, width: float) -> tuple[GoalClient, Any]:
        from franka_msgs.action import Move

        return self._move, Move.Goal(width=width, speed=self._speed())

    def _grasp_goal(self, width: float) -> Any:
        from franka_msgs.action import Grasp

        goal = Grasp.Goal(width=width, speed=self._speed(), force=self._force)
        goal.epsilon.inner = goal.epsilon.outer = self._epsilon
        return goal


def _judge(outcome: GoalOutcome, cancel: CancelToken) -> HandOutcome:
    """Read a result with ``stalled`` and ``reached_goal``."""
    ended = _early_end(outcome, cancel)
    if ended is not None:
        return ended
    result = outcome.result
    # ros2_controllers abort a goal on a stall unless told otherwise, and still fill it in.
    if outcome.has_succeeded or result.stalled:
        return HandOutcome(has_arrived=result.reached_goal, is_stalled=result.stalled)
    return HandOutcome(
        reason="controller",
        message=f"the hand's controller gave up (goal status {outcome.status})",
    )


def _early_end(outcome: GoalOutcome, cancel: CancelToken) -> HandOutcome | None:
    if outcome.is_rejected:
        return HandOutcome(reason="rejected", message="the hand's controller rejected the command")
    if outcome.is_canceled or cancel.is_cancelled:
        by = cancel.reason or "cancelled by another client of the controller"
        return HandOutcome(reason="cancelled", message=f"{by}; the fingers stay where they are")
    return None
