"""The Panda in CoppeliaSim: our own controllers, wired to its joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.models.description import MAX_SPEED, arm_joint_names, finger_joint_names
from malmm_ros.scene import OPEN_WIDTH, GripperState
from malmm_ros.simulation.controllers import ArmController, JointLimits
from malmm_ros.simulation.coppeliasim.session import Session
from malmm_ros.simulation.gripper import GripperController
from malmm_ros.simulation.reach import reach_of
from malmm_ros.trajectory import JointState

# What the simulator is told again only when it has changed by more than this.
_SAME = 1e-9


class _Joints:
    """Some joints of the scene; positions are asked for once in each step."""

    def __init__(self, session: Session, handles: tuple[int, ...]) -> None:
        self._session, self.handles = session, handles
        self._time_s = -1.0
        self.positions = self.velocities = np.zeros(len(handles))
        self._targets = np.full(len(handles), np.nan)
        for handle in handles:
            session.call(
                "setObjectInt32Param",
                handle,
                session.constant("jointintparam_dynctrlmode"),
                session.constant("jointdynctrl_position"),
            )

    def read(self, time_s: float) -> None:
        """Ask for the positions of a moment; velocities are differences to the one before."""
        if time_s == self._time_s:
            return
        call = self._session.call
        positions = np.array([call("getJointPosition", handle) for handle in self.handles], float)
        is_first = self._time_s < 0.0
        elapsed_s = time_s - self._time_s
        self.velocities = (
            np.zeros(len(positions)) if is_first else (positions - self.positions) / elapsed_s
        )
        self.positions, self._time_s = positions, time_s

    def command(self, targets: NDArray[np.float64]) -> None:
        """Set those targets that are others than before."""
        for index, target in enumerate(targets.tolist()):
            if not abs(target - self._targets[index]) <= _SAME:
                self._session.call("setJointTargetPosition", self.handles[index], target)
                self._targets[index] = target


class CoppeliasimArm:
    """Joint and gripper controllers of the arm in the scene.

    Args:
        session: With a running simulation.
        joints: Handles of the seven joints.
        fingers: Handles of the two fingers' joints.
        robot_name: Prefix of our own names for them.
        base: ``world_from_link0``.
        period_s: Of one simulation step.

    Attributes:
        controller: Follows joint trajectories.
        gripper: Moves the fingers.
    """

    def __init__(
        self,
        session: Session,
        *,
        joints: tuple[int, ...],
        fingers: tuple[int, ...],
        robot_name: str,
        base: Pose,
        period_s: float,
    ) -> None:
        self._session, self._base, self._period_s = session, base, period_s
        self.joint_names = arm_joint_names(robot_name)
        self._finger_names = finger_joint_names(robot_name)
        self._arm, self._fingers = _Joints(session, joints), _Joints(session, fingers)
        self._time_s = 0.0
        self._force = 0.0
        self._read()
        self.controller = ArmController(
            joint_names=self.joint_names,
            limits=_limits(session, joints),
            period_s=period_s,
            positions=self._arm.positions.copy(),
        )
        self.gripper = GripperController(width=self.gripper_width, period_s=period_s)
        # Nothing moves until it is told to.
        self._arm.command(self._arm.positions)
        self._fingers.command(self._fingers.positions)

    @property
    def is_active(self) -> bool:
        """Whether anything of it is being moved."""
        return self.controller.is_active or self.gripper.is_active

    @property
    def joint_state(self) -> JointState:
        """Arm joints now."""
        self._read()
        return JointState(
            names=self.joint_names,
            positions=self._arm.positions.copy(),
            velocities=self._arm.velocities.copy(),
        )

    @property
    def finger_state(self) -> JointState:
        """Finger joints now, metres."""
        self._read()
        return JointState(
            names=self._finger_names,
            positions=self._fingers.positions.copy(),
            velocities=self._fingers.velocities.copy(),
        )

    @property
    def gripper_width(self) -> float:
        """Full opening now, metres."""
        self._read()
        return max(0.0, float(self._fingers.positions.sum()))

    @property
    def tcp(self) -> Pose:
        """Pose of the tool point by the joints and our own model, world frame."""
        self._read()
        return reach_of(self._base).tool_point(self._arm.positions)

    @property
    def gripper_state(self) -> GripperState:
        """Hand as it is; what it holds is not decided here."""
        tcp, width = self.tcp, self.gripper_width
        return GripperState(tcp=tcp, yaw=tcp.yaw, width=width, is_open=width >= OPEN_WIDTH)

    def control(self) -> None:
        """Advance both controllers by one step and set the joints' targets."""
        self._read()
        position, velocity, _ = self.controller.update(
            self._arm.positions.copy(), self._arm.velocities
        )
        # The simulator reaches a target at the step's end; the reference is of its middle.
        self._arm.command(position + 0.5 * self._period_s * velocity)
        width, force = self.gripper.update(
            self.gripper_width, float(self._fingers.velocities.sum())
        )
        if force != self._force:
            for handle in self._fingers.handles:
                self._session.call("setJointTargetForce", handle, force)
            self._force = force
        self._fingers.command(np.full(2, 0.5 * width))

    def advance(self, time_s: float) -> None:
        """The simulation has gone on to another moment."""
        self._time_s = time_s

    def _read(self) -> None:
        self._arm.read(self._time_s)
        self._fingers.read(self._time_s)


def _limits(session: Session, joints: tuple[int, ...]) -> JointLimits:
    """Ranges as the scene has them, speeds as the arm's maker gives them."""
    ranges = [session.call("getJointInterval", handle) for handle in joints]
    low = np.array([-np.pi if cyclic else interval[0] for cyclic, interval in ranges])
    span = np.array([2.0 * np.pi if cyclic else interval[1] for cyclic, interval in ranges])
    return JointLimits(low=low, high=low + span, speed=np.asarray(MAX_SPEED))
