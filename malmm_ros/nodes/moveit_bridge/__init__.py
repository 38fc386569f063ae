"""MoveIt 2 behind the motion planner ``moveit``: a running move_group, or its Python library."""

from __future__ import annotations

import importlib.util
from typing import Literal

from rclpy.node import Node

from malmm_ros.errors import MissingDependencyError
from malmm_ros.motion.moveit_client import MoveItClient
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.liveness import NodeWatch

Interface = Literal["move_group", "moveit_py"]


def chosen_interface(config: MoveItConfig) -> Interface:
    """How MoveIt is reached: as configured, else by its library where that is installed."""
    if config.interface != "auto":
        return config.interface
    return "moveit_py" if _is_installed("moveit") else "move_group"


def make_client(
    node: Node, config: MoveItConfig, model: RoboplanConfig, *, watch: NodeWatch
) -> MoveItClient:
    """Make the client that is chosen.

    Args:
        node: Ours; its executor must spin in other threads than the planner's.
        config: How to ask MoveIt.
        model: The robot's name, and where it stands.
        watch: Of the node; move_group itself is not in it.

    Raises:
        MissingDependencyError: What it needs is not installed.
    """
    interface = chosen_interface(config)
    for package in ("moveit_msgs", *(("moveit",) if interface == "moveit_py" else ())):
        if not _is_installed(package):
            raise MissingDependencyError(
                package,
                needed_for=f"motion planner 'moveit' ({interface})",
                install="sudo apt install ros-$ROS_DISTRO-moveit ros-$ROS_DISTRO-moveit-py",
                instead="motion planner 'roboplan'",
            )
    is_free = " (moveit.interface: auto)" if config.interface == "auto" else ""
    node.get_logger().info(f"MoveIt is reached through {interface}{is_free}")
    if interface == "moveit_py":
        from malmm_ros.nodes.moveit_bridge.library import LibraryClient

        return LibraryClient(node, config, model)
    from malmm_ros.nodes.moveit_bridge.move_group import MoveGroupClient

    return MoveGroupClient(node, config, model, watch=watch)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
