"""What a Panda reaches from above: light inverse kinematics to sample feasible layouts."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import Pose, top_down, wrap_angle
from malmm_ros.models.description import ARM_DOF, BASE_POSE, READY_POSITIONS
from malmm_ros.models.mjcf import panda_spec

_ITERATIONS = 40
_POSITION_TOLERANCE = 5e-4
_ANGLE_TOLERANCE = 5e-3
_DAMPING = 1e-3
_LARGEST_STEP = 0.4
# Away from the joints' stops, so that planners have room too (radians).
_LIMIT_MARGIN = 0.05
# Nearer to its base the arm folds onto itself; farther out it cannot point down at the table.
_NEAREST, _FARTHEST = 0.33, 0.80


class Reach:
    """Inverse kinematics of one arm with the hand pointing down."""

    def __init__(self, base: Pose = BASE_POSE) -> None:
        self._base = base
        self._model = panda_spec(base=base).compile()
        self._data = mujoco.MjData(self._model)
        limits = self._model.jnt_range[:ARM_DOF]
        self._low, self._high = limits[:, 0] + _LIMIT_MARGIN, limits[:, 1] - _LIMIT_MARGIN
        self._site = self._model.site("panda_hand_tcp").id

    def is_reachable(
        self, position: Sequence[float], yaw: float, *, symmetry: int = 4, lift: float = 0.12
    ) -> bool:
        """Whether the tool point gets to a position and straight up from it, pointing down.

        Args:
            position: World frame.
            yaw: Of the object.
            symmetry: The object's; any of its equal yaws will do. 0: any yaw at all.
            lift: Height over the position that must be reachable too.
        """
        higher = (position[0], position[1], position[2] + lift)
        for candidate in self._yaws(position, yaw, symmetry):
            joints = self.solve(top_down(position, candidate))
            if joints is None:
                continue
            if self.solve(top_down(higher, candidate), seed=joints) is not None:
                return True
        return False

    def solve(
        self, goal: Pose, *, seed: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64] | None:
        """Joint positions ``(7,)`` for a pose of the tool point, or ``None``.

        Damped least squares from the seed, or from the ready posture turned towards the goal.
        """
        local = self._base.inverse() @ goal
        distance = math.hypot(local.position[0], local.position[1])
        if not _NEAREST <= distance <= _FARTHEST:
            return None
        joints = self._start(goal, local) if seed is None else seed.copy()
        rotation = Rotation.from_quat(goal.orientation)
        for _ in range(_ITERATIONS):
            error = self._error(joints, goal, rotation)
            if (
                np.linalg.norm(error[:3]) < _POSITION_TOLERANCE
                and np.linalg.norm(error[3:]) < _ANGLE_TOLERANCE
            ):
                return joints
            jacobian = self._jacobian()
            step = jacobian.T @ np.linalg.solve(
                jacobian @ jacobian.T + _DAMPING * np.eye(6), error
            )
            step *= min(1.0, _LARGEST_STEP / float(np.abs(step).max()))
            joints = np.clip(joints + step, self._low, self._high)
        return None

    def tool_point(self, joints: NDArray[np.float64]) -> Pose:
        """Pose of the tool point, world frame, for joint positions ``(7,)``."""
        self._data.qpos[:ARM_DOF] = joints
        mujoco.mj_kinematics(self._model, self._data)
        matrix = np.eye(4)
        matrix[:3, :3] = self._data.site_xmat[self._site].reshape(3, 3)
        matrix[:3, 3] = self._data.site_xpos[self._site]
        return Pose.from_matrix(matrix)

    def _start(self, goal: Pose, local: Pose) -> NDArray[np.float64]:
        joints = np.array(READY_POSITIONS)
        joints[0] = math.atan2(local.position[1], local.position[0])
        # Pointing down, the hand's yaw is joint 1 minus joint 7, but for the ready offset.
        joints[6] = math.pi / 4 + wrap_angle(joints[0] - local.yaw, 2 * math.pi)
        clipped: NDArray[np.float64] = np.clip(joints, self._low, self._high)
        return clipped

    def _yaws(self, position: Sequence[float], yaw: float, symmetry: int) -> list[float]:
        """Equal yaws for the hand, the one nearest to the arm's own direction first."""
        local = (self._base.inverse() @ Pose((position[0], position[1], position[2]))).position
        arm = self._base.yaw + math.atan2(local[1], local[0])
        if symmetry == 0:
            return [arm]
        turns = math.lcm(2, symmetry)  # the hand itself looks the same after half a turn
        period = 2.0 * math.pi / turns
        return sorted(
            (yaw + index * period for index in range(turns)),
            key=lambda candidate: abs(wrap_angle(candidate - arm)),
        )[:2]

    def _error(
        self, joints: NDArray[np.float64], goal: Pose, rotation: Rotation
    ) -> NDArray[np.float64]:
        self._data.qpos[:ARM_DOF] = joints
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        present = Rotation.from_matrix(self._data.site_xmat[self._site].reshape(3, 3))
        turn = (rotation * present.inv()).as_rotvec()
        return np.concatenate((np.asarray(goal.position) - self._data.site_xpos[self._site], turn))

    def _jacobian(self) -> NDArray[np.float64]:
        jacobian = np.zeros((6, self._model.nv))
        mujoco.mj_jacSite(self._model, self._data, jacobian[:3], jacobian[3:], self._site)
        return jacobian[:, :ARM_DOF]


@functools.lru_cache(maxsize=8)
def reach_of(base: Pose = BASE_POSE) -> Reach:
    """The reach of an arm at a base, made once; not for use from several threads."""
    return Reach(base)
