"""Joint states that reach a pose of the tool point, best first."""

from __future__ import annotations

import math

import numpy as np
import roboplan.core as core
import roboplan.simple_ik as simple_ik
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, wrap_angle
from malmm_ros.models import READY_POSITIONS
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot

POSITION_TOLERANCE = 1e-4
ORIENTATION_TOLERANCE = 1e-3
# Solutions nearer to a joint limit than this leave little room for the straight move that follows.
_LIMIT_MARGIN = 0.25
_LIMIT_WEIGHT = 4.0
_POSTURE_WEIGHT = 0.4
# Every solution stays this far inside the limits, so that rounding never leaves them.
_LIMIT_RESERVE = 0.01
_ALIKE = 0.05
_ELBOWS = (-0.4, 0.4, -0.8, 0.8, -1.2, 1.2, -1.8, 1.8)
HALF_TURN = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))


class InverseKinematics:
    """Damped least squares from several starts, both half turns of the hand.

    Attributes:
        runs: Of the solver in the latest ``solve``.
    """

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._base = config.base
        options = simple_ik.SimpleIkOptions(
            group_name=robot.group,
            max_iters=config.ik_iterations,
            max_time=1e9,  # iterations end it; time would make equal queries differ
            max_restarts=0,
            step_size=0.7,
            damping=1e-3,
            max_linear_error_norm=POSITION_TOLERANCE,
            max_angular_error_norm=ORIENTATION_TOLERANCE,
            check_collisions=False,
        )
        self.runs = 0
        self._solver = simple_ik.SimpleIk(robot.scene, options)

    def solve(
        self,
        goal: Pose,
        start: NDArray[np.float64],
        generator: np.random.Generator | None = None,
        *,
        random_seeds: int = 0,
    ) -> list[NDArray[np.float64]]:
        """Different solutions, each ``(7,)``, best first; empty when none was found.

        Args:
            goal: Of the tool point, world frame; half a turn about its z axis is as good.
            start: Present arm joints ``(7,)``.
            generator: Draws random starts; ``None`` tries only the present posture and the
                ready one, which is quick and mostly enough.
            random_seeds: How many to draw.
        """
        comfortable = self._comfortable(goal)
        postures = [start, comfortable]
        if generator is not None:
            postures += self._unusual(comfortable, generator, random_seeds)
        found: list[NDArray[np.float64]] = []
        self.runs = 0
        for target in (goal, goal @ HALF_TURN):
            frame = core.CartesianConfiguration(
                "", self._robot.tcp_frame, np.asfortranarray(target.matrix())
            )
            for posture in postures:
                solution = self._solve_from(frame, self._seed(target, posture))
                if solution is not None and not any(
                    np.abs(solution - other).max() < _ALIKE for other in found
                ):
                    found.append(solution)
        return sorted(found, key=lambda arm: self._cost(arm, start, comfortable))

    def _solve_from(
        self, frame: core.CartesianConfiguration, seed: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """One run; ``None`` when it does not converge inside the limits."""
        self.runs += 1
        solution = core.JointConfiguration()
        names = list(self._robot.names)
        if not self._solver.solveIk(frame, core.JointConfiguration(names, seed), solution):
            return None
        arm: NDArray[np.float64] = np.array(solution.positions)
        inside = (arm >= self._robot.low + _LIMIT_RESERVE) & (
            arm <= self._robot.high - _LIMIT_RESERVE
        )
        return arm if inside.all() else None

    def nearest_miss(self, goal: Pose) -> float:
        """How near the tool point gets to an unreachable position, metres; orientation free."""
        arm = self._comfortable(goal)
        best = math.inf
        for _ in range(80):
            matrix = self._robot.tcp_matrix(arm)
            offset = np.asarray(goal.position) - matrix[:3, 3]
            best = min(best, float(np.linalg.norm(offset)))
            jacobian = matrix[:3, :3] @ self._robot.tcp_jacobian(arm)[:3]
            damped = jacobian @ jacobian.T + 1e-2 * np.eye(3)
            step = jacobian.T @ np.linalg.solve(damped, offset)
            arm = np.clip(arm + step, self._robot.low, self._robot.high)
        return best

    def _unusual(
        self, comfortable: NDArray[np.float64], generator: np.random.Generator, count: int
    ) -> list[NDArray[np.float64]]:
        """Postures with the elbow swung to either side, and random ones."""
        postures = []
        for elbow in _ELBOWS:
            swung = comfortable.copy()
            swung[0] -= elbow
            swung[2] = elbow
            postures.append(swung)
        shape = (count, len(comfortable))
        postures.extend(comfortable + generator.uniform(-1.0, 1.0, shape))
        return postures

    def _seed(self, target: Pose, posture: NDArray[np.float64]) -> NDArray[np.float64]:
        """The posture with its wrist turned to the target, inside the limits."""
        seed = posture.copy()
        seed[6] = self._wrist(target, posture)
        return np.clip(seed, self._robot.low + 0.05, self._robot.high - 0.05)

    def _comfortable(self, goal: Pose) -> NDArray[np.float64]:
        """The ready posture turned towards the goal."""
        arm = np.array(READY_POSITIONS)
        local = self._base.inverse() @ goal
        arm[0] = math.atan2(local.position[1], local.position[0])
        arm[6] = self._wrist(goal, arm)
        return arm

    def _wrist(self, target: Pose, arm: NDArray[np.float64]) -> float:
        """Joint 7 for the target's yaw; exact while the elbow points straight up."""
        matrix = self._base.inverse().matrix() @ target.matrix()
        yaw = math.atan2(matrix[1, 0], matrix[0, 0])
        return wrap_angle(READY_POSITIONS[6] + arm[0] + arm[2] - yaw)

    def _cost(
        self,
        arm: NDArray[np.float64],
        start: NDArray[np.float64],
        comfortable: NDArray[np.float64],
    ) -> float:
        travel = float(np.linalg.norm((arm - start) / self._robot.max_velocity))
        # Joint 7 has no posture of its own: both half turns are alike.
        posture = float(np.linalg.norm((arm - comfortable)[:6]))
        room = np.minimum(arm - self._robot.low, self._robot.high - arm)
        crowding = float(np.square(np.maximum(0.0, _LIMIT_MARGIN - room) / _LIMIT_MARGIN).sum())
        return travel + _POSTURE_WEIGHT * posture + _LIMIT_WEIGHT * crowding
