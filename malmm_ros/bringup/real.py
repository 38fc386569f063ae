"""A real Panda: our nodes before ros2_control or franka_ros2, and cameras."""

from __future__ import annotations

from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import Argument, Bringup, IncludeEntry, NodeEntry, Use
from malmm_ros.models import BASE_POSE

_SIM = {argument.name: argument for argument in SIM.arguments}
_RVIZ = next(entry for entry in SIM.nodes if entry.name == "rviz")
_X, _Y, _Z = (f"{value:g}" for value in BASE_POSE.position)

REAL = Bringup(
    name="real",
    doc="our nodes before a real Panda with its controllers and cameras",
    arguments=(
        Argument(
            name="robot_ip",
            default="",
            doc="address of the robot: starts franka_ros2's controllers and move_group with it; "
            "empty: controllers run already",
        ),
        _SIM["motion"],
        Argument(
            name="arm_action",
            default="panda_arm_controller/follow_joint_trajectory",
            doc="the arm controller's control_msgs/FollowJointTrajectory action",
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
            default="panda_gripper",
            doc="name of that action; of Franka's gripper node, its name alone",
        ),
        Argument(
            name="gripper_position",
            default="half",
            doc="whether a commanded position is half or all of the opening (not with franka)",
            choices=("half", "full"),
        ),
        Argument(
            name="gripper_states",
            default="joint_states",
            doc="topic of the fingers' joint states, where they have one of their own",
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
        _SIM["robot_name"],
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
                *("--x", _X, "--y", _Y, "--z", _Z),
                *("--frame-id", "world", "--child-frame-id", "{robot_name}_link0"),
            ),
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
                # As malmm_ros/robots/vision.py has it; a test compares them.
                "robot.moved": 0.02,
                "robot.follow": 0.02,
                "robot.grasp.width_tolerance": 0.013,
                # What drives the joints is no node of ours.
                "needed_nodes": ("scene",),
                # Somebody stands beside a real arm, and says when it may move again.
                "heartbeat_release": "service",
                "speed_scale": Use(argument="speed_scale"),
                "controllers.arm_action": Use(argument="arm_action"),
                "controllers.gripper_interface": Use(argument="gripper_interface"),
                "controllers.gripper_action": Use(argument="gripper_action"),
                "controllers.gripper_position": Use(argument="gripper_position"),
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
            },
        ),
        NodeEntry(
            name=_RVIZ.name,
            package=_RVIZ.package,
            executable=_RVIZ.executable,
            arguments=_RVIZ.arguments,
            is_wanted=_RVIZ.is_wanted,
        ),
    ),
    includes=(
        IncludeEntry(
            package="franka_moveit_config",
            file="launch/moveit.launch.py",
            arguments={"robot_ip": Use(argument="robot_ip")},
            is_wanted=lambda values: bool(values["robot_ip"]),
        ),
    ),
)
