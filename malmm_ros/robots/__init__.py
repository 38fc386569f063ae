"""Robots that agents command: a planner, a driver and a scene source."""

from malmm_ros.robots.driver import Driver, DriveResult, GripReading, SceneSource
from malmm_ros.robots.planned import PlannedRobot, RehearsedRobot, RobotConfig
from malmm_ros.robots.robot import GripResult, MotionResult, Robot

__all__ = [
    "DriveResult",
    "Driver",
    "GripReading",
    "GripResult",
    "MotionResult",
    "PlannedRobot",
    "RehearsedRobot",
    "Robot",
    "RobotConfig",
    "SceneSource",
]
