"""A robot whose bugs end a task cleanly instead of leaving the team."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from malmm_ros.errors import MalmmError
from malmm_ros.robots.robot import GripResult, MotionResult, Robot
from malmm_ros.scene import Scene

ResultT = TypeVar("ResultT")


class RobotFailedError(MalmmError):
    """A robot, its planner or its scene source raised what its contract does not name."""


class GuardedRobot:
    """Passes everything on; an unexpected exception becomes :class:`RobotFailedError`."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def observe(self) -> Scene:
        return _guard(self._robot.observe)

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        return _guard(lambda: self._robot.execute_trajectory(position, yaw))

    def open_gripper(self) -> GripResult:
        return _guard(self._robot.open_gripper)

    def close_gripper(self, object_name: str) -> GripResult:
        return _guard(lambda: self._robot.close_gripper(object_name))

    def rehearse(self) -> Robot:
        return GuardedRobot(_guard(self._robot.rehearse))

    def stop(self) -> None:
        self._robot.stop()


def _guard(work: Callable[[], ResultT]) -> ResultT:
    try:
        return work()
    except MalmmError:
        raise
    except Exception as error:
        raise RobotFailedError(f"{type(error).__name__}: {error}") from error
