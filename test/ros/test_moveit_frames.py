"""Where things are, told to a move_group whose `world` is ours, or is the arm's base.

Franka's SRDF has a fixed virtual joint from `world` to `base`, so that MoveIt's own model has the
base at the origin of `world`, whatever /tf says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import TransformStamped
from move_group_node import BASE, MoveGroupStandIn
from rclpy.node import Node
from rclpy.parameter import Parameter
from tf2_msgs.msg import TFMessage

from malmm_ros.bench.planning_queries import block
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.models import BASE_POSE, READY_POSITIONS, arm_joint_names
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.moveit import MoveItPlanner
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.conversions import transform_message
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.moveit_bridge.move_group import MoveGroupClient
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.trajectory import JointState

READY = JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
ABOVE = top_down((0.25, 0.1, 1.0), 0.3)
NOWHERE = Pose((0.0, 0.0, 0.0))


class Bench:
    """A stand-in of one kind in this process, and a planner that asks it."""

    def __init__(self, context: rclpy.Context, *, fixed_base: bool) -> None:
        options = {
            "context": context,
            "namespace": f"fixed_{fixed_base}",
            "parameter_overrides": [Parameter("fixed_base", value=fixed_base)],
        }
        self.move_group = MoveGroupStandIn(**options)
        self.node = Node("frames", context=context, namespace=f"fixed_{fixed_base}")
        self._spinning = [SpinThread(item, threads=4) for item in (self.move_group, self.node)]
        self._tf = self.node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._tf.publish(TFMessage(transforms=[_static("world", "base", BASE_POSE)]))
        self._links = self.move_group.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._links.publish(TFMessage(transforms=[_static("base", BASE, NOWHERE)]))
        config, model = MoveItConfig(interface="move_group"), RoboplanConfig()
        self._watch = NodeWatch(self.node, ())
        client = MoveGroupClient(self.node, config, model, watch=self._watch)
        self.planner = MoveItPlanner(client, config, model)

    def close(self) -> None:
        self.planner.close()
        self._watch.destroy()
        for spinning in self._spinning:
            spinning.close()
        for node in (self.move_group, self.node):
            node.destroy_node()


def _static(parent: str, child: str, pose: Pose) -> TransformStamped:
    return transform_message(pose, parent=parent, child=child, stamp_s=0.0)


@pytest.fixture(scope="module", params=[False, True], ids=["our world", "Franka's world"])
def bench(request: pytest.FixtureRequest, ros_context: rclpy.Context) -> Iterator[Bench]:
    made = Bench(ros_context, fixed_base=request.param)
    yield made
    made.close()


@pytest.mark.parametrize("straight", [False, True])
def test_a_goal_of_our_world_is_met_in_our_world(bench: Bench, straight: bool) -> None:
    trajectory = bench.planner.plan(READY, ABOVE, PlanningScene(), straight=straight)
    end = bench.planner.tcp_pose(trajectory.end)
    np.testing.assert_allclose(end.position, ABOVE.position, atol=1e-3)


def test_an_obstacle_stands_where_we_see_it(bench: Bench) -> None:
    lying = block("red block", 0.25, 0.1, size=(0.05, 0.12, 0.05))
    scene = PlanningScene(objects=(lying,))
    bench.planner.plan(READY, ABOVE, scene)
    with pytest.raises(MotionError) as caught:
        bench.planner.plan(READY, top_down(lying.pose.position, 0.0), scene)
    assert caught.value.category == "in_collision"
    beside = top_down((0.25, -0.1, 0.80), 0.0)
    bench.planner.plan(READY, beside, scene)


def test_a_model_without_our_base_is_refused_by_its_links_name(bench: Bench) -> None:
    config, model = MoveItConfig(interface="move_group"), RoboplanConfig(robot_name="left")
    watch: Any = NodeWatch(bench.node, ())
    client = MoveGroupClient(bench.node, config, model, watch=watch)
    with pytest.raises(MotionError, match=r"left_link0 in move_group's .*INVALID_LINK_NAME"):
        client.known_names()
    client.close()
    watch.destroy()
