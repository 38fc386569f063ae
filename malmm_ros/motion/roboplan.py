"""The embedded planner: roboplan's search, inverse kinematics and timing behind our contract."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.motion import checks
from malmm_ros.motion.clearance import ClearanceProbe, Contact
from malmm_ros.motion.collision_world import CollisionWorld
from malmm_ros.motion.free_path import FreePath, JointPath
from malmm_ros.motion.inverse_kinematics import InverseKinematics
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.motion.straight_path import LineAttempt, StraightPath
from malmm_ros.motion.timing import Timing
from malmm_ros.trajectory import JointState, Trajectory

TOP_DOWN_REACH = 0.78
_HALF_TURN = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
# In tight places the padding gives way down to this.
_LEAST_PADDING = 0.0005
_PADDING_GAP = 0.0002
# Joint motions below this are not worth a trajectory.
_AT_GOAL = 1e-4
_MOST_GEOMETRIES = 80

_PaddingTable = dict[tuple[str, str], float]


@dataclass(slots=True)
class PlanDurations:
    """Wall time that the parts of one plan took, for benchmarks."""

    ik_s: float = 0.0
    ik_runs: int = 0
    search_s: float = 0.0
    timing_s: float = 0.0


class RoboplanPlanner:
    """Plans for one arm; equal queries give equal plans, whatever was asked before.

    Calls from several threads wait for each other.

    Attributes:
        config: What it was made with.
        last_durations: Of the latest ``plan``.
    """

    def __init__(self, config: RoboplanConfig | None = None) -> None:
        self.config = config or RoboplanConfig()
        self._probe = ClearanceProbe(self.config)
        self._lock = threading.Lock()
        self.last_durations = PlanDurations()
        self._build()

    def _build(self) -> None:
        self._robot = PlanningRobot(self.config)
        self._world = CollisionWorld(self._robot, self.config)
        self._kinematics = InverseKinematics(self._robot, self.config)
        self._free = FreePath(self._robot, self.config)
        self._straight = StraightPath(self._robot, self.config)
        self._timing = Timing(self._robot, self.config)

    def plan(
        self, start: JointState, goal: Pose, scene: PlanningScene, *, straight: bool = False
    ) -> Trajectory:
        with self._lock:
            self.last_durations = PlanDurations()
            self._renew_crowded_world()
            arm = self._checked_start(start)
            target = checks.checked_goal(goal, scene.workspace)
            padding = self._load_for_start(arm, scene)
            if straight:
                return self._plan_straight(arm, target, scene, padding)
            return self._plan_free(arm, target, scene, padding)

    def tcp_pose(self, state: JointState) -> Pose:
        with self._lock:
            arm = state.select(self._robot.names).positions
            return Pose.from_matrix(self._robot.tcp_matrix(arm))

    def solve_ik(
        self, goal: Pose, scene: PlanningScene | None = None, *, near: JointState | None = None
    ) -> JointState:
        """The best joint state at a pose of the tool point, either half turn of the hand.

        Args:
            goal: Of ``panda_hand_tcp``, world frame.
            scene: Obstacles to keep clear of, and the workspace; ``None`` checks neither these
                nor the table.
            near: Prefer solutions near this one; the ready posture when left out.

        Raises:
            MotionError: ``unreachable``, ``in_collision`` or ``outside_workspace``.
        """
        with self._lock:
            self._renew_crowded_world()
            arm = self._robot.ready if near is None else self._checked_start(near)
            if scene is None:
                solution = self._solutions(arm, goal, PlanningScene())[0]
            else:
                target = checks.checked_goal(goal, scene.workspace)
                self._world.load(scene, goal.position, {})
                solution = self._free_solutions(arm, target, scene, {})[0]
            return JointState.at_rest(self._robot.names, solution)

    def contacts(
        self, state: JointState, scene: PlanningScene, *, margin: float = 0.0
    ) -> list[Contact]:
        """Exact contacts of a state nearer than ``margin``, unpadded; slow, for diagnosis."""
        with self._lock:
            arm = state.select(self._robot.names).positions
            return self._probe.contacts(arm, scene, margin=margin)

    def _renew_crowded_world(self) -> None:
        """Start over when parked geometries of former scenes slow everything down."""
        if self._world.geometry_count > _MOST_GEOMETRIES:
            self._build()

    def _checked_start(self, start: JointState) -> NDArray[np.float64]:
        return checks.checked_start(
            start.select(self._robot.names).positions,
            names=self._robot.names,
            low=self._robot.low,
            high=self._robot.high,
        )

    def _load_for_start(self, arm: NDArray[np.float64], scene: PlanningScene) -> _PaddingTable:
        """Load the world; padding gives way where the arm stands nearer than that already.

        Raises:
            MotionError: It stands deeper in something than tolerated (``start_in_collision``).
        """
        tcp = Pose.from_matrix(self._robot.tcp_matrix(arm)).position
        padding: _PaddingTable = {}
        self._world.load(scene, tcp, padding)
        if not self._robot.is_colliding(arm):
            return padding
        contacts = self._near(arm, scene)
        deep = [item for item in contacts if item.distance < -self.config.start_tolerance]
        if not deep:
            padding = _relaxed(contacts)
            self._world.load(scene, tcp, padding)
            if not self._robot.is_colliding(arm):
                return padding
        raise checks.collision(
            "start_in_collision",
            "the arm starts in collision",
            deep or [item for item in contacts if item.distance < 0.0] or contacts,
            advice="open the gripper or move the object away, or name it as touchable",
        )

    def _near(self, arm: NDArray[np.float64], scene: PlanningScene) -> list[Contact]:
        margin = max(self.config.obstacle_padding, self.config.held_padding) + 2e-3
        return self._probe.contacts(arm, scene, margin=margin)

    def _plan_free(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> Trajectory:
        solutions = self._free_solutions(arm, goal, scene, padding)
        if np.abs(solutions[0] - arm).max() < _AT_GOAL:
            return self._timing.resting(arm)
        seed = self._seed(arm, goal, scene)
        for index, solution in enumerate(solutions[: self.config.goal_tries]):
            begin = time.perf_counter()
            path = self._free.search(arm, solution, (seed + index) % 2**31)
            self.last_durations.search_s += time.perf_counter() - begin
            if path is None:
                continue
            trajectory = self._timed(path)
            if self._is_clear(trajectory):
                return trajectory
        raise MotionError(
            "no_path",
            f"no collision-free way to ({_numbers(goal)}) was found after "
            f"{min(len(solutions), self.config.goal_tries)} searches of "
            f"{self.config.rrt_max_nodes} nodes, though the goal itself is free; "
            "go by way of a position higher above the objects, or clear the way first",
        )

    def _solutions(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene
    ) -> list[NDArray[np.float64]]:
        generator = np.random.default_rng(self._seed(arm, goal, scene))
        begin = time.perf_counter()
        solutions = self._kinematics.solve(goal, arm, generator)
        self.last_durations.ik_s += time.perf_counter() - begin
        self.last_durations.ik_runs = self._kinematics.runs
        if not solutions:
            miss = self._kinematics.nearest_miss(goal)
            raise checks.unreachable(goal, self.config.base, miss=miss, reach=TOP_DOWN_REACH)
        return solutions

    def _free_solutions(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> list[NDArray[np.float64]]:
        """Goal states that touch nothing; padding gives way when none keeps it."""
        solutions = self._solutions(arm, goal, scene)
        free = [item for item in solutions if not self._robot.is_colliding(item)]
        if free:
            return free
        least: list[Contact] = []
        for solution in solutions[: self.config.goal_tries]:
            contacts = self._near(solution, scene)
            if all(item.distance >= _LEAST_PADDING for item in contacts):
                padding.update(
                    (key, min(value, padding.get(key, value)))
                    for key, value in _relaxed(contacts).items()
                )
                tcp = Pose.from_matrix(self._robot.tcp_matrix(arm)).position
                self._world.load(scene, tcp, padding)
                if not self._robot.is_colliding(solution):
                    return [solution]
            if contacts and (not least or contacts[0].distance > least[0].distance):
                least = contacts
        overlaps = [item for item in least if item.distance < _LEAST_PADDING]
        raise checks.collision(
            "in_collision",
            f"the goal ({_numbers(goal)}) is in collision",
            overlaps or least,
            advice="go higher, turn the hand (yaw), or move the object away first",
        )

    def _plan_straight(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> Trajectory:
        start = Pose.from_matrix(self._robot.tcp_matrix(arm))
        turned = goal @ _HALF_TURN
        target = min(goal, turned, key=lambda pose: _angle(start, pose))
        begin = time.perf_counter()
        attempt = self._straight.follow(arm, target)
        self.last_durations.search_s = time.perf_counter() - begin
        if attempt.problem == "collision":
            contacts = self._near(attempt.stopped_at, scene)
            raise self._line_error(attempt, checks.describe(contacts))
        if attempt.problem:
            raise self._line_error(attempt, "")
        if np.abs(attempt.path[-1] - arm).max() < _AT_GOAL:
            return self._timing.resting(arm)
        return self._timed(attempt.path, is_dense=True)

    def _line_error(self, attempt: LineAttempt, details: str) -> MotionError:
        reason = {
            "collision": f"there {details}",
            "limits": "there a joint reaches its limit",
            "singular": "beyond that no near joint state follows the line",
        }[attempt.problem]
        return MotionError(
            "no_path",
            f"the straight line is free only for its first {attempt.fraction:.0%}: {reason}; "
            "take a free motion, or start from higher above",
        )

    def _timed(self, path: JointPath, *, is_dense: bool = False) -> Trajectory:
        begin = time.perf_counter()
        trajectory = self._timing.time(path, is_dense=is_dense)
        self.last_durations.timing_s += time.perf_counter() - begin
        return trajectory

    def _is_clear(self, trajectory: Trajectory) -> bool:
        """Check the timed trajectory itself, between its points too."""
        step = self.config.validation_step
        return not any(
            self._robot.is_path_colliding(first, second, step)
            for first, second in zip(
                trajectory.positions[:-1], trajectory.positions[1:], strict=True
            )
        )

    def _seed(self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene) -> int:
        """A number of the query and the configured seed."""
        text = f"{self.config.seed}|{arm.round(9).tolist()}|{goal!r}|{_identity(scene)}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % 2**31


def _identity(scene: PlanningScene) -> str:
    """The scene as text that does not depend on the order of its sets."""
    touchable = (sorted(scene.touchable), sorted(scene.held_touchable))
    return repr((scene.objects, scene.held, scene.finger_width, touchable, scene.workspace))


def _relaxed(contacts: list[Contact]) -> _PaddingTable:
    """Padding that just lets the given contacts be."""
    padding: _PaddingTable = {}
    for item in contacts:
        key = (item.other, item.role)
        value = round(item.distance - _PADDING_GAP, 5)
        padding[key] = min(value, padding.get(key, value))
    return padding


def _angle(first: Pose, second: Pose) -> float:
    """Angle between two orientations, radians."""
    dot = abs(sum(a * b for a, b in zip(first.orientation, second.orientation, strict=True)))
    return 2.0 * float(np.arccos(min(1.0, dot)))


def _numbers(pose: Pose) -> str:
    return ", ".join(f"{value:.3f}" for value in pose.position)
