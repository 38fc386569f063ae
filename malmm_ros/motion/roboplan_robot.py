"""The arm as roboplan sees it: model, limits, forward kinematics."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import roboplan.core as core
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.models import (
    ARM_DOF,
    ARM_LIMITS,
    MODEL_DIRECTORY,
    READY_POSITIONS,
    arm_joint_names,
    finger_joint_names,
    panda_srdf,
    panda_urdf,
)
from malmm_ros.motion.roboplan_config import RoboplanConfig

MAX_FINGER_TRAVEL = 0.04


class PlanningRobot:
    """One arm in one roboplan scene; not safe for use by several threads.

    Attributes:
        scene: roboplan's scene; its current state holds the finger joint.
        names: The seven arm joints.
        ready: ``(7,)``, the posture to prefer.
        low: ``(7,)``, radians.
        high: ``(7,)``, radians.
        max_velocity: ``(7,)``, radians per second, unscaled.
        max_acceleration: ``(7,)``, radians per second squared, unscaled.
        last_joint_from_tcp: For geometries fixed to the tool point.
    """

    def __init__(self, config: RoboplanConfig) -> None:
        prefix = config.robot_name
        self.names = arm_joint_names(prefix)
        self.group = f"{prefix}_arm"
        self.tcp_frame = f"{prefix}_hand_tcp"
        self.arm_links = tuple(f"{prefix}_link{index}" for index in range(8))
        self.hand_links: tuple[str, ...] = tuple(
            f"{prefix}_{name}" for name in ("hand", "leftfinger", "rightfinger")
        )
        urdf = panda_urdf(
            robot_name=prefix,
            base=config.base,
            mesh_root=str(MODEL_DIRECTORY),
            arm=config.arm,
        )
        self.scene = core.Scene(prefix, core.loadUrdfSceneDescriptionFromXml(urdf, []))
        self.scene.importSrdf(panda_srdf(robot_name=prefix))
        self._fill_hand()
        self.max_acceleration = np.asarray(ARM_LIMITS[config.arm].acceleration)
        self._import_acceleration_limits()
        self.low, self.high = self.scene.getPositionLimitVectors(self.group)
        self.max_velocity = self.scene.getVelocityLimitVectors(self.group)[1]
        joints = self.scene.getJointNames()
        assert tuple(joints) == (*self.names, finger_joint_names(prefix)[0])
        self.ready = np.array(READY_POSITIONS)
        self._full = np.zeros(ARM_DOF + 1)
        # roboplan 0.7 places added geometries relative to the parent joint of the frame named.
        link = self.scene.forwardKinematics(self._full, self.arm_links[7])
        tcp = self.scene.forwardKinematics(self._full, self.tcp_frame)
        self.last_joint_from_tcp = Pose.from_matrix(np.linalg.inv(link) @ tcp)

    def set_fingers(self, width: float) -> None:
        """Hold both fingers at half of the full opening ``width`` from now on."""
        self._full[ARM_DOF] = min(max(0.5 * width, 0.0), MAX_FINGER_TRAVEL)
        self.scene.setJointPositions(self._full)

    def full(self, arm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Arm joints ``(7,)`` with the finger joint appended, ``(8,)``."""
        result = self._full.copy()
        result[:ARM_DOF] = arm
        return result

    def tcp_matrix(self, arm: NDArray[np.float64]) -> NDArray[np.float64]:
        """``world_from_tcp`` as ``(4, 4)``."""
        matrix: NDArray[np.float64] = self.scene.forwardKinematics(self.full(arm), self.tcp_frame)
        return matrix

    def tcp_jacobian(self, arm: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(6, 7)``, linear over angular velocity, in the tool point's own frame."""
        jacobian: NDArray[np.float64] = self.scene.computeFrameJacobian(
            self.full(arm), self.tcp_frame, True
        )
        return jacobian[:, :ARM_DOF]

    def is_colliding(self, arm: NDArray[np.float64]) -> bool:
        """Whether any enabled pair touches."""
        return bool(self.scene.hasCollisions(self.full(arm)))

    def is_path_colliding(
        self, first: NDArray[np.float64], second: NDArray[np.float64], step: float
    ) -> bool:
        """Whether the straight joint motion touches anything, checked every ``step``."""
        return bool(
            core.hasCollisionsAlongPath(
                self.scene, self.full(first), self.full(second), step, True
            )
        )

    def _fill_hand(self) -> None:
        """Put a box inside the hand: roboplan's meshes are hollow, and blocks fit inside."""
        zero = np.zeros(ARM_DOF + 1)
        link = self.scene.forwardKinematics(zero, self.arm_links[7])
        hand = self.scene.forwardKinematics(zero, self.hand_links[0])
        center = np.eye(4)
        center[2, 3] = 0.02
        placement = np.asfortranarray(np.linalg.inv(link) @ hand @ center)
        name = f"{self.hand_links[0]}_filling"
        box = core.Box(0.04, 0.16, 0.06)
        # Fixed to a bare frame, since a link's name stands for all that is fixed to it.
        frame = self.arm_links[7].replace("link7", "link8")
        self.scene.addBoxGeometry(name, frame, box, placement, np.ones(4))
        pairs = [(name, other) for other in (*self.arm_links, *self.hand_links)]
        self.scene.setCollisions(pairs, False)
        self.hand_links = (*self.hand_links, name)

    def _import_acceleration_limits(self) -> None:
        """TOPP-RA needs them and URDF cannot hold them; roboplan reads them from a file only."""
        lines = ["joint_limits:"]
        for name, limit in zip(self.names, self.max_acceleration, strict=True):
            lines.append(f"  {name}: {{max_acceleration: [{limit}]}}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "limits.yaml"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            self.scene.importJointLimitsFromConfig(core.loadJointLimitsConfig(path))
