"""The embedded planner: roboplan's search, inverse kinematics and timing behind our contract."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.motion import checks
from malmm_ros.motion.clearance import ClearanceProbe, Contact
from malmm_ros.motion.collision_world import CollisionWorld
from malmm_ros.motion.free_path import FreePath
from malmm_ros.motion.inverse_kinematics import HALF_TURN, InverseKinematics
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.motion.shortcut import JointPath
from malmm_ros.motion.straight_path import LineAttempt, StraightPath
from malmm_ros.motion.timing import Timing
from malmm_ros.trajectory import JointState, Trajectory

TOP_DOWN_REACH = 0.78
# In tight places the padding gives way down to this.
_LEAST_PADDING = 0.0005
_PADDING_GAP = 0.0002
# A box grown by p on every side comes nearer by up to this times p, at its corners.
_CORNER = 3.0**0.5
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
        # A robot of its own: every geometry in its scene would slow each run down.
        self._kinematics = InverseKinematics(PlanningRobot(self.config), self.config)
        self._lock = threading.Lock()
        self.last_durations = PlanDurations()
        self._build()

    def _build(self) -> None:
        self._robot = PlanningRobot(self.config)
        self._world = CollisionWorld(self._robot, self.config)
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
            scene: What to keep clear of; the table alone when left out.
            near: Prefer solutions near this one; the ready posture when left out.

        Raises:
            MotionError: ``unreachable``, ``in_collision`` or ``outside_workspace``.
        """
        with self._lock:
            self._renew_crowded_world()
            arm = self._robot.ready if near is None else self._checked_start(near)
            scene = scene or PlanningScene()
            target = checks.checked_goal(goal, scene.workspace)
            self._world.load(scene, target.position, {})
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
        if not deep and self._relax(arm, contacts, scene, tcp=tcp, padding=padding):
            return padding
        raise checks.collision(
            "start_in_collision",
            "the arm starts in collision",
            deep or [item for item in contacts if item.distance < 0.0] or contacts,
            advice="open the gripper or move the object away, or name it as touchable",
        )

    def _near(self, arm: NDArray[np.float64], scene: PlanningScene) -> list[Contact]:
        padding = max(self.config.obstacle_padding, self.config.held_padding)
        return self._probe.contacts(arm, scene, margin=_CORNER * padding + _PADDING_GAP)

    def _padding(self, role: str) -> float:
        """What keeps bodies of a role apart by default."""
        return {
            "arm": self.config.obstacle_padding,
            "hand": self.config.table_padding_hand,
            "held": self.config.held_padding,
        }[role]

    def _is_tight(self, contact: Contact) -> bool:
        """Whether it is nearer than padding may give way."""
        return contact.distance < min(_LEAST_PADDING, self._padding(contact.role))

    def _relax(
        self,
        arm: NDArray[np.float64],
        contacts: list[Contact],
        scene: PlanningScene,
        *,
        tcp: Vector3,
        padding: _PaddingTable,
    ) -> bool:
        """Lower the padding in place until ``arm`` is free; the world is loaded with it."""
        for item in contacts:
            distance = item.distance / _CORNER if item.distance > 0.0 else item.distance
            key = (item.other, item.role)
            present = padding.get(key, self._padding(item.role))
            padding[key] = min(present, round(distance - _PADDING_GAP, 5))
        self._world.load(scene, tcp, padding)
        return not self._robot.is_colliding(arm)

    def _plan_free(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> Trajectory:
        seed = self._seed(arm, goal, scene)
        solutions = self._free_solutions(arm, goal, scene, padding)
        if np.abs(solutions[0] - arm).max() < _AT_GOAL:
            return self._timing.resting(arm)
        trajectory = self._connect(arm, solutions, seed)
        if trajectory is None:
            others = self._solve(
                goal, arm, np.random.default_rng(seed), self.config.ik_random_seeds
            )
            others = [item for item in others if not self._robot.is_colliding(item)]
            trajectory = self._connect(arm, others, seed + 1)
        if trajectory is not None:
            return trajectory
        raise MotionError(
            "no_path",
            f"no collision-free way to ({_numbers(goal)}) was found in searches of "
            f"{self.config.rrt_iterations} steps, though the goal itself is free; "
            "go by way of a position higher above the objects, or clear the way first",
        )

    def _connect(
        self, arm: NDArray[np.float64], goals: list[NDArray[np.float64]], seed: int
    ) -> Trajectory | None:
        """A checked trajectory to the first of the goals that can be reached."""
        for goal in goals[: self.config.goal_tries]:
            begin = time.perf_counter()
            path = self._free.search(arm, goal, seed % 2**31)
            self.last_durations.search_s += time.perf_counter() - begin
            if path is not None:
                trajectory = self._timed(path)
                if self._is_clear(trajectory):
                    return trajectory
        return None

    def _solve(
        self,
        goal: Pose,
        arm: NDArray[np.float64],
        generator: np.random.Generator | None,
        random_seeds: int,
    ) -> list[NDArray[np.float64]]:
        begin = time.perf_counter()
        solutions = self._kinematics.solve(goal, arm, generator, random_seeds=random_seeds)
        self.last_durations.ik_s += time.perf_counter() - begin
        self.last_durations.ik_runs += self._kinematics.runs
        return solutions

    def _free_solutions(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> list[NDArray[np.float64]]:
        """Goal states that touch nothing, best first; padding gives way when none keeps it.

        Raises:
            MotionError: There is none (``unreachable``, ``in_collision``).
        """
        solutions: list[NDArray[np.float64]] = []
        generator = np.random.default_rng(self._seed(arm, goal, scene))
        few = self.config.ik_random_seeds
        for source, count in ((None, 0), (generator, few), (generator, 10 * few)):
            solutions = self._solve(goal, arm, source, count)
            free = [item for item in solutions if not self._robot.is_colliding(item)]
            if free:
                return free
        if not solutions:
            miss = self._kinematics.nearest_miss(goal)
            raise checks.unreachable(goal, self.config.base, miss=miss, reach=TOP_DOWN_REACH)
        return [self._squeezed(arm, goal, solutions, scene=scene, padding=padding)]

    def _squeezed(
        self,
        arm: NDArray[np.float64],
        goal: Pose,
        solutions: list[NDArray[np.float64]],
        *,
        scene: PlanningScene,
        padding: _PaddingTable,
    ) -> NDArray[np.float64]:
        """The solution that touches nothing once padding gives way; the world is loaded so.

        Raises:
            MotionError: All of them touch something (``in_collision``).
        """
        least: list[Contact] = []
        for solution in solutions:
            contacts = self._near(solution, scene)
            if not any(map(self._is_tight, contacts)):
                tcp = Pose.from_matrix(self._robot.tcp_matrix(arm)).position
                if self._relax(solution, contacts, scene, tcp=tcp, padding=padding):
                    return solution
            elif not least or contacts[0].distance > least[0].distance:
                least = contacts
        raise checks.collision(
            "in_collision",
            f"the goal ({_numbers(goal)}) is in collision",
            list(filter(self._is_tight, least)),
            advice="go higher, turn the hand (yaw), or move the object away first",
        )

    def _plan_straight(
        self, arm: NDArray[np.float64], goal: Pose, scene: PlanningScene, padding: _PaddingTable
    ) -> Trajectory:
        start = Pose.from_matrix(self._robot.tcp_matrix(arm))
        turned = goal @ HALF_TURN
        target = min(goal, turned, key=lambda pose: _angle(start, pose))
        begin = time.perf_counter()
        attempt = self._straight.follow(arm, target)
        self.last_durations.search_s = time.perf_counter() - begin
        if attempt.problem == "collision":
            contacts = self._near(attempt.stopped_at, scene)
            contacts = contacts or self._near(attempt.path[-1], scene)
            details = checks.describe(contacts) or "an obstacle comes nearer than allowed"
            raise self._line_error(attempt, details)
        if attempt.problem:
            raise self._line_error(attempt, "")
        if np.abs(attempt.path[-1] - arm).max() < _AT_GOAL:
            return self._timing.resting(arm)
        trajectory = self._timed(attempt.path, is_dense=True)
        if not self._is_clear(trajectory):
            raise self._line_error(attempt, "an obstacle comes nearer than allowed")
        return trajectory

    def _line_error(self, attempt: LineAttempt, details: str) -> MotionError:
        reason = {
            "": f"but {details}",
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


def _angle(first: Pose, second: Pose) -> float:
    """Angle between two orientations, radians."""
    dot = abs(sum(a * b for a, b in zip(first.orientation, second.orientation, strict=True)))
    return 2.0 * float(np.arccos(min(1.0, dot)))


def _numbers(pose: Pose) -> str:
    return ", ".join(f"{value:.3f}" for value in pose.position)
