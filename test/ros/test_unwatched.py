"""A motion that nobody watches over any more is braked, and a stop outlives a restart."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from malmm_ros.bringup.running import RunningSystem
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.waiting import call_service

PLACE = "put the red block on the green target area"
VALUES = {"task": "put_block", "seed": 3, "options": "{color: red}", "speed": 1.0}
# So that a motion goes on for much longer than it takes to notice a death.
SLOW = {"motion": {"speed_scale": 0.05, "start_stopped": True}}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


class Arm:
    """How fast the fastest joint moves, as published."""

    def __init__(self, node: Node) -> None:
        self.speed = 0.0
        node.create_subscription(JointState, "joint_states", self._hear, 10)

    def _hear(self, message: JointState) -> None:
        self.speed = float(np.abs(message.velocity[:7]).max())

    def wait(self, is_wanted: Any, *, within_s: float) -> float:
        started = time.monotonic()
        while not is_wanted(self.speed):
            assert time.monotonic() - started < within_s, self.speed
            time.sleep(0.005)
        return time.monotonic() - started


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    folder: Path = tmp_path_factory.mktemp("unwatched")
    parameters = {"agents": {"transcripts": str(folder)}, **SLOW}
    with RunningSystem(VALUES, parameters=parameters, log=folder / "nodes.log") as running:
        yield running


def release(client: Node) -> None:
    service: Any = client.create_client(Trigger, "motion/release_stop")
    assert call_service(service, Trigger.Request(), timeout_s=20.0).success
    client.destroy_client(service)


def test_a_stop_outlives_the_restart_of_its_node_and_a_death_in_mid_motion_brakes(
    system: RunningSystem, client: Node
) -> None:
    watch = NodeWatch(client, ("motion", "scene", "simulator"))
    robot = RosRobot(client, watch=watch)
    assert watch.wait_for(timeout_s=30.0) == ()
    refused = robot.execute_trajectory((0.3, 0.0, 1.1), 0.0)
    assert refused.reason == "cancelled"
    assert "motion/release_stop" in refused.message
    release(client)
    arm = Arm(client)

    def run() -> None:
        with suppress(NodeDiedError):
            system.client.run(PLACE, timeout_s=100.0)

    task = threading.Thread(target=run, daemon=True)
    task.start()
    arm.wait(lambda speed: speed > 0.01, within_s=60.0)
    os.kill(system.pid("motion"), signal.SIGKILL)
    # Noticed within two seconds; then the controller brakes.
    arm.wait(lambda speed: speed < 0.001, within_s=3.0)
    time.sleep(0.5)
    assert arm.speed < 0.001
    task.join(20.0)
    assert system.revive() == ("motion",)
    assert watch.wait_for(timeout_s=30.0) == ()
    assert robot.execute_trajectory((0.3, 0.0, 1.1), 0.0).reason == "cancelled"
    watch.destroy()
