"""The Panda for MuJoCo, derived from its URDF: what a URDF cannot say is added here."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import mujoco

from malmm_ros.geometry import Pose
from malmm_ros.models.description import (
    ARM_DOF,
    BASE_POSE,
    MODEL_DIRECTORY,
    arm_joint_names,
    finger_joint_names,
    panda_urdf,
)

TIME_STEP_S = 0.002
COLLISION_GROUP = 3
VISUAL_GROUP = 1
# Bits of contype and conaffinity: the world meets everything; each arm has a bit of its own and
# meets everything but itself (the planner keeps its links apart).
WORLD_BIT = 1
_ALL_BITS = (1 << 16) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PandaPhysics:
    """Parameters that gave stable grasps and stacks.

    Attributes:
        stiffness: Servo gain of joints 1 to 7, N·m/rad.
        damping_ratio: Velocity gain over stiffness, seconds.
        torque_limit: Of joints 1 to 7, N·m.
        armature: Rotor inertia seen at each arm joint, kg·m².
        grip_stiffness: Of the gripper's servo, N/m at the mean of both fingers.
        grip_damping: N·s/m.
        grip_force: Greatest force of the gripper's servo, N; each finger gets half of it.
    """

    stiffness: tuple[float, ...] = (4500.0, 4500.0, 3500.0, 3500.0, 2000.0, 2000.0, 2000.0)
    damping_ratio: float = 0.1
    torque_limit: tuple[float, ...] = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)
    armature: float = 0.1
    grip_stiffness: float = 8000.0
    grip_damping: float = 200.0
    grip_force: float = 80.0


def panda_spec(
    *,
    robot_name: str = "panda",
    base: Pose = BASE_POSE,
    physics: PandaPhysics | None = None,
) -> mujoco.MjSpec:
    """One Panda alone; see :func:`add_panda`."""
    spec = mujoco.MjSpec()
    spec.modelname = robot_name
    set_solver(spec)
    add_panda(spec, robot_name=robot_name, base=base, physics=physics)
    return spec


def set_solver(spec: mujoco.MjSpec) -> None:
    """Time step, integrator and contact model for which all gains and contacts here are made."""
    spec.option.timestep = TIME_STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0


def add_panda(
    parent: mujoco.MjSpec,
    *,
    robot_name: str = "panda",
    base: Pose = BASE_POSE,
    physics: PandaPhysics | None = None,
    index: int = 0,
) -> None:
    """Stand a Panda in a world; several with different names may share it.

    Bodies and joints have the URDF's names; site ``NAME_hand_tcp``; actuators are named as the
    arm joints, and ``NAME_gripper`` commands the mean finger position in metres.

    Args:
        parent: Changed in place.
        robot_name: Prefix of all its names.
        base: ``world_from_link0``.
        physics: Gains and limits.
        index: Which robot of this world it is; arms of different index collide.
    """
    physics = physics or PandaPhysics()
    # The names get their prefix on attaching: "_joint1" becomes "panda_joint1".
    spec = mujoco.MjSpec.from_string(_urdf_for_mujoco(base), assets=dict(_mesh_files()))
    _prefix_meshes(spec)
    _shape_collisions(spec, arm_bit=WORLD_BIT << (index + 1))
    _drive_arm(spec, physics)
    _drive_gripper(spec, physics)
    spec.body("_hand_tcp").add_site(name="_hand_tcp", group=4, size=[0.005, 0.0, 0.0])
    for body in spec.bodies:
        body.gravcomp = 1.0
    parent.attach(spec, frame=parent.worldbody.add_frame(), prefix=robot_name)


@functools.cache
def _mesh_files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(MODEL_DIRECTORY.rglob("*.stl"))}


def _urdf_for_mujoco(base: Pose) -> str:
    root = ElementTree.fromstring(panda_urdf(robot_name="", base=base, mesh_root=""))
    extension = ElementTree.Element("mujoco")
    ElementTree.SubElement(
        extension,
        "compiler",
        {"discardvisual": "false", "fusestatic": "false", "strippath": "true"},
    )
    root.insert(0, extension)
    return ElementTree.tostring(root, encoding="unicode")


def _prefix_meshes(spec: mujoco.MjSpec) -> None:
    """Give meshes the robot's name, so that several robots fit into one model."""
    geoms = [geom for geom in spec.geoms if geom.meshname]
    for mesh in spec.meshes:
        old, mesh.name = mesh.name, f"_{mesh.name}"
        if mesh.file.rpartition(".")[0].endswith(("_light", "_dark")):
            # The reduced meshes are not closed: no volume to weigh (the inertia is the URDF's).
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        for geom in geoms:
            if geom.meshname == old:
                geom.meshname = mesh.name


def _shape_collisions(spec: mujoco.MjSpec, *, arm_bit: int) -> None:
    """Collision shapes meet the world, hidden; visual ones are shown and meet nothing."""
    fingers = ("_leftfinger", "_rightfinger")
    for body in spec.bodies:
        for geom in body.geoms:
            if geom.contype == 0:
                geom.group = VISUAL_GROUP
                continue
            geom.group = COLLISION_GROUP
            geom.contype, geom.conaffinity = arm_bit, _ALL_BITS & ~arm_bit
            if body.name in fingers:
                _make_gripping(geom)


def _make_gripping(geom: Any) -> None:
    geom.condim = 6
    geom.friction = [1.5, 0.05, 0.002]
    geom.solref = [0.004, 1.0]
    geom.solimp = [0.95, 0.99, 0.001, 0.5, 2.0]
    geom.priority = 1


def _drive_arm(spec: mujoco.MjSpec, physics: PandaPhysics) -> None:
    for index, name in enumerate(arm_joint_names("")):
        joint = spec.joint(name)
        joint.armature = physics.armature
        limit, stiffness = physics.torque_limit[index], physics.stiffness[index]
        actuator = spec.add_actuator(
            name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcerange=[-limit, limit]
        )
        actuator.set_to_position(kp=stiffness, kv=stiffness * physics.damping_ratio)


def _drive_gripper(spec: mujoco.MjSpec, physics: PandaPhysics) -> None:
    """One servo on the mean of both fingers; the URDF's mimic keeps them together."""
    tendon = spec.add_tendon(name="_fingers")
    for name in finger_joint_names(""):
        tendon.wrap_joint(name, 0.5)
    actuator = spec.add_actuator(
        name="_gripper",
        target=tendon.name,
        trntype=mujoco.mjtTrn.mjTRN_TENDON,
        forcerange=[-physics.grip_force, physics.grip_force],
        ctrlrange=[0.0, 0.04],
    )
    actuator.set_to_position(kp=physics.grip_stiffness, kv=physics.grip_damping)


def actuator_names(robot_name: str = "panda") -> tuple[str, ...]:
    """Actuators in order: the seven arm joints, then the gripper."""
    assert len(PandaPhysics().stiffness) == ARM_DOF
    return (*arm_joint_names(robot_name), f"{robot_name}_gripper")
