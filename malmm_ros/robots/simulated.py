"""The in-process robot: a simulated world driven directly, as fast as the machine allows."""

from __future__ import annotations

from typing import Any

from malmm_ros.backends import load_backend
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import MotionError
from malmm_ros.motion import PLANNERS
from malmm_ros.motion.planner import MotionPlanner
from malmm_ros.robots.driver import DriveResult, GripReading
from malmm_ros.robots.planned import PlannedRobot, RobotConfig
from malmm_ros.scene import Scene
from malmm_ros.simulation import World
from malmm_ros.trajectory import JointState, Trajectory

_SLACK_S = 3.0  # simulated; the controller itself gives up earlier
_GRIP_TIMEOUT_S = 3.0


class SimulationDriver:
    """Drives one arm of a world; steps the world while something moves."""

    def __init__(self, world: World, *, robot_name: str = "panda") -> None:
        self._world = world
        self._robot_name = robot_name

    def joint_state(self) -> JointState:
        """Arm joints now."""
        return self._world.joint_state(self._robot_name)

    def gripper_width(self) -> float:
        """Full opening now, metres."""
        return self._world.gripper_width(self._robot_name)

    def follow(self, trajectory: Trajectory, cancel: CancelToken) -> DriveResult:
        """Track a trajectory to its end in simulated time."""
        controller = self._world.arm(self._robot_name).controller
        try:
            controller.start(trajectory)
        except MotionError as error:
            return DriveResult(is_success=False, reason="rejected", message=str(error))
        if cancel.is_cancelled:  # set since it was last looked at: nobody else brakes then
            controller.cancel()
        timeout_s = trajectory.duration + _SLACK_S
        self._world.step_until(lambda: not controller.is_active, timeout_s)
        status = controller.status
        if status.state == "succeeded":
            return DriveResult(is_success=True)
        is_cancelled = status.state == "cancelled"
        return DriveResult(
            is_success=False,
            reason="cancelled" if is_cancelled else "controller",
            message=status.message or f"the arm's controller is {status.state}",
        )

    def grip(self, width: float, cancel: CancelToken) -> GripReading:
        """Drive the fingers until they arrive or stall."""
        gripper = self._world.arm(self._robot_name).gripper
        if not cancel.is_cancelled:
            gripper.command(width)
        if cancel.is_cancelled:
            gripper.cancel()
        self._world.step_until(lambda: not gripper.is_active, _GRIP_TIMEOUT_S)
        status = gripper.status
        if cancel.is_cancelled:
            return GripReading(
                width=status.width,
                is_stalled=False,
                is_success=False,
                reason="cancelled",
                message=f"{cancel.reason}; the fingers stay at {status.width:.3f} m",
            )
        return GripReading(width=status.width, is_stalled=status.is_stalled)

    def stop(self) -> None:
        """Brake at once; from any thread."""
        arm = self._world.arm(self._robot_name)
        arm.controller.cancel()
        arm.gripper.cancel()


class StateScenes:
    """Scenes straight from the simulator's state."""

    def __init__(self, world: World, *, robot_name: str = "panda") -> None:
        self._world = world
        self._robot_name = robot_name

    def observe(self) -> Scene:
        """Let things settle, then read them."""
        self._world.settle()
        return self._world.ground_truth(self._robot_name)


def simulated_robot(
    world: World,
    *,
    planner: str = "roboplan",
    planner_config: Any = None,
    config: RobotConfig | None = None,
    robot_name: str = "panda",
) -> PlannedRobot:
    """Put a planner and the driver of a loaded world together.

    Args:
        world: Reset to a task; after another reset, make the robot anew.
        planner: Name in ``PLANNERS``.
        planner_config: The planner's own settings; ``None`` for its defaults.
        config: Of routes and grasps.
        robot_name: Which arm of the world.
    """
    backend: MotionPlanner = load_backend("motion planner", planner, PLANNERS)(planner_config)
    return PlannedRobot(
        backend,
        SimulationDriver(world, robot_name=robot_name),
        StateScenes(world, robot_name=robot_name),
        config=config,
    )
