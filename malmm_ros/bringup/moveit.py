"""MoveIt's own nodes for the simulated Panda."""

from __future__ import annotations

from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import Argument, Bringup, Make, NodeEntry, Use
from malmm_ros.models import panda_srdf, panda_urdf

_SIM = {argument.name: argument for argument in SIM.arguments}
_FILES = ("controllers", "joint_limits", "kinematics", "planning", "scene")

MOVEIT = Bringup(
    name="moveit",
    doc="MoveIt's move_group for the simulated arm: beside sim.launch.py motion:=moveit",
    arguments=(
        Argument(
            name="simulated_time",
            default=True,
            doc="take the time from /clock, as the simulator's nodes do",
        ),
        Argument(
            name="robot_name",
            default="panda",
            doc="prefix of the arm's joints and frames; MoveIt's parameters know this one",
            choices=("panda",),
        ),
        _SIM["namespace"],
        Argument(
            name="config",
            default="",
            doc="YAML file of further parameters of move_group",
            must_exist=True,
        ),
    ),
    nodes=(
        NodeEntry(
            name="move_group",
            package="moveit_ros_move_group",
            executable="move_group",
            parameters={
                "robot_description": Make(
                    of=lambda values: panda_urdf(robot_name=str(values["robot_name"]))
                ),
                "robot_description_semantic": Make(
                    of=lambda values: panda_srdf(robot_name=str(values["robot_name"]))
                ),
                "use_sim_time": Use(argument="simulated_time"),
            },
            parameter_files=tuple(f"{{share}}/config/moveit/{name}.yaml" for name in _FILES),
        ),
    ),
)
