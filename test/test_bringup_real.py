"""What a real arm's system makes of its arguments: names, topics, limits and the base's place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from malmm_ros.bringup import REAL, ResolvedNode
from malmm_ros.cli import up
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.models import BASE_POSE

FRANKA = {"arm": "fr3", "robot_ip": "172.16.0.2"}


def nodes(**given: Any) -> dict[str, ResolvedNode]:
    return {node.name: node for node in REAL.resolve({"rviz": "false", **given})}


def transform(node: ResolvedNode) -> dict[str, str]:
    words = list(node.arguments)
    return dict(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize(
    ("given", "arm", "gripper"),
    [
        ({}, "panda", "panda_gripper"),
        ({"arm": "fr3"}, "fr3", "franka_gripper"),
        ({"arm": "fr3", "robot_name": "left"}, "left", "franka_gripper"),
    ],
)
def test_names_follow_from_the_arm_and_its_name(
    given: dict[str, str], arm: str, gripper: str
) -> None:
    motion = nodes(**given)["motion"].parameters
    assert motion["robot_name"] == motion["roboplan.robot_name"] == arm
    assert motion["controllers.arm_action"] == f"{arm}_arm_controller/follow_joint_trajectory"
    assert motion["controllers.gripper_action"] == gripper
    assert motion["roboplan.arm"] == given.get("arm", "panda")


def test_an_unknown_arm_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="argument arm: 'fr4' is unknown"):
        nodes(arm="fr4")


def test_what_is_given_is_not_replaced() -> None:
    given = {"arm_action": "my/arm", "gripper_action": "my/hand", "base_frame": "pedestal"}
    made = nodes(**FRANKA, **given, arm_states="a", gripper_states="b")
    motion = made["motion"].parameters
    assert motion["controllers.arm_action"] == "my/arm"
    assert motion["controllers.gripper_action"] == "my/hand"
    assert motion["controllers.arm_states"] == "a"
    assert motion["controllers.gripper_states"] == "b"
    assert transform(made["world_to_base"])["--child-frame-id"] == "pedestal"


@pytest.mark.parametrize(
    ("given", "arm", "fingers"),
    [
        ({}, "joint_states", "joint_states"),
        (FRANKA, "franka/joint_states", "franka_gripper/joint_states"),
        ({"robot_ip": "1.2.3.4"}, "franka/joint_states", "panda_gripper/joint_states"),
        # What franka_ros2 1 calls the gripper's node.
        (
            {**FRANKA, "gripper_action": "fr3_gripper"},
            "franka/joint_states",
            "fr3_gripper/joint_states",
        ),
        (
            {
                **FRANKA,
                "gripper_interface": "gripper_command",
                "gripper_action": "franka_gripper/gripper_action",
            },
            "franka/joint_states",
            "franka_gripper/joint_states",
        ),
        ({"gripper_states": "hand/joint_states"}, "joint_states", "hand/joint_states"),
    ],
)
def test_motion_and_scene_read_the_same_joint_states(
    given: dict[str, str], arm: str, fingers: str
) -> None:
    made = nodes(**given)
    motion, scene = made["motion"].parameters, made["scene"].parameters
    assert motion["controllers.arm_states"] == scene["vision.arm_states"] == arm
    assert motion["controllers.gripper_states"] == scene["vision.gripper_states"] == fingers


@pytest.mark.parametrize("text", ["0.1,-0.2,0.7", "0.1 -0.2 0.7 0.1 0.2 1.5"])
def test_planner_and_transforms_get_the_same_place_of_the_base(text: str) -> None:
    made = nodes(base_pose=text)
    motion, tf = made["motion"].parameters, transform(made["world_to_base"])
    turn = [float(word) for word in text.split()[3:]] or [0.0, 0.0, 0.0]
    expected = Rotation.from_euler("xyz", turn).as_quat()
    np.testing.assert_allclose(motion["roboplan.base.position"], (0.1, -0.2, 0.7))
    np.testing.assert_allclose(motion["roboplan.base.orientation"], expected)
    words = [float(tf[f"--{name}"]) for name in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    np.testing.assert_allclose(words, [0.1, -0.2, 0.7, *expected], atol=1e-8)


def test_the_base_stands_where_the_simulated_one_does_unless_told() -> None:
    motion = nodes()["motion"].parameters
    assert motion["roboplan.base.position"] == BASE_POSE.position
    assert motion["roboplan.base.orientation"] == BASE_POSE.orientation


@pytest.mark.parametrize("text", ["", "here", "1,2", "1,2,3,4", "1,2,nan"])
def test_a_base_that_is_no_pose_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"argument base_pose: .* must be x,y,z or"):
        nodes(base_pose=text)


def test_no_frame_gets_a_second_parent() -> None:
    # franka_description has base above an FR3's link0; franka_ros2 v0.1 nothing above a Panda's.
    assert transform(nodes(**FRANKA)["world_to_base"])["--child-frame-id"] == "base"
    panda = nodes(robot_ip="1.2.3.4")["world_to_base"]
    assert transform(panda)["--child-frame-id"] == "panda_link0"
    assert transform(nodes(arm="fr3")["world_to_base"])["--child-frame-id"] == "fr3_link0"
    assert "world_to_base" not in nodes(base_transform="false")


def test_frankas_own_rviz_is_enough_unless_ours_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert "rviz" in nodes(rviz="auto")
    assert "rviz" not in nodes(**FRANKA, rviz="auto")
    assert "rviz" in nodes(**FRANKA, rviz="true")


def test_frankas_move_group_is_asked_where_it_is_started_and_for_its_only_pipeline() -> None:
    # Its launch file names no pipelines: MoveIt then has one, by the name move_group.
    motion = nodes(**FRANKA, motion="moveit")["motion"].parameters
    assert (motion["moveit.interface"], motion["moveit.pipeline"]) == ("move_group", "")
    motion = nodes(motion="moveit")["motion"].parameters
    assert (motion["moveit.interface"], motion["moveit.pipeline"]) == ("auto", "ompl")


def test_a_name_that_frankas_launch_file_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"argument robot_name: 'left': .*fr3_joint1"):
        nodes(**FRANKA, robot_name="left")
    assert nodes(**FRANKA, robot_name="left", driver_package="mine")


def test_up_real_lets_other_machines_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, bool] = {}

    class Stop(Exception):  # noqa: N818  # ends the command before anything starts
        pass

    def environment(*, beyond_this_machine: bool) -> dict[str, str]:
        seen["beyond"] = beyond_this_machine
        raise Stop

    monkeypatch.setattr(up, "dds_environment", environment)
    parser = up.argparse.ArgumentParser()
    up.add_arguments(parser)
    for system, is_beyond in (("real", True), ("sim", False)):
        with pytest.raises(Stop):
            up.run(parser.parse_args([system]))
        assert seen["beyond"] is is_beyond
