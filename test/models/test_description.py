"""The description of the arm: limits of both arms, and what MoveIt asks of an SRDF."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pinocchio
import pytest

from malmm_ros.models import (
    ARM_LIMITS,
    READY_POSITIONS,
    ArmKind,
    arm_joint_names,
    panda_srdf,
    panda_urdf,
)


@pytest.mark.parametrize("arm", ["panda", "fr3"])
def test_the_urdf_states_the_limits_of_its_arm(arm: ArmKind) -> None:
    model = pinocchio.buildModelFromXML(panda_urdf(robot_name="left", arm=arm))
    for index, name in enumerate(arm_joint_names("left")):
        place = model.joints[model.getJointId(name)].idx_q
        assert model.lowerPositionLimit[place] == pytest.approx(ARM_LIMITS[arm].low[index])
        assert model.upperPositionLimit[place] == pytest.approx(ARM_LIMITS[arm].high[index])
        assert model.velocityLimit[place] == pytest.approx(ARM_LIMITS[arm].speed[index])


def test_the_files_own_limits_are_the_pandas() -> None:
    root = ElementTree.fromstring(panda_urdf(arm="panda"))
    joint = root.find("joint[@name='panda_joint6']/limit")
    assert joint is not None
    assert (joint.get("lower"), joint.get("upper")) == ("-0.0175", "3.7525")


@pytest.mark.parametrize("arm", ["panda", "fr3"])
def test_the_ready_posture_is_far_from_the_limits(arm: ArmKind) -> None:
    limits = ARM_LIMITS[arm]
    for value, low, high in zip(READY_POSITIONS, limits.low, limits.high, strict=True):
        assert low + 0.5 < value < high - 0.5


@pytest.mark.parametrize("robot_name", ["panda", "left"])
def test_the_end_effector_is_the_hands_group_on_a_link_of_the_arms(robot_name: str) -> None:
    srdf = ElementTree.fromstring(panda_srdf(robot_name=robot_name))
    urdf = ElementTree.fromstring(panda_urdf(robot_name=robot_name))
    effector = srdf.find("end_effector")
    assert effector is not None
    assert effector.get("parent_group") == f"{robot_name}_arm"
    # MoveIt refuses one whose parent group is its own or lacks the parent link; a group that
    # names joints has the links below them.
    assert effector.get("group") not in (None, effector.get("parent_group"))
    groups = {group.get("name"): group for group in srdf.findall("group")}
    assert effector.get("group") in groups
    joints = [joint.get("name") for joint in groups[f"{robot_name}_arm"].findall("joint")]
    children = [urdf.find(f"joint[@name='{name}']/child") for name in joints]
    assert effector.get("parent_link") in [
        child.get("link") for child in children if child is not None
    ]
