"""Checks of the trajectories that MoveIt answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.scene import Workspace
from malmm_ros.trajectory import Trajectory

_SAME_START = 0.01  # rad
_SAME_END = 1e-3  # m
_SAME_ANGLE = 5e-3  # rad
# The tool point may swing out of the workspace by this much.
_WORKSPACE_SLACK = 0.03
_SAMPLE_S = 0.02


class AnswerChecks:
    """Believes nothing: joints, start, end, speeds and the tool point's way are looked at."""

    def __init__(self, robot: PlanningRobot) -> None:
        self._robot = robot

    def resting(self, arm: NDArray[np.float64]) -> Trajectory:
        """Stay where the arm is for one sample."""
        return Trajectory(
            names=self._robot.names,
            times=np.array([0.0, _SAMPLE_S]),
            positions=np.stack([arm, arm]),
            velocities=np.zeros((2, len(arm))),
        )

    def checked(
        self,
        answer: Trajectory,
        arm: NDArray[np.float64],
        goal: Pose,
        *,
        workspace: Workspace,
    ) -> Trajectory:
        """The answer's arm joints in our order, from rest to rest, within the speed limits.

        Args:
            answer: As MoveIt gave it; other joints are left out.
            arm: Where the arm is, ``(7,)``.
            goal: Where the tool point shall end; half a turn of the hand is as good.
            workspace: For the tool point on its way.

        Raises:
            MotionError: It is not what was asked for (``no_path``).
        """
        index = self._joint_index(answer)
        positions = answer.positions[:, index].copy()
        velocities = answer.velocities[:, index].copy()
        if np.abs(positions[0] - arm).max() > _SAME_START:
            off = float(np.abs(positions[0] - arm).max())
            raise _refused(f"it starts {off:.3f} rad from where the arm is")
        if len(positions) == 1:
            positions, velocities = np.stack([arm, positions[0]]), np.zeros((2, len(arm)))
            times = np.array([0.0, _SAMPLE_S])
        else:
            times = answer.times - answer.times[0]
        positions[0] = arm
        velocities[0] = velocities[-1] = 0.0
        self._check_end(positions[-1], goal)
        trajectory = self._slowed(times, positions, velocities)
        self._check_workspace(trajectory, workspace)
        return trajectory

    def check_line(
        self,
        trajectory: Trajectory,
        start: Pose,
        goal: Pose,
        *,
        tolerance: float,
        largest_jump: float,
    ) -> None:
        """See that the tool point keeps to its line, and that no joint jumps.

        Raises:
            MotionError: It does not (``no_path``).
        """
        jump = float(np.abs(np.diff(trajectory.positions, axis=0)).max())
        if jump > largest_jump:
            raise _refused(f"a joint jumps by {jump:.2f} rad on a straight line")
        origin, end = np.asarray(start.position), np.asarray(goal.position)
        along = (end - origin) / max(float(np.linalg.norm(end - origin)), 1e-9)
        for position in self._tool_path(trajectory):
            offset = position - origin
            off = float(np.linalg.norm(offset - along * (offset @ along)))
            if off > tolerance:
                raise _refused(f"the tool point leaves its line by {1000 * off:.1f} mm")

    def _joint_index(self, answer: Trajectory) -> list[int]:
        missing = [name for name in self._robot.names if name not in answer.names]
        if missing:
            raise _refused(f"it does not move {', '.join(missing)}")
        return [answer.names.index(name) for name in self._robot.names]

    def _check_end(self, arm: NDArray[np.float64], goal: Pose) -> None:
        end = Pose.from_matrix(self._robot.tcp_matrix(arm))
        gap = float(np.linalg.norm(np.subtract(end.position, goal.position)))
        half = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
        turn = min(angle_between(end, goal), angle_between(end, goal @ half))
        if gap > _SAME_END or turn > _SAME_ANGLE:
            raise _refused(f"it ends {1000 * gap:.1f} mm and {turn:.3f} rad from the goal")

    def _slowed(
        self,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
    ) -> Trajectory:
        """Stretch time where a joint would be faster than it can be."""
        chords = np.diff(positions, axis=0) / np.diff(times)[:, None]
        stretch = max(
            1.0,
            float((np.abs(velocities) / self._robot.max_velocity).max()),
            float((np.abs(chords) / self._robot.max_velocity).max()),
        )
        return Trajectory(
            names=self._robot.names,
            times=times * stretch,
            positions=positions,
            velocities=velocities / stretch,
        )

    def _check_workspace(self, trajectory: Trajectory, workspace: Workspace) -> None:
        path = self._tool_path(trajectory)
        low = np.minimum(workspace.low, path[0]) - _WORKSPACE_SLACK
        high = np.maximum(workspace.high, path[0]) + _WORKSPACE_SLACK
        beyond = np.maximum(low - path, path - high).max()
        if beyond > 0.0:
            raise _refused(f"the tool point would leave the workspace by {beyond:.3f} m")

    def _tool_path(self, trajectory: Trajectory) -> NDArray[np.float64]:
        """Positions of the tool point at every sample, ``(N, 3)``."""
        count = max(2, int(trajectory.duration / _SAMPLE_S))
        moments = np.linspace(0.0, trajectory.duration, count)
        return np.array(
            [self._robot.tcp_matrix(trajectory.sample(float(t))[0])[:3, 3] for t in moments]
        )


def angle_between(first: Pose, second: Pose) -> float:
    """Angle between two orientations, radians."""
    x, y, z, w = (first.inverse() @ second).orientation
    return 2.0 * float(np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w)))


def _refused(why: str) -> MotionError:
    return MotionError("no_path", f"MoveIt's trajectory is refused: {why}")
