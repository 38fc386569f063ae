"""A robot made of a planner, a driver and a scene source; real and rehearsed alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down, vector3
from malmm_ros.motion.planner import MotionPlanner
from malmm_ros.robots.driver import Driver, GripReading, SceneSource
from malmm_ros.robots.grasp import GraspConfig, judge_grasp, refuse_unknown
from malmm_ros.robots.rehearsal import PlanCache, TwinWorld, moved_objects
from malmm_ros.robots.robot import GripResult, MotionResult
from malmm_ros.robots.route import RouteConfig, plan_route
from malmm_ros.scene import MAX_GRIPPER_WIDTH, Scene
from malmm_ros.trajectory import JointState, Trajectory

_MOVED = 0.01  # m; sensing noise of simulator state is far below, of vision about at this


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotConfig:
    """Settings of a planned robot."""

    route: RouteConfig = field(default_factory=RouteConfig)
    grasp: GraspConfig = field(default_factory=GraspConfig)


class PlannedRobot:
    """Plans each command in a fresh scene, drives it, and says what came of it.

    One thread commands it; :meth:`stop` may come from any thread.
    """

    def __init__(
        self,
        planner: MotionPlanner,
        driver: Driver,
        scenes: SceneSource,
        *,
        config: RobotConfig | None = None,
        plans: PlanCache | None = None,
        on_plan: Callable[[Trajectory], None] = lambda _trajectory: None,
    ) -> None:
        self._on_plan = on_plan
        self._planner = planner
        self._driver = driver
        self._scenes = scenes
        self._config = config or RobotConfig()
        self._plans = plans if plans is not None else PlanCache()
        self._held = ""
        self._held_width = 0.0

    @property
    def held_object(self) -> str:
        """Name of what the hand holds; empty when it is nothing."""
        return self._held

    def observe(self) -> Scene:
        """Sense the scene; what the hand holds is this robot's own verdict."""
        scene = self._scenes.observe()
        width = self._driver.gripper_width()
        gripper = replace(scene.gripper, width=width, is_open=width > 0.9 * MAX_GRIPPER_WIDTH)
        if self._held and scene.find(self._held) is None:
            self._held = ""
        return replace(scene, gripper=gripper).with_held(self._held)

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Move the tool point, hand pointing down; see :class:`Robot`."""
        scene, start = self.observe(), self._driver.joint_state()
        try:
            goal = top_down(vector3(position), float(yaw))
            trajectory = self._plan(start, goal, scene)
        except (MotionError, ValueError) as error:
            reason = error.category if isinstance(error, MotionError) else "invalid"
            return MotionResult(
                is_success=False, reason=reason, message=str(error), tcp=scene.gripper.tcp
            )
        self._on_plan(trajectory)
        driven = self._driver.follow(trajectory)
        tcp = self._planner.tcp_pose(self._driver.joint_state())
        if not driven.is_success:
            return MotionResult(
                is_success=False, reason=driven.reason, message=driven.message, tcp=tcp
            )
        lost = self._check_hold()
        return MotionResult(
            is_success=not lost,
            reason="dropped" if lost else "",
            message=lost or self._arrival_text(goal, tcp, scene),
            tcp=tcp,
            duration_s=trajectory.duration,
        )

    def open_gripper(self) -> GripResult:
        """Open the hand fully."""
        reading = self._driver.grip(MAX_GRIPPER_WIDTH)
        if reading.width > 0.9 * MAX_GRIPPER_WIDTH:
            self._hold("", 0.0)
            return GripResult(is_success=True, width=reading.width, message="the hand is open")
        return self._grip_failure(
            reading, "blocked", f"the hand opened only to {reading.width:.3f} m"
        )

    def close_gripper(self, object_name: str) -> GripResult:
        """Close the hand on an object; see :class:`Robot`."""
        refusal = refuse_unknown(object_name, self._scenes.observe())
        if refusal:
            width = self._driver.gripper_width()
            return GripResult(
                is_success=False,
                width=width,
                held_object=self._held,
                reason="unknown_object",
                message=refusal,
            )
        reading = self._driver.grip(0.0)
        if not reading.is_success:
            return self._grip_failure(reading, "controller", reading.message)
        result = judge_grasp(object_name, reading, self._scenes.observe(), self._config.grasp)
        self._hold(result.held_object, result.width)
        return result

    def rehearse(self) -> PlannedRobot:
        """A planning-only twin at the present state; its plans are reused by this robot."""
        self._plans.clear()
        scene = self.observe()
        world = TwinWorld(self._planner, self._driver.joint_state(), scene)
        twin = RehearsedRobot(self._planner, world, config=self._config, plans=self._plans)
        twin._hold(self._held, self._held_width)
        return twin

    def stop(self) -> None:
        """Brake at once and hold; from any thread."""
        self._driver.stop()

    def _plan(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory:
        kept = self._plans.find(start, goal, scene)
        if kept is not None:
            return kept
        return plan_route(self._planner, start, goal, scene, self._config.route)

    def _hold(self, name: str, width: float) -> None:
        self._held, self._held_width = name, width

    def _check_hold(self) -> str:
        """Why the carried object is no longer held; empty when it is, or nothing was."""
        if not self._held:
            return ""
        width = self._driver.gripper_width()
        if width > self._held_width - self._config.grasp.lost_width:
            return ""
        name, held_width = self._held, self._held_width
        self._hold("", 0.0)
        return (
            f"{name!r} was dropped on the way: the fingers closed from {held_width:.3f} m "
            f"to {width:.3f} m"
        )

    def _arrival_text(self, goal: Pose, tcp: Pose, planned_in: Scene) -> str:
        x, y, z = tcp.position
        error = float(np.linalg.norm(np.subtract(tcp.position, goal.position)))
        text = f"tool point at ({x:.3f}, {y:.3f}, {z:.3f}), {1000 * error:.1f} mm from the goal"
        moved = moved_objects(
            planned_in, self.observe(), tolerance=_MOVED, ignore=planned_in.gripper.held_object
        )
        for name, distance in sorted(moved.items()):
            how = "turned, came or went" if np.isinf(distance) else f"moved {distance:.3f} m"
            text += f"; {name!r} {how} during the motion"
        return text

    def _grip_failure(self, reading: GripReading, reason: str, message: str) -> GripResult:
        return GripResult(
            is_success=False,
            width=reading.width,
            held_object=self._held,
            reason=reading.reason or reason,
            message=message,
        )


class RehearsedRobot(PlannedRobot):
    """The planning-only twin: the same checks in a kinematic world, its plans kept."""

    def __init__(
        self,
        planner: MotionPlanner,
        world: TwinWorld,
        *,
        config: RobotConfig,
        plans: PlanCache,
    ) -> None:
        super().__init__(planner, world, world, config=config, plans=plans)
        self._twin_world = world

    def _plan(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory:
        trajectory = plan_route(self._planner, start, goal, scene, self._config.route)
        self._plans.put(start, goal, scene, trajectory)
        return trajectory

    def _hold(self, name: str, width: float) -> None:
        super()._hold(name, width)
        self._twin_world.hold(name)
