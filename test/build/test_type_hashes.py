"""Our stand-ins for tf2_msgs, control_msgs and moveit_msgs are what other ROS 2 machines speak.

A type hash covers the names, types and order of all fields, down to the leaves. The expected ones
come from the official packages' generated code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

OFFICIAL = {
    "tf2_msgs/msg/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "control_msgs/msg/GripperCommand": (
        "57eb8f326c9889ca8bb34ead82cc94cc09bf6bc5c3b6c09546dca3a00b589890"
    ),
    "control_msgs/msg/JointComponentTolerance": (
        "739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4"
    ),
    "control_msgs/msg/JointTolerance": (
        "c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648"
    ),
    "control_msgs/action/FollowJointTrajectory_Goal": (
        "8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205"
    ),
    "control_msgs/action/FollowJointTrajectory_Result": (
        "8002e99ed2c14c6faa522f2a93c26d744c5982f254f9e98ff9c6f19789bdb220"
    ),
    "control_msgs/action/FollowJointTrajectory_SendGoal": (
        "b13789dddc325a7a962825c45e28c77d37237ec129dd0c34dc5994562938c57f"
    ),
    "control_msgs/action/ParallelGripperCommand": (
        "adfd3c1ebe8abc38ebcc0e454b6423d291d4010dd5697d14eca5b9be4726ae18"
    ),
    "moveit_msgs/srv/ApplyPlanningScene": (
        "8e6134783db0987c0acedbfd2f16f608a8f7a54e83a7bbb372e851af419f4d72"
    ),
    "moveit_msgs/srv/GetPlanningScene": (
        "7ed7e96238b902174d985b0eb739ea08c95377e8e46a6a9014c22497faf79cd2"
    ),
    "moveit_msgs/srv/GetPositionIK": (
        "054ed6f6f71a09b01b5246c5d80beb4dacc6f444f58df039849c76292933e9e3"
    ),
    "moveit_msgs/msg/Constraints": (
        "71718200459ae8fecdc4f2c9631215f7eba5ff686c701a32e231ba8b11b3592b"
    ),
    "moveit_msgs/msg/MoveItErrorCodes": (
        "dcda8a9950cf6dd6ac221c2c0d2509f52f136afa0403dd19beacdf07e83e4a07"
    ),
}


def installed_hash(type_name: str) -> str:
    package, kind, name = type_name.split("/")
    file = Path(sys.prefix) / "share" / package / kind / f"{name.split('_')[0]}.json"
    hashes = {
        h["type_name"]: h["hash_string"] for h in json.loads(file.read_text())["type_hashes"]
    }
    return str(hashes[type_name])


@pytest.mark.parametrize("type_name", OFFICIAL)
def test_type_hash_is_the_official_one(type_name: str) -> None:
    assert installed_hash(type_name) == f"RIHS01_{OFFICIAL[type_name]}"


def test_trajectory_feedback_has_kilteds_indices() -> None:
    from control_msgs.action import FollowJointTrajectory

    fields = FollowJointTrajectory.Feedback.get_fields_and_field_types()
    assert fields["index"] == fields["multi_dof_index"] == "int32"
