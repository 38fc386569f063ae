"""Joint paths to timed trajectories within velocity and acceleration limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import roboplan.core as core
import roboplan.toppra as toppra
from numpy.typing import NDArray

from malmm_ros.errors import MotionError
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.trajectory import Trajectory

# Pieces shorter than this at the end of a trajectory are merged into the one before.
_SHORTEST_STEP_S = 1e-3


class Timing:
    """TOPP-RA over a spline through the path."""

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._parameterizer = toppra.PathParameterizerTOPPRA(robot.scene, robot.group)
        options = partial(
            toppra.TOPPRAOptions,
            dt=config.sample_period_s,
            velocity_scale=config.velocity_scale,
            acceleration_scale=config.acceleration_scale,
        )
        mode = toppra.SplineFittingMode
        # The only fitting that never collided after a collision-free path.
        self._sparse = options(mode=mode.Adaptive, max_adaptive_step_size=0.02)
        # Splines through many near points are driven at a fraction of the possible speed.
        self._dense = options(mode=mode.LinearBlend, max_blend_deviation=5e-4)
        self._max_velocity = config.velocity_scale * robot.max_velocity
        self._max_acceleration = config.acceleration_scale * robot.max_acceleration
        self._period_s = config.sample_period_s

    def resting(self, arm: NDArray[np.float64]) -> Trajectory:
        """Stay where the arm is for one sample."""
        return Trajectory(
            names=self._robot.names,
            times=np.array([0.0, self._period_s]),
            positions=np.stack([arm, arm]),
            velocities=np.zeros((2, len(arm))),
        )

    def time(self, path: Sequence[NDArray[np.float64]], *, is_dense: bool = False) -> Trajectory:
        """From rest to rest through ``path`` of arm joints, each ``(7,)``.

        Args:
            path: Waypoints.
            is_dense: They stand close together along a smooth curve, to be kept to exactly.

        Raises:
            MotionError: No timing was found (category ``no_path``).
        """
        joint_path = core.JointPath()
        joint_path.joint_names = list(self._robot.names)
        joint_path.positions = list(path)
        try:
            timed = self._parameterizer.generate(
                joint_path, self._dense if is_dense else self._sparse
            )
        except RuntimeError as error:
            raise MotionError("no_path", f"the path found cannot be timed: {error}") from error
        times = np.asarray(timed.times)
        positions = np.asarray(timed.positions)
        velocities = np.asarray(timed.velocities)
        keep = np.ones(len(times), dtype=bool)
        if len(times) > 2 and times[-1] - times[-2] < _SHORTEST_STEP_S:
            keep[-2] = False
        velocities[0] = velocities[-1] = 0.0
        return self._slowed(times[keep], positions[keep], velocities[keep])

    def _slowed(
        self,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
    ) -> Trajectory:
        """Stretch time where TOPP-RA's grid let a limit slip between its points."""
        steps = np.diff(times)[:, None]
        chords = np.diff(positions, axis=0) / steps
        # Acceleration of the cubic Hermite pieces at both of their ends.
        first = (6.0 * chords - 4.0 * velocities[:-1] - 2.0 * velocities[1:]) / steps
        last = (-6.0 * chords + 2.0 * velocities[:-1] + 4.0 * velocities[1:]) / steps
        speeding = max(
            float((np.abs(velocities) / self._max_velocity).max()),
            float((np.abs(chords) / self._max_velocity).max()),
        )
        pushing = max(float((np.abs(a) / self._max_acceleration).max()) for a in (first, last))
        stretch = max(1.0, speeding, pushing**0.5)
        return Trajectory(
            names=self._robot.names,
            times=times * stretch,
            positions=positions,
            velocities=velocities / stretch,
        )
