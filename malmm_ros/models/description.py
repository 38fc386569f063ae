"""The Panda's description: one URDF for planner, simulator, RViz and browser."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import Pose

MODEL_DIRECTORY = Path(__file__).parent / "panda"
PACKAGE_PREFIX = "package://malmm_ros/models/panda"

ARM_DOF = 7
BASE_POSE = Pose((-0.27, 0.0, 0.752))
# Fingers point down over the middle of the workspace, elbow up, all joints far from their limits.
READY_POSITIONS = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)
FINGERTIP_BEYOND_TCP = 0.009
# The URDF's speed limits, rad/s.
MAX_SPEED = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
# Franka Emika, "Robot and interface specifications": joint acceleration limits, rad/s².
MAX_ACCELERATION = (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)

ArmKind = Literal["panda", "fr3"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLimits:
    """What the seven joints of an arm may do, from base to hand.

    Attributes:
        low: Radians.
        high: Radians.
        speed: Radians per second.
        acceleration: Radians per second squared.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    speed: tuple[float, ...]
    acceleration: tuple[float, ...]


# Positions: franka_description, robots/fer and robots/fr3, joint_limits.yaml; the lengths of both
# arms are the same (kinematics.yaml). The FR3's own limits of speed are higher, but shrink near
# the ends of its joints ("Robot and interface specifications"): it is driven as a Panda, and
# within its 10 rad/s².
ARM_LIMITS: Mapping[ArmKind, ArmLimits] = MappingProxyType(
    {
        "panda": ArmLimits(
            low=(-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973),
            high=(2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973),
            speed=MAX_SPEED,
            acceleration=MAX_ACCELERATION,
        ),
        "fr3": ArmLimits(
            low=(-2.7437, -1.7837, -2.9007, -3.0421, -2.8065, 0.5445, -3.0159),
            high=(2.7437, 1.7837, 2.9007, -0.1518, 2.8065, 4.5169, 3.0159),
            speed=MAX_SPEED,
            acceleration=(10.0, 7.5, 10.0, 10.0, 10.0, 10.0, 10.0),
        ),
    }
)


def arm_joint_names(robot_name: str = "panda") -> tuple[str, ...]:
    """The seven arm joints from base to hand."""
    return tuple(f"{robot_name}_joint{index}" for index in range(1, ARM_DOF + 1))


def finger_joint_names(robot_name: str = "panda") -> tuple[str, str]:
    """The two finger joints; each moves 0 to 0.04 m."""
    return (f"{robot_name}_finger_joint1", f"{robot_name}_finger_joint2")


def panda_urdf(
    *,
    robot_name: str = "panda",
    base: Pose = BASE_POSE,
    mesh_root: str = PACKAGE_PREFIX,
    arm: ArmKind = "panda",
) -> str:
    """The URDF as text.

    Args:
        robot_name: Prefix of every link and joint.
        base: ``world_from_link0``.
        mesh_root: Put before ``/meshes/…``: the package URI, or a folder for tools without ROS.
        arm: Whose joint limits it states; the shapes are the Panda's.
    """
    text = (MODEL_DIRECTORY / "panda.urdf").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    origin = root.find("joint[@name='panda_base_joint']/origin")
    assert origin is not None
    origin.set("xyz", " ".join(f"{value:.6g}" for value in base.position))
    roll_pitch_yaw = Rotation.from_quat(base.orientation).as_euler("xyz")
    origin.set("rpy", " ".join(f"{value:.9g}" for value in np.asarray(roll_pitch_yaw)))
    for mesh in root.iter("mesh"):
        mesh.set("filename", mesh.get("filename", "").replace(PACKAGE_PREFIX, mesh_root))
    _set_limits(root, ARM_LIMITS[arm])
    _rename(root, robot_name)
    return ElementTree.tostring(root, encoding="unicode")


def panda_srdf(*, robot_name: str = "panda") -> str:
    """Groups, the ready state and the pairs of links that need no collision check, as text."""
    root = ElementTree.fromstring((MODEL_DIRECTORY / "panda.srdf").read_text(encoding="utf-8"))
    _rename(root, robot_name)
    return ElementTree.tostring(root, encoding="unicode")


def _set_limits(root: ElementTree.Element, limits: ArmLimits) -> None:
    for index, name in enumerate(arm_joint_names()):
        limit = root.find(f"joint[@name='{name}']/limit")
        assert limit is not None
        for key, values in (
            ("lower", limits.low),
            ("upper", limits.high),
            ("velocity", limits.speed),
        ):
            limit.set(key, f"{values[index]:g}")


def _rename(root: ElementTree.Element, robot_name: str) -> None:
    """Put another prefix before links, joints and groups; file names stay."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key != "filename" and value.startswith("panda"):
                element.set(key, robot_name + value.removeprefix("panda"))
