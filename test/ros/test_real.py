"""The motion node as `malmm up real` starts it: foreign controllers, no simulator."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from controller_double import ControllerDouble
from malmm_ros.msg import SceneState
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from std_srvs.srv import Trigger

from malmm_ros.bringup import REAL
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.errors import NodeDiedError
from malmm_ros.geometry import Pose
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.nodes.conversions import scene_message, seconds
from malmm_ros.nodes.liveness import Liveness, NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import call_service
from malmm_ros.scene import OPEN_WIDTH, GripperState, Scene
from malmm_ros.testing import make_block

NODES = ("motion", "scene")
ARGUMENTS = {
    "arm_action": "arm/follow_joint_trajectory",
    "gripper_action": "franka",
    "speed_scale": "1.0",
    "rviz": "false",
}


class SceneDouble(Node):
    """Publishes what cameras might see: a block, and the hand where the joints say."""

    def __init__(self, controllers: ControllerDouble, **options: Any) -> None:
        super().__init__("scene", **options)
        self._controllers = controllers
        self._robot = PlanningRobot(RoboplanConfig())
        self._publisher = self.create_publisher(SceneState, "scene", LATCHED)
        self.create_timer(0.05, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._liveness = Liveness(self)

    def _publish(self) -> None:
        tcp = Pose.from_matrix(self._robot.tcp_matrix(self._controllers.positions))
        width = self._controllers.width
        scene = Scene(
            stamp_s=seconds(self.get_clock().now().to_msg()),
            objects=(make_block("red block", (0.3, 0.2, 0.777)),),
            gripper=GripperState(tcp=tcp, yaw=tcp.yaw, width=width, is_open=width >= OPEN_WIDTH),
            source="vision",
        )
        self._publisher.publish(scene_message(scene))


class Bench:
    """Foreign controllers and a scene in this process, the motion node in its own."""

    def __init__(self, context: rclpy.Context, environment: dict[str, str]) -> None:
        self.controllers = ControllerDouble(context=context)
        self.scene = SceneDouble(self.controllers, context=context)
        self.client = Node("real_client", context=context)
        self._nodes = (self.controllers, self.scene, self.client)
        self._spinning = [SpinThread(node, threads=8) for node in self._nodes]
        self.group = ProcessGroup()
        (motion,) = [node for node in REAL.resolve(ARGUMENTS) if node.name == "motion"]
        command = node_command(motion)
        self.group.start("motion", command, environment=environment)
        self.watch = NodeWatch(self.client, NODES)
        assert self.watch.wait_for(timeout_s=60.0) == ()
        self.robot = RosRobot(self.client, watch=self.watch, needed=NODES)
        self.refusal = self.robot.execute_trajectory((0.3, 0.2, 0.9), 0.0)
        service = self.client.create_client(Trigger, "motion/release_stop")
        assert call_service(service, Trigger.Request(), timeout_s=10.0).success

    def close(self) -> None:
        self.watch.destroy()
        self.group.stop()
        for spinning in self._spinning:
            spinning.close()
        for node in self._nodes:
            node.destroy_node()


@pytest.fixture(scope="module")
def bench(ros_context: rclpy.Context, ros_environment: dict[str, str]) -> Iterator[Bench]:
    made = Bench(ros_context, ros_environment)
    yield made
    made.close()


def test_a_real_arm_moves_only_after_somebody_says_that_it_may(bench: Bench) -> None:
    assert bench.refusal.reason == "cancelled"
    assert "motion/release_stop" in bench.refusal.message


def test_an_arm_behind_foreign_controllers_moves_and_grips(bench: Bench) -> None:
    moved = bench.robot.execute_trajectory((0.3, 0.2, 0.9), 0.0)
    assert moved.is_success, moved.message
    down = bench.robot.execute_trajectory((0.3, 0.2, 0.777), 0.0)
    assert down.is_success, down.message
    bench.controllers.object_width = 0.05
    assert bench.robot.close_gripper("red block").held_object == "red block"
    assert bench.controllers.hand_goals[-1].epsilon.outer == pytest.approx(0.08)
    bench.controllers.object_width = 0.0
    assert bench.robot.open_gripper().is_success
    up = bench.robot.execute_trajectory((0.3, 0.2, 1.0), 0.0)
    assert up.is_success, up.message


@pytest.mark.slow
def test_joint_states_that_fall_silent_fail_the_motion_by_name(bench: Bench) -> None:
    box: list[Any] = []

    def run() -> None:
        try:
            box.append(bench.robot.execute_trajectory((0.3, -0.3, 1.1), 0.0))
        except NodeDiedError as error:
            box.append(error)

    bench.controllers.mode = "hang"
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert bench.controllers.is_moving.wait(20.0)
    bench.controllers.states = "silent"
    thread.join(30.0)
    bench.controllers.mode, bench.controllers.states = "follow", "whole"
    assert isinstance(box[0], NodeDiedError)
    assert box[0].node == "controllers"
    assert "silent" in str(box[0])
    back = bench.robot.execute_trajectory((0.3, 0.1, 1.1), 0.0)
    assert back.is_success, back.message
