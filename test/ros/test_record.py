"""``malmm record`` in a process of its own, ended as a person ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import malmm_ros.msg
import pytest
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header, String

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.nodes.qos import LATCHED, TRANSCRIPT

pytest.importorskip("rosbags", reason="the extra [bags] is not installed")

from malmm_ros.nodes.bags import open_bag

RECORD = [sys.executable, "-m", "malmm_ros", "record"]


def test_what_is_published_is_in_the_bag_after_control_c(
    client: Node,
    ros_environment: dict[str, str],
    tmp_path: Path,
    wait_until: Callable[..., None],
) -> None:
    events = client.create_publisher(malmm_ros.msg.AgentEvent, "transcript", TRANSCRIPT)
    early = client.create_publisher(Header, "world_reset", LATCHED)
    clock = client.create_publisher(Clock, "/clock", qos_profile_sensor_data)
    other = client.create_publisher(String, "not_documented", 10)
    wanted = client.create_publisher(String, "asked/for", 10)
    early.publish(Header(frame_id="before"))
    lines: list[str] = []
    folder = tmp_path / "bag"
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        command = [*RECORD, "--output", str(folder), "--topics", "asked/*"]
        pid = group.start("record", command, environment=ros_environment)
        heard = (events, early, clock, wanted)
        wait_until(
            lambda: all(publisher.get_subscription_count() for publisher in heard), timeout_s=40.0
        )
        events.publish(malmm_ros.msg.AgentEvent(index=3, text="hello"))
        clock.publish(Clock())
        other.publish(String(data="no"))
        wanted.publish(String(data="yes"))
        # What has reached the recorder must not be lost, however soon after it is told to end.
        assert all(publisher.wait_for_all_acked() for publisher in (events, early, wanted))
        os.kill(pid, signal.SIGINT)
        wait_until(group.dead, timeout_s=15.0)
        assert group.dead() == {"record": 0}, lines
    for publisher in (*heard, other):
        client.destroy_publisher(publisher)

    with open_bag(folder) as bag:
        messages = {
            connection.topic: bag.deserialize(data, connection.msgtype)
            for connection, _, data in bag.messages()
        }
        assert {"/transcript", "/world_reset", "/asked/for"} <= set(messages)
        assert "/not_documented" not in messages
        assert messages["/transcript"].text == "hello"
        assert messages["/world_reset"].frame_id == "before"
        offered = {item.topic: item.ext.offered_qos_profiles[0] for item in bag.connections}
        assert offered["/world_reset"].durability.name == "TRANSIENT_LOCAL"
        assert offered["/clock"].reliability.name == "BEST_EFFORT"
    assert any("messages in" in line for line in lines)


def test_a_folder_that_exists_is_refused(tmp_path: Path, ros_environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*RECORD, "--output", str(tmp_path)],
        env=ros_environment,
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert "Traceback" not in done.stderr
