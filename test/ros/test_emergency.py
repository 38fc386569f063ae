"""The emergency stop: by hand, by a lost heartbeat, and until it is released."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.nodes.heartbeat import Heartbeat
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import call_service

SLEEPY = [sys.executable, str(Path(__file__).with_name("sleepy_node.py"))]
FAR, HOME = (0.40, -0.20, 1.05), (0.05, 0.0, 1.2)
NODES = ("motion", "scene", "simulator")


class Bench:
    """The nodes below the agents; a sleepy node takes the agents' part."""

    def __init__(self, client: Node, environment: dict[str, str]) -> None:
        self.client, self.environment = client, environment
        self.group = ProcessGroup()
        values: dict[str, Any] = {"speed": 3.0, "task": "stack_blocks", "seed": 3}
        for node in SIM.resolve(values | {"rviz": "false"}):
            command = node_command(node)
            if node.name == "motion":
                command += ["-p", "heartbeat_nodes:=[sleepy]", "-p", "heartbeat_release:=service"]
            if node.name in NODES:
                self.group.start(node.name, command, environment=environment)
        self.group.start("sleepy", SLEEPY, environment=environment)
        self.watch = NodeWatch(client, (*NODES, "sleepy"))
        assert self.watch.wait_for(timeout_s=60.0) == ()
        self.robot = RosRobot(client, watch=self.watch, needed=NODES)
        self.stopped: queue.Queue[str] = queue.Queue()
        client.create_subscription(
            String, "motion/stopped", lambda message: self.stopped.put(message.data), LATCHED
        )
        self.positions, self.speed = np.zeros(7), 0.0
        client.create_subscription(JointState, "joint_states", self._hear, 10)

    def _hear(self, message: JointState) -> None:
        self.positions = np.array(message.position[:7])
        self.speed = float(np.abs(message.velocity[:7]).max())

    def trigger(self, name: str) -> None:
        service: Any = self.client.create_client(Trigger, name)
        assert call_service(service, Trigger.Request(), timeout_s=10.0).success
        self.client.destroy_client(service)

    def start(self, position: tuple[float, float, float]) -> tuple[threading.Thread, list[Any]]:
        """Move in a thread; returns when the arm is on its way."""
        box: list[Any] = []
        before = self.positions
        thread = threading.Thread(
            target=lambda: box.append(self.robot.execute_trajectory(position, 0.0)), daemon=True
        )
        thread.start()
        self.wait(lambda: float(np.abs(self.positions - before).max()) > 0.02, what="a motion")
        return thread, box

    def wait(self, condition: Callable[[], bool], *, what: str, timeout_s: float = 30.0) -> None:
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < deadline, f"{what} did not come"
            time.sleep(0.002)

    def set_speed_scale(self, value: float) -> tuple[bool, str]:
        client: Any = self.client.create_client(SetParameters, "motion/set_parameters")
        parameter = Parameter("speed_scale", value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        (result,) = call_service(client, request, timeout_s=10.0).results
        self.client.destroy_client(client)
        return bool(result.successful), str(result.reason)

    def home(self) -> None:
        moved = self.robot.execute_trajectory(HOME, 0.0)
        assert moved.is_success, moved.message


@pytest.fixture(scope="module")
def bench(simulated_client: Node, ros_environment: dict[str, str]) -> Iterator[Bench]:
    made = Bench(simulated_client, ros_environment)
    yield made
    made.watch.destroy()
    made.group.stop()


def test_a_stop_says_who_pressed_it_and_holds_until_it_is_released(bench: Bench) -> None:
    assert bench.stopped.get(timeout=10.0) == ""
    thread, box = bench.start(FAR)
    bench.trigger("motion/stop")
    bench.wait(lambda: bench.speed < 0.01, what="standstill")
    thread.join(timeout=15.0)
    assert box[0].reason == "cancelled"
    assert "motion/stop" in bench.stopped.get(timeout=10.0)
    assert bench.robot.execute_trajectory(FAR, 0.0).reason == "cancelled"
    bench.trigger("motion/release_stop")
    assert bench.stopped.get(timeout=10.0) == ""
    bench.home()


def test_a_lost_heartbeat_brakes_the_arm_and_holds_until_it_is_released(bench: Bench) -> None:
    assert bench.set_speed_scale(0.1) == (True, "")  # so that the motion outlives the lease
    thread, box = bench.start(FAR)
    os.kill(bench.group.pid("sleepy"), signal.SIGKILL)
    thread.join(timeout=20.0)
    assert box[0].reason == "cancelled", box[0].message
    bench.wait(lambda: bench.speed < 0.01, what="standstill")
    assert "'sleepy' fell silent" in bench.stopped.get(timeout=10.0)
    bench.group.restart("sleepy", SLEEPY, environment=bench.environment)
    assert bench.watch.wait_for(timeout_s=30.0) == ()
    assert bench.robot.execute_trajectory(FAR, 0.0).reason == "cancelled"
    bench.trigger("motion/release_stop")
    assert bench.stopped.get(timeout=10.0) == ""
    assert bench.set_speed_scale(1.0) == (True, "")
    bench.home()


@pytest.mark.slow
def test_the_speed_scale_can_be_changed_and_is_checked(bench: Bench) -> None:
    bench.home()
    fast = bench.robot.execute_trajectory(FAR, 0.0).duration_s
    bench.home()
    assert bench.set_speed_scale(0.5) == (True, "")
    slow = bench.robot.execute_trajectory(FAR, 0.0).duration_s
    assert slow == pytest.approx(2.0 * fast, rel=0.05)
    is_taken, reason = bench.set_speed_scale(1.5)
    assert not is_taken
    assert reason
    assert bench.set_speed_scale(1.0) == (True, "")
    bench.home()


class Guarded:
    """A heartbeat in the test's own process, and what it reported."""

    def __init__(self, client: Node) -> None:
        self.lost: queue.Queue[str] = queue.Queue()
        self.back: queue.Queue[str] = queue.Queue()
        self.heartbeat = Heartbeat(
            client, ["sleepy"], on_lost=self.lost.put, on_return=self.back.put
        )
        self.watch = NodeWatch(client, ["sleepy"])

    def wait_until_known(self) -> None:
        """The heartbeat's own watch may hear of a node later than ours."""
        assert self.heartbeat._watch.wait_for(timeout_s=30.0) == ()


@pytest.fixture
def guarded(ros_context: rclpy.Context) -> Iterator[Guarded]:
    node = Node("guard", context=ros_context, namespace="alone")
    spinning = SpinThread(node)
    yield Guarded(node)
    spinning.close()
    node.destroy_node()


def test_only_who_was_alive_when_a_command_began_is_missed(
    guarded: Guarded, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    command = [*SLEEPY, "--ros-args", "-r", "__node:=sleepy", "-r", "__ns:=/alone"]
    with guarded.heartbeat.guard():  # nobody is there yet
        pid = processes.start("sleepy", command, environment=ros_environment)
        assert guarded.watch.wait_for(timeout_s=30.0) == ()
    assert guarded.lost.empty()
    guarded.wait_until_known()
    with guarded.heartbeat.guard():
        os.kill(pid, signal.SIGKILL)
        assert guarded.lost.get(timeout=10.0) == "sleepy"
    processes.restart("sleepy", command, environment=ros_environment)
    assert guarded.back.get(timeout=30.0) == "sleepy"
    assert guarded.lost.empty()
