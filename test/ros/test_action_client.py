"""A server that answers at once, and a client that is slow to note what it has sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from control_msgs.action import GripperCommand
from rclpy.action.server import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import await_result, wait_for_server

NAME = "quick"


class SlowNotes(dict[Any, Any]):
    """Where rclpy notes feedback callbacks, between sending a goal and its last note of it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        threading.Event().wait(0.3)
        super().__setitem__(key, value)


@pytest.fixture
def server(ros_context: rclpy.Context) -> Iterator[Node]:
    node = Node("quick_server", context=ros_context)

    def execute(handle: Any) -> GripperCommand.Result:
        handle.publish_feedback(GripperCommand.Feedback(position=0.01))
        handle.succeed()
        return GripperCommand.Result(reached_goal=True)

    group = ReentrantCallbackGroup()
    server = ActionServer(node, GripperCommand, NAME, execute, callback_group=group)
    spinning = SpinThread(node)
    yield node
    spinning.close()
    server.destroy()
    node.destroy_node()


def test_an_acceptance_and_feedback_that_come_at_once_reach_who_sent_the_goal(
    server: Node, client: Node
) -> None:
    action = ActionClient(client, GripperCommand, NAME)
    wait_for_server(action, timeout_s=20.0)
    action._feedback_callbacks = SlowNotes()
    told: list[float] = []
    for _ in range(3):
        goal = GripperCommand.Goal()
        sent = action.send_goal_async(
            goal, feedback_callback=lambda message: told.append(message.feedback.position)
        )
        handle = await_result(sent, timeout_s=5.0)
        assert handle.accepted
        assert await_result(handle.get_result_async(), timeout_s=5.0).result.reached_goal
    assert told == [0.01] * 3
    action.destroy()
