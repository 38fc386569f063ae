"""What a client of scenes takes for fresh."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import malmm_ros.msg
import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from malmm_ros.nodes.conversions import scene_message, seconds
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.scene_client import SceneClient
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld


@pytest.fixture
def timed(ros_context: rclpy.Context) -> Iterator[Node]:
    """A node that takes the time from /clock."""
    node = Node("timed", context=ros_context, namespace="timed")
    node.set_parameters([Parameter("use_sim_time", value=True)])
    spinning = SpinThread(node)
    yield node
    spinning.close()
    node.destroy_node()


def tell(node: Node, publisher: rclpy.publisher.Publisher, time_s: float) -> None:
    """Publish a time until the node has it."""
    deadline = time.monotonic() + 10.0
    clock = Clock()
    clock.clock.sec = int(time_s)
    while abs(seconds(node.get_clock().now().to_msg()) - time_s) > 0.5:
        assert time.monotonic() < deadline
        publisher.publish(clock)
        time.sleep(0.02)


def test_scenes_of_a_restarted_simulator_are_fresh_though_its_clock_is_heard_late(
    timed: Node, client: Node
) -> None:
    world = MujocoWorld()
    world.reset("put_block", 3)
    message = scene_message(world.ground_truth())
    scenes = client.create_publisher(malmm_ros.msg.SceneState, "/timed/scene", 10)
    clock = client.create_publisher(Clock, "/clock", 10)
    tell(timed, clock, 500.0)  # the killed simulator's
    watch = NodeWatch(timed, ())
    seen = SceneClient(timed, watch=watch, needed=("scene",))
    box: list[Scene] = []
    thread = threading.Thread(target=lambda: box.append(seen.observe()), daemon=True)
    thread.start()
    time.sleep(0.2)
    tell(timed, clock, 3.0)
    deadline = time.monotonic() + 10.0
    while thread.is_alive():
        assert time.monotonic() < deadline
        message.header.stamp.sec = 4
        scenes.publish(message)
        thread.join(0.05)
    assert box[0].stamp_s == pytest.approx(4.0, abs=1.0)
    watch.destroy()
    client.destroy_publisher(scenes)
    client.destroy_publisher(clock)
