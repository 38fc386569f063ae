"""Poses as rotation vectors and shifts, for solvers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import Pose, vector3


def pose_from_vectors(turn: NDArray[np.float64], shift: NDArray[np.float64]) -> Pose:
    """A pose from a rotation vector ``(3,)``, radians, and a position ``(3,)``, metres."""
    x, y, z, w = Rotation.from_rotvec(turn).as_quat().tolist()
    return Pose(vector3(shift), (x, y, z, w))


def vectors(pose: Pose) -> NDArray[np.float64]:
    """Rotation vector and position of a pose, ``(6,)``."""
    return np.concatenate((turn_of(pose), pose.position))


def turn_of(pose: Pose) -> NDArray[np.float64]:
    """Rotation vector of a pose, ``(3,)``, radians."""
    turn: NDArray[np.float64] = Rotation.from_quat(pose.orientation).as_rotvec()
    return turn
