"""A real arm: our nodes before ros2_control or franka_ros2, and cameras."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from malmm_ros.bringup.franka import BASE_TEXT, base_of, complete
from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import Argument, Bringup, IncludeEntry, Make, NodeEntry, Use, Value
from malmm_ros.geometry import WORLD

_SIM = {argument.name: argument for argument in SIM.arguments}
_RVIZ = next(entry for entry in SIM.nodes if entry.name == "rviz")
_ADVICE = (
    "it comes with franka_ros2: its branches humble and jazzy have that of an FR3 (arm:=fr3), its "
    "tags up to v0.1.13 that of a Panda; source its workspace, name another package with "
    "driver_package:=, or start the driver yourself and leave robot_ip out"
)


def _wants_rviz(values: Mapping[str, Value]) -> bool:
    """``auto``: as with the simulated arm, but Franka's launch file brings an RViz already."""
    return _RVIZ.is_wanted(values) and not (values["rviz"] == "auto" and values["robot_ip"])


def _base_word(part: str, index: int) -> Make:
    return Make(of=lambda values: f"{getattr(base_of(values), part)[index]:.9g}")


def _brake_actions(values: Mapping[str, Value]) -> tuple[str, ...]:
    """The controllers' actions that are cancelled when nobody watches over the arm."""
    arm, hand = str(values["arm_action"]), str(values["gripper_action"])
    is_franka = values["gripper_interface"] == "franka"
    return arm, *((f"{hand}/move", f"{hand}/grasp") if is_franka else (hand,))


