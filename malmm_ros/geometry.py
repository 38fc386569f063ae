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


def multiply_quaternions(first: Quaternion, second: Quaternion) -> Quaternion:
    """Hamilton product ``first ⊗ second`` of unit quaternions ``xyzw``, normalised."""
    x1, y1, z1, w1 = first
    x2, y2, z2, w2 = second
    x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    y = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2
    z = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    return (x * scale, y * scale, z * scale, w * scale)


def rotate(orientation: Quaternion, vector: Vector3) -> Vector3:
    """Turn a vector by a unit quaternion ``xyzw``."""
    qx, qy, qz, qw = orientation
    x, y, z = vector
    tx = 2.0 * (qy * z - qz * y)
    ty = 2.0 * (qz * x - qx * z)
    tz = 2.0 * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


def rotation_matrix(orientation: Quaternion) -> NDArray[np.float64]:
    """The ``(3, 3)`` matrix of a unit quaternion ``xyzw``."""
    x, y, z, w = orientation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


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
        x, y, z, w = Rotation.from_matrix(matrix[:3, :3]).as_quat().tolist()
        return cls(vector3(matrix[:3, 3]), (x, y, z, w))

    @classmethod
    def from_yaw(cls, position: Sequence[float], yaw: float) -> Pose:
        """An upright pose turned by ``yaw`` about the parent's z axis."""
        half = 0.5 * yaw
        return cls(vector3(position), (0.0, 0.0, math.sin(half), math.cos(half)))

    # Plain arithmetic below: chained poses are on the planner's hot path, where scipy's
    # rotations cost thirty times as much.

    def matrix(self) -> NDArray[np.float64]:
        """The homogeneous ``(4, 4)`` matrix."""
        result = np.eye(4)
        result[:3, :3] = rotation_matrix(self.orientation)
        result[:3, 3] = self.position
        return result

    def inverse(self) -> Pose:
        """``child_from_parent``."""
        x, y, z, w = self.orientation
        back = (-x, -y, -z, w)
        px, py, pz = rotate(back, self.position)
        return Pose((-px, -py, -pz), back)

    def apply(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn points ``(N, 3)`` of the child frame into the parent frame."""
        moved: NDArray[np.float64] = np.atleast_2d(points) @ rotation_matrix(
            self.orientation
        ).T + np.asarray(self.position)
        return moved

    def __matmul__(self, other: Pose) -> Pose:
        """Chain transforms: ``world_from_a @ a_from_b`` is ``world_from_b``."""
        x, y, z = rotate(self.orientation, other.position)
        px, py, pz = self.position
        return Pose(
            (x + px, y + py, z + pz), multiply_quaternions(self.orientation, other.orientation)
        )

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
