"""Read, and for tests and disturbances write, the bodies of a running model by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose, vector3
from malmm_ros.simulation.objects import wxyz


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How fast a body moves.

    Attributes:
        linear: m/s.
        angular: rad/s.
    """

    linear: float
    angular: float

    @property
    def is_rest(self) -> bool:
        """Slower than what an eye would call moving."""
        return self.linear < 0.005 and self.angular < 0.05


class Physics:
    """Names to states of one model; reads are of the last step's end."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.model = model
        self.data = data

    def pose(self, name: str) -> Pose:
        """``world_from_body``.

        Raises:
            UnknownNameError: No body of that name.
        """
        body = self._body(name)
        w, x, y, z = (float(value) for value in self.data.xquat[body])
        return Pose(vector3(self.data.xpos[body]), (x, y, z, w))

    def site_pose(self, name: str) -> Pose:
        """``world_from_site``."""
        site = self.data.site(name)
        matrix = np.eye(4)
        matrix[:3, :3] = site.xmat.reshape(3, 3)
        matrix[:3, 3] = site.xpos
        return Pose.from_matrix(matrix)

    def speed(self, name: str) -> Speed:
        """Of a free body."""
        velocity = self.data.qvel[self._velocity_slice(name)]
        return Speed(
            linear=float(np.linalg.norm(velocity[:3])),
            angular=float(np.linalg.norm(velocity[3:])),
        )

    def place(self, name: str, pose: Pose) -> None:
        """Put a body somewhere, at rest; one that is fixed to the world stays fixed there."""
        if not self.is_free(name):
            body = self._body(name)
            self.model.body_pos[body] = pose.position
            self.model.body_quat[body] = wxyz(pose.orientation)
            mujoco.mj_forward(self.model, self.data)
            return
        start = self.model.jnt_qposadr[self._free_joint(name)]
        self.data.qpos[start : start + 7] = [*pose.position, *wxyz(pose.orientation)]
        self.push(name, np.zeros(6))

    def push(self, name: str, velocity: NDArray[np.float64]) -> None:
        """Give a free body a velocity ``(6,)``: linear in the world, angular in its own frame."""
        self.data.qvel[self._velocity_slice(name)] = velocity
        mujoco.mj_forward(self.model, self.data)

    def state(self) -> NDArray[np.float64]:
        """All that moves, to be restored; where fixed bodies stand is not part of it."""
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_INTEGRATION)
        state = np.empty(size)
        mujoco.mj_getState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        return state

    def restore(self, state: NDArray[np.float64]) -> None:
        """Go back to a former state of this model."""
        mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_forward(self.model, self.data)

    def touching(self, name: str) -> frozenset[str]:
        """Names of the bodies that press on a body now."""
        body = self._body(name)
        contacts = self.data.contact
        first = self.model.geom_bodyid[contacts.geom1]
        second = self.model.geom_bodyid[contacts.geom2]
        others = np.concatenate((second[first == body], first[second == body]))
        return frozenset(self.model.body(int(other)).name for other in np.unique(others))

    def is_free(self, name: str) -> bool:
        """Whether a body can move freely."""
        joint = self.model.body(name).jntadr[0]
        return bool(joint >= 0 and self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE)

    def _body(self, name: str) -> int:
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name)
        if index < 0:
            raise UnknownNameError("object", name, self._names())
        return int(index)

    def _names(self) -> list[str]:
        free: Any = mujoco.mjtJoint.mjJNT_FREE
        joints = np.flatnonzero(self.model.jnt_type == free)
        return [self.model.body(int(self.model.jnt_bodyid[joint])).name for joint in joints]

    def _free_joint(self, name: str) -> int:
        body = self._body(name)
        if not self.is_free(name):
            raise UnknownNameError("object that can move", name, self._names())
        return int(self.model.body_jntadr[body])

    def _velocity_slice(self, name: str) -> slice:
        start = int(self.model.jnt_dofadr[self._free_joint(name)])
        return slice(start, start + 6)