REAL = Bringup(
    name="real",
    doc="our nodes before a real Panda or FR3 with its controllers and cameras",
    complete=complete,
    # The controllers may run on another machine, and so may the cameras and the operator.
    stays_here=False,
    arguments=(
        Argument(
            name="arm",
            default="panda",
            doc="which arm it is: its joints' limits, and how Franka's driver calls things",
            choices=("panda", "fr3"),
        ),
        Argument(
            name="robot_ip",
            default="",
            doc="address of the robot: starts franka_ros2's controllers, gripper and move_group "
            "with it; empty: controllers run already",
        ),
        Argument(
            name="driver_package",
            default="",
            doc="with robot_ip: the package whose launch/moveit.launch.py is started; empty: "
            "franka_fr3_moveit_config for an FR3, franka_moveit_config for a Panda",
        ),
        _SIM["motion"],
        Argument(
            name="arm_action",
            default="",
            doc="the arm controller's control_msgs/FollowJointTrajectory action; empty: "
            "{robot_name}_arm_controller/follow_joint_trajectory",
        ),
        Argument(
            name="gripper_interface",
            default="franka",
            doc="what the hand offers: Franka's move and grasp, control_msgs/GripperCommand or "
            "control_msgs/ParallelGripperCommand",
            choices=("franka", "gripper_command", "parallel_gripper_command"),
        ),
        Argument(
            name="gripper_action",
            default="",
            doc="name of that action; of Franka's gripper node, its name alone; empty: "
            "franka_gripper for an FR3, panda_gripper for a Panda",
        ),
        Argument(
            name="gripper_position",
            default="half",
            doc="whether a commanded position is half or all of the opening (not with franka)",
            choices=("half", "full"),
        ),
        Argument(
            name="arm_states",
            default="",
            doc="topic of the arm's joint states, straight from its driver; empty: "
            "franka/joint_states with robot_ip, else joint_states",
        ),
        Argument(
            name="gripper_states",
            default="",
            doc="topic of the fingers' joint states; empty: the gripper node's own with robot_ip, "
            "else joint_states",
        ),
        Argument(
            name="base_pose",
            default=BASE_TEXT,
            doc="where the arm's base stands in the frame world, for the planner and /tf: x,y,z "
            "or x,y,z,roll,pitch,yaw in metres and radians",
        ),
        Argument(
            name="base_frame",
            default="",
            doc="root of the driver's frames, at link0; empty: base for an FR3 with robot_ip, "
            "else {robot_name}_link0",
        ),
        Argument(
            name="base_transform",
            default=True,
            doc="publish base_pose on /tf_static, from world to base_frame; false: somebody else "
            "publishes the same",
        ),
        Argument(
            name="speed_scale",
            default=0.2,
            doc="motions are driven at this share of their planned speed, 0.01 to 1",
        ),
        Argument(
            name="cameras",
            default="front",
            doc="what to see with, e.g. front,overhead",
        ),
        Argument(
            name="color_topic",
            default="camera/{}/color/image_raw",
            doc="of colour images; {} stands for the camera's name",
        ),
        Argument(
            name="depth_topic",
            default="camera/{}/aligned_depth_to_color/image_raw",
            doc="of depth images aligned to colour, in metres (32FC1) or millimetres (16UC1)",
        ),
        Argument(
            name="info_topic",
            default="camera/{}/color/camera_info",
            doc="of the colour images' camera info",
        ),
        Argument(
            name="calibration",
            default="",
            doc="YAML file of camera poses from `malmm calibrate`; empty: poses come from /tf",
            must_exist=True,
        ),
        _SIM["segmenter"],
        Argument(
            name="approve",
            default=True,
            doc="each step waits for the service approve before the arm moves",
        ),
        _SIM["team"],
        _SIM["model"],
        _SIM["base_url"],
        _SIM["model_options"],
        _SIM["prices"],
        _SIM["rviz"],
        Argument(
            name="robot_name",
            default="",
            doc="prefix of the arm's joints and frames; empty: panda or fr3, by the arm",
            pattern=rf"({_SIM['robot_name'].pattern})?",
            form=_SIM["robot_name"].form,
        ),
        _SIM["namespace"],
        Argument(
            name="config",
            default="",
            doc="YAML file of further parameters, see config/real.yaml",
            must_exist=True,
        ),
    ),
    nodes=(
        NodeEntry(
            name="world_to_base",
            package="tf2_ros",
            executable="static_transform_publisher",
            arguments=(
                *("--x", _base_word("position", 0)),
                *("--y", _base_word("position", 1)),
                *("--z", _base_word("position", 2)),
                *("--qx", _base_word("orientation", 0)),
                *("--qy", _base_word("orientation", 1)),
                *("--qz", _base_word("orientation", 2)),
                *("--qw", _base_word("orientation", 3)),
                *("--frame-id", WORLD, "--child-frame-id", "{base_frame}"),
            ),
            is_wanted=lambda values: bool(values["base_transform"]),
        ),
        NodeEntry(
            name="scene",
            module="malmm_ros.nodes.scene",
            executable="scene",
            parameters={
                "observations": "vision",
                "vision.cameras": Use(argument="cameras", is_list=True),
                "vision.color_topic": Use(argument="color_topic"),
                "vision.depth_topic": Use(argument="depth_topic"),
                "vision.info_topic": Use(argument="info_topic"),
                "vision.extrinsics": Use(argument="calibration"),
                "vision.robot_name": Use(argument="robot_name"),
                "vision.arm_states": Use(argument="arm_states"),
                "vision.gripper_states": Use(argument="gripper_states"),
                "pipeline.segmenter": Use(argument="segmenter"),
            },
        ),
        NodeEntry(
            name="motion",
            module="malmm_ros.nodes.motion",
            executable="motion",
            parameters={
                "planner": Use(argument="motion"),
                "robot_name": Use(argument="robot_name"),
                "roboplan.robot_name": Use(argument="robot_name"),
                "roboplan.arm": Use(argument="arm"),
                "roboplan.base.position": Make(of=lambda values: base_of(values).position),
                "roboplan.base.orientation": Make(of=lambda values: base_of(values).orientation),
                # As malmm_ros/robots/vision.py has it; a test compares them.
                "robot.moved": 0.02,
                "robot.follow": 0.02,
                "robot.grasp.width_tolerance": 0.013,
                # What drives the joints is no node of ours.
                "needed_nodes": ("scene",),
                # Somebody stands beside a real arm, and says when it may move again.
                "heartbeat_release": "service",
                "start_stopped": True,
                "speed_scale": Use(argument="speed_scale"),
                # The driver's launch file starts a move_group, whose only pipeline has no name.
                "moveit.interface": Make(
                    of=lambda values: "move_group" if values["robot_ip"] else "auto"
                ),
                "moveit.pipeline": Make(of=lambda values: "" if values["robot_ip"] else "ompl"),
                "controllers.arm_action": Use(argument="arm_action"),
                "controllers.gripper_interface": Use(argument="gripper_interface"),
                "controllers.gripper_action": Use(argument="gripper_action"),
                "controllers.gripper_position": Use(argument="gripper_position"),
                "controllers.arm_states": Use(argument="arm_states"),
                "controllers.gripper_states": Use(argument="gripper_states"),
            },
        ),
        NodeEntry(
            name="agents",
            module="malmm_ros.nodes.agents",
            executable="agents",
            parameters={
                "team": Use(argument="team"),
                "model": Use(argument="model"),
                "base_url": Use(argument="base_url"),
                "model_options": Use(argument="model_options"),
                "prices": Use(argument="prices"),
                "approve": Use(argument="approve"),
                "needed_nodes": ("motion", "scene"),
                "brake_actions": Make(of=_brake_actions),
            },
        ),
        replace(_RVIZ, parameters={}, is_wanted=_wants_rviz),
    ),
    includes=(
        IncludeEntry(
            package=Use(argument="driver_package"),
            advice=_ADVICE,
            file="launch/moveit.launch.py",
            arguments={
                "robot_ip": Use(argument="robot_ip"),
                "namespace": Use(argument="namespace"),
            },
            is_wanted=lambda values: bool(values["robot_ip"]),
        ),
    ),
)
