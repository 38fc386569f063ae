"""The simulated Panda agrees with the one URDF."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.models import (
    ARM_DOF,
    BASE_POSE,
    READY_POSITIONS,
    arm_joint_names,
    finger_joint_names,
    panda_urdf,
)
from malmm_ros.models.mjcf import actuator_names, add_panda, panda_spec

TURNED_BASE = Pose.from_yaw((0.9, 0.2, 0.7), 2.5)


@pytest.mark.parametrize(("robot_name", "base"), [("panda", BASE_POSE), ("second", TURNED_BASE)])
def test_tool_points_of_urdf_and_simulation_agree(robot_name: str, base: Pose) -> None:
    urdf = pinocchio.buildModelFromXML(panda_urdf(robot_name=robot_name, base=base))
    urdf_data = urdf.createData()
    frame = urdf.getFrameId(f"{robot_name}_hand_tcp")
    model = panda_spec(robot_name=robot_name, base=base).compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(7)
    for _ in range(50):
        joints = rng.uniform(model.jnt_range[:ARM_DOF, 0], model.jnt_range[:ARM_DOF, 1])
        data.qpos[:ARM_DOF] = joints
        mujoco.mj_kinematics(model, data)
        configuration = pinocchio.neutral(urdf)
        for name, value in zip(arm_joint_names(robot_name), joints, strict=True):
            configuration[urdf.joints[urdf.getJointId(name)].idx_q] = value
        pinocchio.framesForwardKinematics(urdf, urdf_data, configuration)
        expected = urdf_data.oMf[frame]
        site = data.site(f"{robot_name}_hand_tcp")
        assert np.abs(site.xpos - expected.translation).max() < 1e-6
        assert np.abs(site.xmat.reshape(3, 3) - expected.rotation).max() < 1e-6


def test_joint_limits_are_the_urdfs() -> None:
    urdf = pinocchio.buildModelFromXML(panda_urdf())
    model = panda_spec().compile()
    for name in (*arm_joint_names(), *finger_joint_names()):
        index = urdf.joints[urdf.getJointId(name)].idx_q
        low, high = model.joint(name).range
        assert low == pytest.approx(urdf.lowerPositionLimit[index])
        assert high == pytest.approx(urdf.upperPositionLimit[index])


def test_gravity_does_not_move_the_arm_at_rest() -> None:
    model = panda_spec().compile()
    data = mujoco.MjData(model)
    data.qpos[:ARM_DOF] = READY_POSITIONS
    data.ctrl[:ARM_DOF] = READY_POSITIONS
    mujoco.mj_step(model, data, nstep=1000)
    assert np.abs(data.qpos[:ARM_DOF] - READY_POSITIONS).max() < 1e-4


def test_fingers_move_together() -> None:
    model = panda_spec().compile()
    data = mujoco.MjData(model)
    data.qpos[:ARM_DOF] = READY_POSITIONS
    data.ctrl[:ARM_DOF] = READY_POSITIONS
    data.ctrl[ARM_DOF] = 0.03
    mujoco.mj_step(model, data, nstep=1000)
    first, second = data.qpos[ARM_DOF:]
    assert first == pytest.approx(0.03, abs=1e-3)
    assert second == pytest.approx(first, abs=5e-4)


def test_several_robots_share_one_world() -> None:
    spec = mujoco.MjSpec()
    add_panda(spec, robot_name="alice", index=0)
    add_panda(spec, robot_name="bob", base=TURNED_BASE, index=1)
    model = spec.compile()
    names = [model.actuator(index).name for index in range(model.nu)]
    assert names == [*actuator_names("alice"), *actuator_names("bob")]
    hands = [
        model.body(f"{name}_hand").geomadr[0] + model.body(f"{name}_hand").geomnum[0] - 1
        for name in ("alice", "bob")
    ]
    first, second = (int(hand[0]) if np.ndim(hand) else int(hand) for hand in hands)
    assert model.geom_contype[first] & model.geom_conaffinity[second]
    assert not model.geom_contype[first] & model.geom_conaffinity[first]


def test_what_is_seen_does_not_collide_and_what_collides_is_hidden() -> None:
    model = panda_spec().compile()
    for index in range(model.ngeom):
        is_visual = model.geom(index).group[0] == 1
        assert is_visual == (model.geom_contype[index] == 0)
