"""Joint paths that keep the tool point on a straight line."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from malmm_ros.geometry import Pose
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.motion.shortcut import JointPath

_ANGLE_STEP = 0.05
_NEWTON_STEPS = 12
_POSITION_TOLERANCE = 2e-5
_ORIENTATION_TOLERANCE = 2e-4
# A larger joint step between neighbouring points means a singularity or another branch.
_LARGEST_JUMP = 0.25
_DAMPING = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class LineAttempt:
    """What became of a line.

    Attributes:
        path: Joint waypoints as far as it got, each ``(7,)``.
        fraction: Of the line, 0 to 1.
        problem: Empty when it reached the end: ``collision``, ``limits`` or ``singular``.
        stopped_at: Joint state at which the problem shows; the last good one when none.
    """

    path: JointPath
    fraction: float
    problem: str
    stopped_at: NDArray[np.float64]


class StraightPath:
    """Follows a line by differential inverse kinematics in the world that is loaded."""

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._config = config

    def follow(self, start: NDArray[np.float64], goal: Pose) -> LineAttempt:
        """Track the line from where ``start`` puts the tool point to ``goal``."""
        targets = self._targets(self._robot.tcp_matrix(start), goal)
        path: JointPath = [start]
        for index, target in enumerate(targets):
            fraction = index / len(targets)
            arm = self._track(path[-1], target)
            if arm is None or np.abs(arm - path[-1]).max() > _LARGEST_JUMP:
                return self._stop(path, fraction, "singular", path[-1])
            if (arm < self._robot.low).any() or (arm > self._robot.high).any():
                return self._stop(path, fraction, "limits", arm)
            if self._robot.is_path_colliding(path[-1], arm, self._config.check_step):
                return self._stop(path, fraction, "collision", arm)
            path.append(arm)
        return self._stop(path, 1.0, "", path[-1])

    def _stop(
        self, path: JointPath, fraction: float, problem: str, at: NDArray[np.float64]
    ) -> LineAttempt:
        return LineAttempt(path=path, fraction=fraction, problem=problem, stopped_at=at)

    def _targets(self, start: NDArray[np.float64], goal: Pose) -> list[NDArray[np.float64]]:
        """Poses along the line as ``(4, 4)``, without the start."""
        end = goal.matrix()
        turn = Rotation.from_matrix(start[:3, :3].T @ end[:3, :3]).magnitude()
        length = float(np.linalg.norm(end[:3, 3] - start[:3, 3]))
        count = max(math.ceil(length / self._config.line_step), math.ceil(turn / _ANGLE_STEP), 2)
        fractions = np.linspace(0.0, 1.0, count + 1)[1:]
        slerp = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))
        rotations = slerp(fractions).as_matrix()
        targets = []
        for fraction, rotation in zip(fractions, rotations, strict=True):
            matrix = np.eye(4)
            matrix[:3, :3] = rotation
            matrix[:3, 3] = (1.0 - fraction) * start[:3, 3] + fraction * end[:3, 3]
            targets.append(matrix)
        return targets

    def _track(
        self, arm: NDArray[np.float64], target: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Newton steps from a near joint state; ``None`` when they do not converge."""
        for _ in range(_NEWTON_STEPS):
            matrix = self._robot.tcp_matrix(arm)
            rotation = matrix[:3, :3]
            shift = rotation.T @ (target[:3, 3] - matrix[:3, 3])
            turn = _small_rotation(rotation.T @ target[:3, :3])
            if (
                np.linalg.norm(shift) < _POSITION_TOLERANCE
                and np.linalg.norm(turn) < _ORIENTATION_TOLERANCE
            ):
                return arm
            jacobian = self._robot.tcp_jacobian(arm)
            damped = jacobian @ jacobian.T + _DAMPING * np.eye(6)
            arm = arm + jacobian.T @ np.linalg.solve(damped, np.concatenate([shift, turn]))
        return None


def _small_rotation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotation vector ``(3,)`` to first order; exact enough for Newton steps of 3°."""
    return 0.5 * np.array(
        [
            matrix[2, 1] - matrix[1, 2],
            matrix[0, 2] - matrix[2, 0],
            matrix[1, 0] - matrix[0, 1],
        ]
    )
