"""Pick and place without agents: shows that a task can be done by the robot it is made for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from malmm_ros.errors import MalmmError
from malmm_ros.geometry import Pose, Vector3, vector3, wrap_angle
from malmm_ros.robots.robot import MotionResult, Robot
from malmm_ros.scene import SceneObject

# The fingers close on what is narrower.
_WIDEST = 0.075
# The tool point stays this near to an object's top, for the palm, and above its bottom.
_BELOW_TOP = 0.035
_ABOVE_BOTTOM = 0.010
# Turns of the hand that are tried with what may stand at any yaw.
_TURNS = (0.0, 0.5, -0.5, 1.0, -1.0, 1.57)

Waypoint = tuple[Vector3, float]
"""Position of the tool point and yaw."""


class ScriptError(MalmmError):
    """A command of a script failed; its message says why."""


class Script:
    """Commands a robot and insists that each command succeeds.

    Attributes:
        robot: What it commands.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    def find(self, name: str) -> SceneObject:
        """An object as it is sensed now."""
        item = self.robot.observe().find(name)
        if item is None:
            raise ScriptError(f"{name} is not in the scene")
        return item

    def move(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Move the tool point, hand pointing down."""
        result = self.robot.execute_trajectory(position, yaw)
        if not result.is_success:
            raise ScriptError(f"to {np.round(position, 3)}, yaw {yaw:.2f}: {result.message}")
        return result

    def pick(self, name: str, *, lift: float = 0.12) -> None:
        """Take an object, by its proposed grasp or across its middle, and lift it."""
        position, yaw = self._descend(_grasps(self.find(name)), above=lift)
        result = self.robot.close_gripper(name)
        if not result.is_success:
            raise ScriptError(f"grasp of {name}: {result.message}")
        self.move(_raised(position, lift), yaw)

    def place(
        self,
        name: str,
        target: Sequence[float],
        *,
        yaws: Sequence[float] = (),
        above: float = 0.06,
    ) -> None:
        """Let go of the held object where its centre is at a place.

        Args:
            name: What the hand holds.
            target: ``(3,)``, world frame.
            yaws: Those that the object may have there; empty: any.
            above: Height over the place from which the hand comes and to which it goes.
        """
        scene = self.robot.observe()
        item, tcp = self.find(name), scene.gripper.tcp
        turns = [wrap_angle(yaw - item.pose.yaw) for yaw in yaws] or list(_TURNS)
        waypoints = [_placing(item.pose, tcp, target, turn) for turn in turns]
        waypoints.sort(key=lambda waypoint: abs(wrap_angle(waypoint[1], math.pi)))
        position, yaw = self._descend(waypoints, above=above)
        result = self.robot.open_gripper()
        if not result.is_success:
            raise ScriptError(f"release of {name}: {result.message}")
        self.move(_raised(position, above), yaw)

    def _descend(self, waypoints: Sequence[Waypoint], *, above: float) -> Waypoint:
        """Go down to the first waypoint that can be reached from above."""
        problem = ScriptError("the object is too wide for the hand")
        for position, yaw in waypoints:
            try:
                self.move(_raised(position, above), yaw)
                self.move(position, yaw)
            except ScriptError as error:
                problem = error
            else:
                return position, yaw
        raise problem


def _raised(position: Vector3, height: float) -> Vector3:
    return (position[0], position[1], position[2] + height)


def _grasps(item: SceneObject) -> list[Waypoint]:
    """Ways to take an object; each with the hand turned round too, at the end."""
    x, y, z = item.pose.position
    height = max(z, item.top_z - _BELOW_TOP, item.bottom_z + _ABOVE_BOTTOM)
    width, length, _ = item.size
    if item.yaw_symmetry == 0:
        yaws = list(_TURNS) if width <= _WIDEST else []
    else:
        yaws = [item.pose.yaw] if length <= _WIDEST else []
        yaws += [item.pose.yaw + 0.5 * math.pi] if width <= _WIDEST else []
    waypoints = [((x, y, height), wrap_angle(yaw, math.pi)) for yaw in yaws]
    waypoints.sort(key=lambda waypoint: abs(waypoint[1]))
    if item.grasp is not None:
        waypoints = [(item.grasp.position, wrap_angle(item.grasp.yaw, math.pi)), *waypoints]
    return waypoints + [(position, wrap_angle(yaw + math.pi)) for position, yaw in waypoints]


def _placing(item: Pose, tcp: Pose, target: Sequence[float], turn: float) -> Waypoint:
    """Tool pose that brings a held object to a place once the hand has turned."""
    rotation = Pose.from_yaw((0.0, 0.0, 0.0), turn)
    offset = rotation.apply(np.array([np.subtract(tcp.position, item.position)]))[0]
    return vector3(np.asarray(target) + offset), wrap_angle(tcp.yaw + turn)
