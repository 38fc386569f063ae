"""One arm in the world: its controllers and their wires to the physics."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.models.description import (
    ARM_DOF,
    MAX_SPEED,
    READY_POSITIONS,
    arm_joint_names,
    finger_joint_names,
)
from malmm_ros.models.mjcf import PandaPhysics
from malmm_ros.scene import MAX_GRIPPER_WIDTH, OPEN_WIDTH, GripperState
from malmm_ros.simulation.controllers import ArmController, ArmControllerConfig, JointLimits
from malmm_ros.simulation.gripper import GripperConfig, GripperController
from malmm_ros.simulation.physics import Physics
from malmm_ros.trajectory import JointState


class SimulatedArm:
    """Joint and gripper controllers of one robot.

    Attributes:
        controller: Follows joint trajectories.
        gripper: Moves the fingers.
    """

    def __init__(
        self,
        physics: Physics,
        robot_name: str,
        *,
        period_s: float,
        controller: ArmControllerConfig | None = None,
        gripper: GripperConfig | None = None,
    ) -> None:
        self.name = robot_name
        self.joint_names = arm_joint_names(robot_name)
        self._physics = physics
        model, data = physics.model, physics.data
        self._data = data
        joints = [model.joint(name) for name in self.joint_names]
        fingers = [model.joint(name) for name in finger_joint_names(robot_name)]
        # An arm's joints stand one after the other in MuJoCo's arrays, the fingers behind them.
        start_q, start_v = int(joints[0].qposadr[0]), int(joints[0].dofadr[0])
        self._q, self._v = slice(start_q, start_q + ARM_DOF), slice(start_v, start_v + ARM_DOF)
        self._finger_q = slice(start_q + ARM_DOF, start_q + ARM_DOF + len(fingers))
        self._finger_v = slice(start_v + ARM_DOF, start_v + ARM_DOF + len(fingers))
        first = int(model.actuator(self.joint_names[0]).id)
        self._ctrl = slice(first, first + ARM_DOF)
        self._grip = int(model.actuator(f"{robot_name}_gripper").id)
        servo = PandaPhysics()
        self._stiffness = np.asarray(servo.stiffness)
        self._lead = servo.damping_ratio
        self._wanted, self._torque = np.zeros(model.nv), np.zeros(model.nv)
        self._bodies = self._find_bodies(model)
        data.qpos[self._q] = READY_POSITIONS
        data.qpos[self._finger_q] = 0.5 * MAX_GRIPPER_WIDTH
        self.controller = ArmController(
            joint_names=self.joint_names,
            limits=JointLimits(
                low=model.jnt_range[[joint.id for joint in joints], 0].copy(),
                high=model.jnt_range[[joint.id for joint in joints], 1].copy(),
                speed=np.asarray(MAX_SPEED),
            ),
            period_s=period_s,
            positions=np.array(READY_POSITIONS),
            config=controller,
        )
        self.gripper = GripperController(
            width=MAX_GRIPPER_WIDTH, period_s=period_s, config=gripper
        )

    def _find_bodies(self, model: mujoco.MjModel) -> frozenset[str]:
        names = (model.body(index).name for index in range(model.nbody))
        return frozenset(name for name in names if name.startswith(f"{self.name}_"))

    @property
    def body_names(self) -> frozenset[str]:
        """All its links."""
        return self._bodies

    @property
    def is_active(self) -> bool:
        """Whether anything of it is being moved."""
        return self.controller.is_active or self.gripper.is_active

    @property
    def joint_state(self) -> JointState:
        """Arm joints now."""
        return JointState(
            names=self.joint_names,
            positions=self._data.qpos[self._q].copy(),
            velocities=self._data.qvel[self._v].copy(),
        )

    @property
    def finger_state(self) -> JointState:
        """Finger joints now, metres."""
        return JointState(
            names=finger_joint_names(self.name),
            positions=self._data.qpos[self._finger_q].copy(),
            velocities=self._data.qvel[self._finger_v].copy(),
        )

    @property
    def gripper_width(self) -> float:
        """Full opening now, metres."""
        return float(self._data.qpos[self._finger_q].sum())

    @property
    def tcp(self) -> Pose:
        """Pose of the tool point, world frame."""
        return self._physics.site_pose(f"{self.name}_hand_tcp")

    @property
    def gripper_state(self) -> GripperState:
        """Hand as it is; what it holds is not decided here."""
        tcp, width = self.tcp, self.gripper_width
        return GripperState(tcp=tcp, yaw=tcp.yaw, width=width, is_open=width >= OPEN_WIDTH)

    def _motion_torque(self, acceleration: NDArray[np.float64]) -> NDArray[np.float64]:
        """Inertial and Coriolis torques ``(7,)``; gravity is already compensated."""
        data = self._data
        self._wanted[self._v] = acceleration
        mujoco.mj_mulM(self._physics.model, data, self._torque, self._wanted)
        torque: NDArray[np.float64] = (
            self._torque[self._v] + data.qfrc_bias[self._v] - data.qfrc_gravcomp[self._v]
        )
        return torque

    def control(self) -> None:
        """Advance both controllers by one period and set the servos."""
        data: Any = self._data
        position, velocity, acceleration = self.controller.update(
            data.qpos[self._q].copy(), data.qvel[self._v]
        )
        # A servo with a velocity gain lags by gain ratio times speed unless led by as much; what
        # the motion's own forces take is added too (7.8 mrad of error without, 1 with).
        data.ctrl[self._ctrl] = (
            position + self._lead * velocity + self._motion_torque(acceleration) / self._stiffness
        )
        width, force = self.gripper.update(
            self.gripper_width, float(data.qvel[self._finger_v].sum())
        )
        data.ctrl[self._grip] = 0.5 * width
        self._physics.model.actuator_forcerange[self._grip] = (-2.0 * force, 2.0 * force)
