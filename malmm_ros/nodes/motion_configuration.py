"""Parameters of the node ``motion``, and the planner that they choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rclpy.node import Node

from malmm_ros.backends import load_backend
from malmm_ros.errors import ConfigurationError
from malmm_ros.motion import PLANNERS, MotionPlanner
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.moveit_bridge import chosen_interface, make_client
from malmm_ros.nodes.ros_driver import ControllerConfig
from malmm_ros.robots.planned import RobotConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionNodeConfig:
    """Parameters of the node ``motion``.

    Attributes:
        planner: Name of the motion planner.
        robot_name: Prefix of links and joints.
        needed_nodes: Their death ends a motion: what sees, and what drives the joints where that
            is a node of ours.
        sensing_node: Which of them sees; the others drive.
        heartbeat_nodes: What commands the arm; when one dies in mid-motion, the arm brakes.
        heartbeat_release: How that stop is released: by the service ``motion/release_stop``
            alone, or also by the return of the node.
        start_stopped: Whether the arm may move only after ``motion/release_stop``: so an
            emergency stop outlives a restart of this node. Meant for real arms.
        speed_scale: Everything is driven at this share of its planned speed, from the next motion
            on.
        controllers: The arm's and the hand's controller.
        robot: How moves are cut and grasps judged.
        roboplan: Settings of the embedded planner; where the arm and the table are, for all.
        moveit: Settings of the planner that asks MoveIt.
    """

    planner: str = "roboplan"
    robot_name: str = "panda"
    needed_nodes: tuple[str, ...] = ("simulator", "scene")
    sensing_node: str = "scene"
    heartbeat_nodes: tuple[str, ...] = ("agents",)
    heartbeat_release: Literal["service", "return"] = "service"
    start_stopped: bool = False
    speed_scale: float = field(default=1.0, metadata={"live": True, "range": (0.01, 1.0)})
    controllers: ControllerConfig = field(default_factory=ControllerConfig)
    robot: RobotConfig = field(default_factory=RobotConfig)
    roboplan: RoboplanConfig = field(default_factory=RoboplanConfig)
    moveit: MoveItConfig = field(default_factory=MoveItConfig)

    def __post_init__(self) -> None:
        if not 0.01 <= self.speed_scale <= 1.0:
            raise ConfigurationError("speed_scale", f"must be 0.01 to 1, got {self.speed_scale:g}")
        if self.planner == "moveit" and self.roboplan.robot_name != self.robot_name:
            raise ConfigurationError(
                "roboplan.robot_name", f"must be the robot's name, {self.robot_name!r}"
            )


def make_planner(node: Node, config: MotionNodeConfig, watch: NodeWatch) -> MotionPlanner:
    """The planner that is chosen; moveit's needs this node to speak through."""
    make = load_backend("motion planner", config.planner, PLANNERS)
    if config.planner == "moveit":
        client = make_client(node, config.moveit, config.roboplan, watch=watch)
        planner: MotionPlanner = make(client, config.moveit, config.roboplan)
    else:
        planner = make(config.roboplan)
    return planner


def arm_interface(config: MotionNodeConfig) -> Literal["controller", "move_group"]:
    """Who carries motions out: move_group what it has planned, unless told otherwise."""
    chosen = config.controllers.arm_interface
    if chosen != "auto":
        return chosen
    is_planned_there = (
        config.planner == "moveit" and chosen_interface(config.moveit) == "move_group"
    )
    return "move_group" if is_planned_there else "controller"
