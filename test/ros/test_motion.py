"""The motion node in front of the simulator's controllers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Point
from malmm_ros.action import MoveTcp
from rclpy.node import Node
from std_srvs.srv import Trigger

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.cancellation import CancelToken
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import trajectory_message
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.scene_client import SceneClient
from malmm_ros.nodes.waiting import call_service
from malmm_ros.trajectory import Trajectory

NODES = ("motion", "scene", "simulator")
FAR = (0.40, -0.20, 1.05)


class Bench:
    """The nodes below the agents, and a robot behind them."""

    def __init__(self, client: Node, environment: dict[str, str]) -> None:
        self.client = client
        self.group = ProcessGroup()
        values: dict[str, Any] = {"speed": 1.0, "task": "stack_blocks", "seed": 3, "rviz": "false"}
        for node in SIM.resolve(values):
            if node.name in NODES:
                self.group.start(node.name, node_command(node), environment=environment)
        self.watch = NodeWatch(client, NODES)
        assert self.watch.wait_for(timeout_s=60.0) == ()
        self.robot = RosRobot(client, watch=self.watch)
        self.move = GoalClient(
            ActionClient(client, MoveTcp, "motion/move"),
            watch=self.watch,
            needed=NODES,
            what="motion/move",
        )

    def trigger(self, name: str) -> None:
        service: Any = self.client.create_client(Trigger, name)
        assert call_service(service, Trigger.Request(), timeout_s=10.0).success
        self.client.destroy_client(service)

    def goal(self, position: tuple[float, float, float], rehearsal: str = "") -> MoveTcp.Goal:
        x, y, z = position
        return MoveTcp.Goal(position=Point(x=x, y=y, z=z), yaw=0.0, rehearsal=rehearsal)

    def start(self, position: tuple[float, float, float]) -> tuple[threading.Thread, list[Any]]:
        """Move in a thread; returns when the arm is on its way."""
        box: list[Any] = []
        before = self.tcp()
        thread = threading.Thread(
            target=lambda: box.append(self.robot.execute_trajectory(position, 0.0)), daemon=True
        )
        thread.start()
        for _ in range(400):
            if np.linalg.norm(np.subtract(self.tcp(), before)) > 0.02:
                return thread, box
        pytest.fail("the arm does not move")

    def tcp(self) -> tuple[float, float, float]:
        scene = SceneClient(self.client, watch=self.watch, needed=("scene", "simulator"))
        arrived = scene.wait_for_any(timeout_s=10.0)
        scene.destroy()
        return arrived.gripper.tcp.position


@pytest.fixture(scope="module")
def bench(simulated_client: Node, ros_environment: dict[str, str]) -> Iterator[Bench]:
    made = Bench(simulated_client, ros_environment)
    yield made
    made.watch.destroy()
    made.group.stop()


def home(bench: Bench) -> None:
    assert bench.robot.execute_trajectory([0.05, 0.0, 1.2], 0.0).is_success


def test_a_motion_arrives_and_says_where(bench: Bench) -> None:
    moved = bench.robot.execute_trajectory(FAR, 0.0)
    assert moved.is_success, moved.message
    assert moved.tcp is not None
    np.testing.assert_allclose(moved.tcp.position, FAR, atol=0.002)
    home(bench)


def test_a_stop_brakes_and_stays_until_it_is_released(bench: Bench) -> None:
    thread, box = bench.start(FAR)
    bench.trigger("motion/stop")
    thread.join(timeout=15.0)
    assert box[0].reason == "cancelled"
    assert np.linalg.norm(np.subtract(bench.tcp(), FAR)) > 0.03
    refused = bench.robot.execute_trajectory(FAR, 0.0)
    assert refused.reason == "cancelled"
    assert "released" in refused.message
    assert not bench.robot.open_gripper().is_success
    bench.trigger("motion/release_stop")
    home(bench)


def test_a_second_motion_is_turned_away_while_one_is_under_way(bench: Bench) -> None:
    thread, box = bench.start(FAR)
    outcome = bench.move.run(bench.goal((0.3, 0.2, 1.0)), timeout_s=20.0)
    assert outcome.result.reason == "busy"
    thread.join(timeout=15.0)
    assert box[0].is_success, box[0].message
    home(bench)


def test_a_motion_that_another_client_takes_over_is_no_success(bench: Bench) -> None:
    thread, box = bench.start(FAR)
    other = GoalClient(
        ActionClient(
            bench.client, FollowJointTrajectory, "panda_arm_controller/follow_joint_trajectory"
        ),
        watch=bench.watch,
        needed=("simulator",),
        what="the controller",
    )
    token = CancelToken()
    ready = np.array([READY_POSITIONS, READY_POSITIONS])
    goal = FollowJointTrajectory.Goal(
        trajectory=trajectory_message(
            Trajectory(
                names=arm_joint_names(),
                times=np.array([0.0, 1.0]),
                positions=ready,
                velocities=np.zeros_like(ready),
            )
        )
    )
    other.run(goal, timeout_s=15.0, cancel=token)
    thread.join(timeout=20.0)
    # Either the foreign goal was refused (it starts elsewhere) or it preempted ours.
    assert box[0].is_success == (np.linalg.norm(np.subtract(bench.tcp(), FAR)) < 0.01)
    home(bench)


def test_a_cancel_before_anything_moved_moves_nothing(bench: Bench) -> None:
    before = bench.tcp()
    token = CancelToken()
    token.cancel("changed my mind")
    outcome = bench.move.run(bench.goal(FAR), timeout_s=20.0, cancel=token)
    assert outcome.is_canceled
    np.testing.assert_allclose(bench.tcp(), before, atol=1e-3)


def test_rehearsals_of_different_names_start_from_the_present_state(bench: Bench) -> None:
    before = bench.tcp()
    first = bench.move.run(bench.goal(FAR, "one"), timeout_s=20.0).result
    second = bench.move.run(bench.goal((0.3, 0.2, 1.0), "two"), timeout_s=20.0).result
    assert first.success
    assert second.success
    np.testing.assert_allclose(bench.tcp(), before, atol=1e-3)


def test_a_refused_grip_keeps_what_is_held(bench: Bench) -> None:
    scene = bench.robot.observe()
    item = next(item for item in scene.objects if item.category == "block")
    x, y, z = item.pose.position
    yaw = next(
        yaw
        for yaw in (item.yaw, item.yaw + np.pi / 2)
        if bench.robot.rehearse().execute_trajectory([x, y, z], yaw).is_success
    )
    bench.robot.execute_trajectory([x, y, z + 0.15], yaw)
    bench.robot.execute_trajectory([x, y, z], yaw)
    assert bench.robot.close_gripper(item.name).is_holding
    bench.robot.execute_trajectory([x, y, z + 0.15], yaw)
    assert bench.robot.close_gripper("no such thing").held_object == item.name
    bench.trigger("motion/stop")
    assert bench.robot.open_gripper().held_object == item.name
    bench.trigger("motion/release_stop")
    assert bench.robot.observe().gripper.held_object == item.name
    # A client that starts now learns what is held.
    newcomer = RosRobot(bench.client, watch=bench.watch)
    assert newcomer.observe().gripper.held_object == item.name
    bench.robot.execute_trajectory([x, y, z + 0.004], yaw)
    assert bench.robot.open_gripper().is_success
