"""A robot made of a planner, a driver and a scene source; real and rehearsed alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malmm_ros.cancellation import CancelToken
from malmm_ros.configuration import above, within
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down, vector3
from malmm_ros.motion.planner import MotionPlanner
from malmm_ros.robots.contact import objects_at_tool, part_at_tool
from malmm_ros.robots.driver import (
    Driver,
    DriveResult,
    GripReading,
    HandAware,
    SceneSource,
)
from malmm_ros.robots.fit import misfit
from malmm_ros.robots.following import Following, looking_place
from malmm_ros.robots.grasp import GraspConfig, judge_grasp, refuse_unknown
from malmm_ros.robots.rehearsal import PlanCache, TwinWorld, moved_objects
from malmm_ros.robots.robot import GripResult, MotionResult
from malmm_ros.robots.route import RouteConfig, plan_route
from malmm_ros.scene import MAX_GRIPPER_WIDTH, OPEN_WIDTH, Scene
from malmm_ros.trajectory import JointState, Trajectory

_ARRIVED = 0.02  # rad; twice what the controllers promise


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotConfig:
    """Settings of a planned robot.

    Attributes:
        moved: An object that shifted further during a motion is told of, metres; well above
            the noise of what senses it.
        follow: A goal at an object that is seen elsewhere now than the program was told goes
            along with it, so far at most, metres; 0: never. For cameras on the wrist.
        hover: On its way to a thing from aside, the open hand stops so far above it to look,
            metres; 0: it does not. For cameras on the wrist.
    """

    route: RouteConfig = field(default_factory=RouteConfig)
    grasp: GraspConfig = field(default_factory=GraspConfig)
    moved: float = field(default=0.01, metadata=above(0.0, 0.1))
    follow: float = field(default=0.0, metadata=within(0.0, 0.05))
    hover: float = field(default=0.0, metadata=within(0.0, 0.3))

    def __post_init__(self) -> None:
        if not 0.0 <= self.follow <= 0.05:
            raise ValueError(f"follow must be in [0, 0.05] m, got {self.follow}")
        if not 0.0 <= self.hover <= 0.3:
            raise ValueError(f"hover must be in [0, 0.3] m, got {self.hover}")
        if not 0.0 < self.moved <= 0.1:
            raise ValueError(f"moved must be in (0, 0.1] m, got {self.moved}")


class PlannedRobot:
    """Plans each command in a fresh scene, drives it, and says what came of it.

    One thread commands it; :meth:`stop`, :meth:`latch_stop` and :meth:`release_stop` may come
    from any thread.
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
        self._following = Following(self._config.follow)
        self._held = ""
        self._held_width = 0.0
        self._command = CancelToken()
        self._is_latched = False

    @property
    def held_object(self) -> str:
        """Name of what the hand holds; empty when it is nothing."""
        return self._held

    def observe(self) -> Scene:
        """Sense the scene; what the hand holds is this robot's own verdict, judged anew."""
        scene = self._sense()
        self._following.tell(scene)
        return scene

    def _sense(self) -> Scene:
        scene = self._scenes.observe()
        width = self._driver.gripper_width()
        gripper = replace(scene.gripper, width=width, is_open=width >= OPEN_WIDTH)
        scene = replace(scene, gripper=gripper)
        if self._held and self._hold_problem(scene):
            self._hold("", 0.0)
        return scene.with_held(self._held)

    def execute_trajectory(
        self, position: Sequence[float], yaw: float, *, cancel: CancelToken | None = None
    ) -> MotionResult:
        """Move the tool point, hand pointing down; see :class:`Robot`.

        Args:
            position: ``(3,)``, world frame, metres.
            yaw: About world z, radians.
            cancel: Ends this command; a fresh token by default.
        """
        self._begin(cancel)
        try:
            goal = top_down(vector3(position), float(yaw))
        except ValueError as error:
            tcp = self._planner.tcp_pose(self._driver.joint_state())
            return MotionResult(is_success=False, reason="invalid", message=str(error), tcp=tcp)
        return self._look_on_the_way(goal) or self._go(goal)

    def _look_on_the_way(self, goal: Pose) -> MotionResult | None:
        """Stop above what is to be grasped; what went wrong with that, if anything did.

        Where it cannot stop, it goes straight on.
        """
        if not self._config.hover or self._held:
            return None
        above = looking_place(goal, self._sense(), height=self._config.hover)
        try:
            looked = None if above is None else self._go(above, is_optional=True)
        except MotionError:
            return None
        return None if looked is None or looked.is_success else looked

    def _go(self, goal: Pose, *, is_optional: bool = False) -> MotionResult:
        """Sense, plan and move once.

        Raises:
            MotionError: It is optional and cannot be planned.
        """
        held = self._held
        scene, start = self._sense(), self._driver.joint_state()
        if held and not self._held:
            return self._dropped(held, scene)
        try:
            goal, words = self._following.follow(goal, scene)
            trajectory = self._plan(start, goal, scene)
        except MotionError as error:
            if is_optional:
                raise
            return MotionResult(
                is_success=False, reason=error.category, message=str(error), tcp=scene.gripper.tcp
            )
        self._on_plan(trajectory)
        if self._command.is_cancelled:
            return MotionResult(
                is_success=False,
                reason="cancelled",
                message=f"{self._command.reason}; nothing has moved",
                tcp=scene.gripper.tcp,
            )
        driven = self._driver.follow(trajectory, self._command)
        result = self._judge_motion(driven, trajectory, goal, scene)
        return replace(result, message=f"{result.message}; {words}") if words else result

    def open_gripper(self, *, cancel: CancelToken | None = None) -> GripResult:
        """Open the hand fully."""
        self._begin(cancel)
        reading = self._driver.grip(MAX_GRIPPER_WIDTH, self._command)
        if reading.is_success and reading.width >= OPEN_WIDTH:
            self._hold("", 0.0)
            return GripResult(is_success=True, width=reading.width, message="the hand is open")
        return self._grip_failure(
            reading, "blocked", f"the hand opened only to {reading.width:.3f} m"
        )

    def close_gripper(self, object_name: str, *, cancel: CancelToken | None = None) -> GripResult:
        """Close the hand on an object; see :class:`Robot`."""
        self._begin(cancel)
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
        reading = self._driver.grip(0.0, self._command)
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

    def is_commanded_by(self, cancel: CancelToken) -> bool:
        """Whether the newest command was given that token."""
        return self._command is cancel

    def stop(self) -> None:
        """Brake at once and hold; the command under way, planning included, ends cancelled."""
        self._command.cancel("stopped")
        self._driver.stop()

    def latch_stop(self) -> None:
        """Stop, and refuse every command until :meth:`release_stop`."""
        self._is_latched = True
        self.stop()

    def release_stop(self) -> None:
        """Take commands again."""
        self._is_latched = False

    def _begin(self, cancel: CancelToken | None) -> None:
        """Make a command's token before anything is looked at, so that no stop is lost."""
        self._command = cancel or CancelToken()
        if self._is_latched:
            self._command.cancel("the arm is stopped until it is released")

    def _plan(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory:
        kept = self._plans.find(start, goal, scene)
        if kept is not None:
            return kept
        return self._plan_anew(start, goal, scene)

    def _plan_anew(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory:
        """Plan a route to where the open hand fits around what it is to grasp.

        Raises:
            MotionError: It does not fit, or no valid motion was found.
        """
        if not self._held:
            for item in objects_at_tool(scene, goal):
                problem = misfit(item, goal, scene.gripper.width)
                if problem:
                    raise MotionError(
                        "in_collision",
                        f"at the goal {problem}; move the tool point to its middle, go higher, "
                        "turn the hand (yaw) or open it",
                    )
        return plan_route(self._planner, start, goal, scene, self._config.route)

    def _hold(self, name: str, width: float) -> None:
        self._held, self._held_width = name, width
        self._following.forget(name)
        if isinstance(self._scenes, HandAware):
            self._scenes.hold(name)

    def _judge_motion(
        self, driven: DriveResult, trajectory: Trajectory, goal: Pose, scene: Scene
    ) -> MotionResult:
        """What became of a motion, and of what was carried."""
        held = self._held
        after = self._sense()
        state = self._driver.joint_state()
        tcp = self._planner.tcp_pose(state)
        if not driven.is_success:
            lost = f"; {held!r} was dropped" if held and not self._held else ""
            return MotionResult(
                is_success=False, reason=driven.reason, message=driven.message + lost, tcp=tcp
            )
        if held and not self._held:
            return self._dropped(held, after)
        error = float(np.abs(state.positions - trajectory.positions[-1]).max())
        return MotionResult(
            is_success=error < _ARRIVED,
            reason="" if error < _ARRIVED else "not_reached",
            message=self._arrival_text(goal, tcp, scene, after),
            tcp=tcp,
            duration_s=trajectory.duration,
        )

    def _hold_problem(self, scene: Scene) -> str:
        """Why the held object is not held any more; empty when it is."""
        config, width = self._config.grasp, scene.gripper.width
        item = scene.find(self._held)
        if item is None:
            return "it is not there any more"
        if width < self._held_width - config.lost_width:
            return f"the fingers closed from {self._held_width:.3f} m to {width:.3f} m"
        if width > self._held_width + config.lost_width:
            return f"the fingers are open at {width:.3f} m"
        if part_at_tool(item, scene.gripper.tcp) is None:
            return "it is not between the fingers"
        return ""

    def _dropped(self, name: str, scene: Scene) -> MotionResult:
        item = scene.find(name)
        where = "it is not to be seen"
        if item is not None:
            x, y, z = item.pose.position
            where = f"it is at ({x:.3f}, {y:.3f}, {z:.3f})"
        return MotionResult(
            is_success=False,
            reason="dropped",
            message=f"{name!r} was dropped: it is not held any more (opening "
            f"{scene.gripper.width:.3f} m); {where}",
            tcp=scene.gripper.tcp,
        )

    def _arrival_text(self, goal: Pose, tcp: Pose, before: Scene, after: Scene) -> str:
        x, y, z = tcp.position
        error = float(np.linalg.norm(np.subtract(tcp.position, goal.position)))
        text = f"tool point at ({x:.3f}, {y:.3f}, {z:.3f}), {1000 * error:.1f} mm from the goal"
        moved = moved_objects(
            before, after, tolerance=self._config.moved, ignore=before.gripper.held_object
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

    def _plan(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory:
        trajectory = self._plan_anew(start, goal, scene)
        self._plans.put(start, goal, scene, trajectory)
        return trajectory
