"""An arm of another name moves and grips; simulator, scene and motion are real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Point
from malmm_ros.action import Grip, MoveTcp
from malmm_ros.msg import GripperState, SceneState
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import scene_value
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import await_result, wait_for_server

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
NODES = ("simulator", "scene", "motion")


@pytest.fixture(scope="module")
def latest(client: Node, ros_environment: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A running system of an arm called "left", and the newest message of each topic."""
    values = {"robot_name": "left", "speed": 0.0, "seed": 3, "rviz": "false"}
    watch = NodeWatch(client, NODES)
    messages: dict[str, Any] = {}
    for topic, kind in (("scene", SceneState), ("gripper_state", GripperState)):
        client.create_subscription(
            kind, topic, lambda message, topic=topic: messages.update({topic: message}), LATCHED
        )
    with ProcessGroup() as group:
        for node in SIM.resolve(values):
            if node.name in NODES:
                group.start(node.name, node_command(node), environment=ros_environment)
        assert watch.wait_for(timeout_s=60.0) == ()
        yield messages
    watch.destroy()


def run(client: Node, kind: Any, name: str, goal: Any) -> Any:
    action = ActionClient(client, kind, name)
    wait_for_server(action, timeout_s=20.0)
    handle = await_result(action.send_goal_async(goal), timeout_s=20.0)
    assert handle.accepted
    return await_result(handle.get_result_async(), timeout_s=60.0).result


def test_an_arm_of_another_name_moves_and_grips(
    client: Node, latest: dict[str, Any], wait_until: Callable[..., None]
) -> None:
    wait_until(lambda: "scene" in latest, timeout_s=20.0)
    objects = scene_value(latest["scene"]).objects
    block = next(item for item in objects if item.category == "block")
    x, y, middle = block.pose.position

    def move(z: float) -> Any:
        goal = MoveTcp.Goal(position=Point(x=x, y=y, z=z), yaw=block.yaw)
        return run(client, MoveTcp, "motion/move", goal)

    for z in (middle + 0.12, middle):
        moved = move(z)
        assert moved.success, moved.message
    close = Grip.Goal(command=Grip.Goal.CLOSE, object_name=block.name)
    gripped = run(client, Grip, "motion/grip", close)
    assert gripped.success, gripped.message
    assert gripped.held_object == block.name
    wait_until(lambda: latest["gripper_state"].held_object == block.name, timeout_s=5.0)
    wait_until(lambda: latest["scene"].gripper.held_object == block.name, timeout_s=5.0)
    lifted = move(middle + 0.12)
    assert lifted.success, lifted.message
