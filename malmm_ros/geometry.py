"""Positions, poses and angles: metres, radians, quaternions ``xyzw``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NewType

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
FrameName = NewType("FrameName", str)

WORLD = FrameName("world")
TCP_FRAME = FrameName("panda_hand_tcp")
IDENTITY_ROTATION: Quaternion = (0.0, 0.0, 0.0, 1.0)


def vector3(values: Sequence[float] | NDArray[np.float64]) -> Vector3:
    """Make a plain tuple of three floats.

    Raises:
        ValueError: There are not exactly three finite numbers.
    """
    items = tuple(float(value) for value in values)
    if len(items) != 3 or not all(math.isfinite(item) for item in items):
        raise ValueError(f"expected three finite numbers, got {values!r}")
    return (items[0], items[1], items[2])


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid transform ``parent_from_child``.

    Attributes:
        position: Metres, in the parent frame.
        orientation: Unit quaternion ``xyzw``.
    """

    position: Vector3
    orientation: Quaternion = IDENTITY_ROTATION

    @classmethod
    def from_matrix(cls, matrix: NDArray[np.float64]) -> Pose:
        """Read a homogeneous ``(4, 4)`` matrix."""
        quaternion = Rotation.from_matrix(matrix[:3, :3]).as_quat()
        x, y, z, w = (float(value) for value in quaternion)
        return cls(vector3(matrix[:3, 3]), (x, y, z, w))

    @classmethod
    def from_yaw(cls, position: Sequence[float], yaw: float) -> Pose:
        """An upright pose turned by ``yaw`` about the parent's z axis."""
        half = 0.5 * yaw
        return cls(vector3(position), (0.0, 0.0, math.sin(half), math.cos(half)))

    def matrix(self) -> NDArray[np.float64]:
        """The homogeneous ``(4, 4)`` matrix."""
        result = np.eye(4)
        result[:3, :3] = Rotation.from_quat(self.orientation).as_matrix()
        result[:3, 3] = self.position
        return result

    def inverse(self) -> Pose:
        """``child_from_parent``."""
        rotation = Rotation.from_quat(self.orientation).inv()
        x, y, z, w = (float(value) for value in rotation.as_quat())
        return Pose(vector3(-rotation.apply(self.position)), (x, y, z, w))

    def apply(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn points ``(N, 3)`` of the child frame into the parent frame."""
        rotation = Rotation.from_quat(self.orientation)
        moved: NDArray[np.float64] = rotation.apply(np.atleast_2d(points)) + np.asarray(
            self.position
        )
        return moved

    def __matmul__(self, other: Pose) -> Pose:
        """Chain transforms: ``world_from_a @ a_from_b`` is ``world_from_b``."""
        rotation = Rotation.from_quat(self.orientation)
        x, y, z, w = (
            float(value) for value in (rotation * Rotation.from_quat(other.orientation)).as_quat()
        )
        position = rotation.apply(other.position) + np.asarray(self.position)
        return Pose(vector3(position), (x, y, z, w))

    @property
    def yaw(self) -> float:
        """Heading of the child's x axis in the parent's xy plane, radians in (−π, π]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))

    @property
    def tilt(self) -> float:
        """Angle between the child's z axis and the parent's, radians in [0, π]."""
        x, y, _, _ = self.orientation
        return math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (x * x + y * y))))


def wrap_angle(angle: float, period: float = 2.0 * math.pi) -> float:
    """Bring an angle into ``[−period/2, period/2)``."""
    return (angle + 0.5 * period) % period - 0.5 * period


def yaw_difference(first: float, second: float, *, symmetry: int = 1) -> float:
    """Smallest turn between two yaws of something that repeats.

    Args:
        first: Radians.
        second: Radians.
        symmetry: The look repeats every ``2π / symmetry``; 0 means round, any yaw is alike.

    Returns:
        Radians in ``[0, π / symmetry]``.
    """
    if symmetry == 0:
        return 0.0
    return abs(wrap_angle(first - second, 2.0 * math.pi / symmetry))


def top_down(position: Sequence[float], yaw: float) -> Pose:
    """Pose of the tool point with the hand pointing straight down.

    Args:
        position: Of the tool point, world frame.
        yaw: About world z; 0 lets the fingers close along world y.
    """
    half = 0.5 * yaw
    return Pose(vector3(position), (math.cos(half), math.sin(half), 0.0, 0.0))
