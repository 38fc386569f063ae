from __future__ import annotations

import queue

import pytest
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from malmm_ros.nodes.spinning import SpinThread


def test_a_callback_that_raises_is_reported_and_the_node_goes_on(
    client: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: queue.Queue[str] = queue.Queue()

    def on_word(message: String) -> None:
        seen.put(message.data)
        if message.data == "bad":
            raise ValueError("of no use")

    subscription = client.create_subscription(String, "words", on_word, 10)
    publisher = client.create_publisher(String, "words", 10)
    publisher.publish(String(data="bad"))
    assert seen.get(timeout=10.0) == "bad"
    publisher.publish(String(data="good"))
    assert seen.get(timeout=10.0) == "good"
    client.destroy_subscription(subscription)
    assert "ValueError: of no use" in capsys.readouterr().err


def test_subscriptions_may_come_and_go_while_the_node_spins(client: Node) -> None:
    publisher = client.create_publisher(String, "busy", 10)
    timer = client.create_timer(0.002, lambda: publisher.publish(String(data="on")))
    for _ in range(60):
        seen: queue.Queue[String] = queue.Queue()
        subscription = client.create_subscription(String, "busy", seen.put, 10)
        assert seen.get(timeout=10.0).data == "on"
        client.destroy_subscription(subscription)
    client.destroy_timer(timer)


def test_a_context_that_was_shut_down_ends_the_spinning_without_a_word(
    ros_environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node("short_lived", context=context)
    spinning = SpinThread(node)
    context.shutdown()
    spinning.join(timeout_s=10.0)
    assert not spinning.is_alive
    assert capsys.readouterr().err == ""
