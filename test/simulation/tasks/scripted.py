"""Pick and place through the same robot that agents command, without any agents."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from malmm_ros.geometry import wrap_angle
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots import PlannedRobot
from malmm_ros.robots.robot import MotionResult
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld


class ScriptError(AssertionError):
    """A command failed; its message says why."""


@functools.cache
def _planner() -> RoboplanPlanner:
    return RoboplanPlanner()


class Script:
    """Commands a robot and insists that each command succeeds."""

    def __init__(self, task: str, seed: int, **options: object) -> None:
        self.world = MujocoWorld()
        self.world.reset(task, seed, options=options)
        self.robot = PlannedRobot(
            _planner(), SimulationDriver(self.world), StateScenes(self.world)
        )

    def find(self, name: str) -> SceneObject:
        item = self.robot.observe().find(name)
        assert item is not None, name
        return item

    def move(self, position: Sequence[float], yaw: float) -> MotionResult:
        result = self.robot.execute_trajectory(position, yaw)
        if not result.is_success:
            raise ScriptError(f"to {np.round(position, 3)}, yaw {yaw:.2f}: {result.message}")
        return result

    def first_of(self, options: list[tuple[Sequence[float], float]]) -> tuple[float, ...]:
        """Go to the first that works."""
        problem: ScriptError | None = None
        for position, yaw in options:
            try:
                self.move(position, yaw)
            except ScriptError as error:
                problem = error
            else:
                return (*position, yaw)
        raise problem or ScriptError("no options")

    def pick(self, name: str, *, lift: float = 0.12) -> None:
        item = self.find(name)
        options = _grasps(item)
        problem: ScriptError | None = None
        for (x, y, z), yaw in options:
            try:
                self.move((x, y, z + lift), yaw)
                self.move((x, y, z), yaw)
                break
            except ScriptError as error:
                problem = error
        else:
            raise problem or ScriptError("no grasp")
        result = self.robot.close_gripper(name)
        if not result.is_success:
            raise ScriptError(f"grasp of {name}: {result.message}")
        self.move((x, y, z + lift), yaw)

    def place(
        self,
        name: str,
        target: Sequence[float],
        *,
        yaws: Sequence[float] = (),
        above: float = 0.06,
    ) -> None:
        """Bring the held object's centre to a place, at one of some yaws of the object."""
        scene = self.robot.observe()
        item = scene.find(name)
        assert item is not None
        tcp = scene.gripper.tcp
        relative = item.pose.yaw - tcp.yaw
        tool_yaws = [wrap_angle(yaw - relative) for yaw in yaws] or [
            tcp.yaw + turn for turn in (0.0, 0.5, -0.5, 1.0, -1.0, 1.57)
        ]
        offset = np.subtract(item.pose.position, tcp.position)
        problem: ScriptError | None = None
        for yaw in sorted(tool_yaws, key=lambda yaw: abs(wrap_angle(yaw, math.pi))):
            turn = yaw - tcp.yaw
            c, s = math.cos(turn), math.sin(turn)
            shift = np.array(
                (c * offset[0] - s * offset[1], s * offset[0] + c * offset[1], offset[2])
            )
            goal = np.asarray(target) - shift
            over = (*goal[:2], goal[2] + above)
            try:
                self.move(over, yaw)
                self.move(goal, yaw)
                break
            except ScriptError as error:
                problem = error
        else:
            raise problem or ScriptError("no yaws")
        result = self.robot.open_gripper()
        if not result.is_success:
            raise ScriptError(result.message)
        self.move(over, yaw)

    def succeeds(self) -> None:
        self.world.settle()
        is_success, message = self.world.success()
        if not is_success:
            raise ScriptError(message)


def _grasps(item: SceneObject) -> list[tuple[tuple[float, float, float], float]]:
    x, y, z = item.pose.position
    height = max(z, item.top_z - 0.035, item.bottom_z + 0.010)
    width, length, _ = item.size
    yaws = []
    if item.yaw_symmetry == 0:
        yaws = [0.0, 0.8, -0.8, 1.57]
    else:
        yaws += [item.pose.yaw] * (length <= 0.075) + [item.pose.yaw + 0.5 * math.pi] * (
            width <= 0.075
        )
    options = [((x, y, height), wrap_angle(yaw, math.pi)) for yaw in yaws]
    options.sort(key=lambda option: abs(option[1]))
    if item.grasp is not None:
        options = [(item.grasp.position, wrap_angle(item.grasp.yaw, math.pi)), *options]
    return options + [(position, wrap_angle(yaw + math.pi)) for position, yaw in options]
