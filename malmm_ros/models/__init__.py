"""The Panda's description files and what is derived from them."""

from malmm_ros.models.description import (
    ARM_DOF,
    ARM_LIMITS,
    BASE_POSE,
    FINGERTIP_BEYOND_TCP,
    MODEL_DIRECTORY,
    READY_POSITIONS,
    ArmKind,
    ArmLimits,
    arm_joint_names,
    finger_joint_names,
    panda_srdf,
    panda_urdf,
)

__all__ = [
    "ARM_DOF",
    "ARM_LIMITS",
    "BASE_POSE",
    "FINGERTIP_BEYOND_TCP",
    "MODEL_DIRECTORY",
    "READY_POSITIONS",
    "ArmKind",
    "ArmLimits",
    "arm_joint_names",
    "finger_joint_names",
    "panda_srdf",
    "panda_urdf",
]
