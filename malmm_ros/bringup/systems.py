"""The simulated system."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from malmm_ros.bringup.table import Argument, Bringup, Make, NodeEntry, Use, Value


def _wants_rviz(values: Mapping[str, Value]) -> bool:
    """``auto``: where it is installed and there is a screen."""
    if values["rviz"] == "auto":
        has_screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        return has_screen and shutil.which("rviz2") is not None
    return values["rviz"] == "true"


SIM = Bringup(
    name="sim",
    doc="the simulated arm, its scene, motion and agents",
    arguments=(
        Argument(
            name="world",
            default="mujoco",
            doc="what simulates the arm and the objects",
            choices=("mujoco", "coppeliasim"),
        ),
        Argument(
            name="coppeliasim_host",
            default="localhost",
            doc="with world:=coppeliasim: where CoppeliaSim runs",
        ),
        Argument(
            name="coppeliasim_port",
            default=23000,
            doc="with world:=coppeliasim: of its ZMQ remote API server",
        ),
        Argument(
            name="coppeliasim_scenes",
            default="",
            doc="with world:=coppeliasim: folder of descriptions of its scenes, TASK.yaml; empty: "
            "ours, for scenes of RLBench",
            must_exist=True,
        ),
        Argument(
            name="motion",
            default="roboplan",
            doc="the motion planner; moveit: by its Python library where that is installed, else "
            "by a running move_group (moveit.launch.py)",
            choices=("roboplan", "moveit"),
        ),
        Argument(
            name="observations",
            default="state",
            doc="where the scene comes from: the simulator's state, or its cameras, then as noisy "
            "as real ones",
            choices=("state", "vision"),
        ),
        Argument(
            name="cameras",
            default="front",
            doc="with observations:=vision: what to see with, e.g. front,overhead,wrist",
        ),
        Argument(
            name="segmenter",
            default="color",
            doc="with observations:=vision: what finds the pixels of things",
            choices=("color", "grounded_sam", "langsam"),
        ),
        Argument(
            name="team",
            default="malmm",
            doc="the team of agents that runs tasks",
        ),
        Argument(
            name="model",
            default="offline",
            doc="the language model; 'offline' is the rule-based stand-in, no network needed",
        ),
        Argument(
            name="base_url",
            default="",
            doc="of an OpenAI-compatible endpoint; empty: the model provider's own",
        ),
        Argument(
            name="model_options",
            default="",
            doc="the model's own settings, a YAML mapping, e.g. {temperature: 1, timeout_s: 900}",
        ),
        Argument(
            name="prices",
            default="",
            doc="YAML table of what models' tokens cost, beside our own",
            must_exist=True,
        ),
        Argument(name="task", default="stack_blocks", doc="the task world to load at start"),
        Argument(name="seed", default=0, doc="of the task's layout, colours and counts"),
        Argument(
            name="options",
            default="",
            doc="YAML mapping of the task's own options, e.g. {color: red, count: 3}; "
            "empty: sampled",
        ),
        Argument(
            name="speed",
            default=1.0,
            doc="simulated seconds per second; 0: as fast as possible while the arm is commanded",
        ),
        Argument(
            name="rviz",
            default="auto",
            doc="start RViz; auto: where it is installed and there is a screen",
            choices=("auto", "true", "false"),
        ),
        Argument(
            name="robot_name",
            default="panda",
            doc="prefix of the arm's joints and frames",
            pattern=r"[A-Za-z][A-Za-z0-9_]*",
            form="a letter, then letters, digits and underscores",
        ),
        Argument(
            name="namespace",
            default="",
            doc="put before every relative name",
            pattern=r"(/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?",
            form="names of letters, digits and underscores, with / between: left or lab/left",
        ),
        Argument(
            name="config",
            default="",
            doc="YAML file of further parameters, see config/sim.yaml",
            must_exist=True,
        ),
    ),
    nodes=(
        NodeEntry(
            name="simulator",
            module="malmm_ros.nodes.simulator",
            executable="simulator",
            parameters={
                "world": Use(argument="world"),
                "coppeliasim.host": Use(argument="coppeliasim_host"),
                "coppeliasim.port": Use(argument="coppeliasim_port"),
                "coppeliasim.scenes": Use(argument="coppeliasim_scenes"),
                "task": Use(argument="task"),
                "seed": Use(argument="seed"),
                "options": Use(argument="options"),
                "speed": Use(argument="speed"),
                "sensor_noise": Use(
                    argument="observations", choices={"state": False, "vision": True}
                ),
                "robot_name": Use(argument="robot_name"),
            },
        ),
        NodeEntry(
            name="scene",
            module="malmm_ros.nodes.scene",
            executable="scene",
            parameters={
                "observations": Use(argument="observations"),
                "vision.cameras": Use(argument="cameras", is_list=True),
                "vision.robot_name": Use(argument="robot_name"),
                "pipeline.segmenter": Use(argument="segmenter"),
                "use_sim_time": True,
            },
        ),
        NodeEntry(
            name="motion",
            module="malmm_ros.nodes.motion",
            executable="motion",
            parameters={
                "planner": Use(argument="motion"),
                "robot_name": Use(argument="robot_name"),
                # As malmm_ros/robots/vision.py has it; a test compares them.
                "robot.moved": Use(
                    argument="observations", choices={"state": 0.01, "vision": 0.02}
                ),
                "robot.follow": Use(
                    argument="observations", choices={"state": 0.0, "vision": 0.02}
                ),
                "robot.grasp.width_tolerance": Use(
                    argument="observations", choices={"state": 0.008, "vision": 0.013}
                ),
                "roboplan.robot_name": Use(argument="robot_name"),
                "controllers.arm_action": Use(
                    argument="robot_name", form="{}_arm_controller/follow_joint_trajectory"
                ),
                "controllers.gripper_action": Use(
                    argument="robot_name", form="{}_hand_controller/gripper_cmd"
                ),
                # Agents that are back may go on: nobody stands beside a simulated arm.
                "heartbeat_release": "return",
                "use_sim_time": True,
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
                "brake_actions": Make(
                    of=lambda values: (
                        f"{values['robot_name']}_arm_controller/follow_joint_trajectory",
                        f"{values['robot_name']}_hand_controller/gripper_cmd",
                    )
                ),
                "use_sim_time": True,
            },
        ),
        NodeEntry(
            name="rviz",
            executable="rviz2",
            package="rviz2",
            parameters={"use_sim_time": True},
            arguments=("-d", "{share}/config/malmm.rviz"),
            is_wanted=_wants_rviz,
        ),
    ),
)
