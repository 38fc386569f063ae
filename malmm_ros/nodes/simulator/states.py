"""What the world publishes by itself: clock, joints, frames, ground truth."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage

from malmm_ros.models import panda_urdf
from malmm_ros.msg import SceneState
from malmm_ros.nodes.conversions import (
    header,
    joint_state_message,
    scene_message,
    time_message,
    transform_message,
)
from malmm_ros.nodes.meshes import mesh_root
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.nodes.simulator.sensors import CameraSensors
from malmm_ros.nodes.simulator.transforms import Frame, RobotFrames, camera_frames
from malmm_ros.simulation import World
from malmm_ros.trajectory import JointState


class _Gate:
    """Opens at most at a rate, in wall time."""

    def __init__(self, rate_hz: float) -> None:
        self._period_s = 1.0 / rate_hz
        self._next_s = 0.0

    def is_open(self, now_s: float, *, anyway: bool) -> bool:
        if not anyway and now_s < self._next_s:
            return False
        # On the grid of the rate, unless it fell behind.
        self._next_s = max(self._next_s + self._period_s, now_s + 0.5 * self._period_s)
        return True


class StatePublishers:
    """Publishes states in the thread that steps the world."""

    def __init__(self, node: Node, config: SimulatorConfig) -> None:
        self._config = config
        self._clock = node.create_publisher(Clock, "/clock", qos_profile_sensor_data)
        self._joints = node.create_publisher(JointStateMessage, "joint_states", 10)
        self._tf = node.create_publisher(TFMessage, "/tf", 100)
        self._tf_static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._reset = node.create_publisher(Header, "world_reset", LATCHED)
        self._truth = node.create_publisher(SceneState, "ground_truth", LATCHED)
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        urdf = panda_urdf(robot_name=config.robot_name, mesh_root=mesh_root())
        self._frames = RobotFrames(urdf)
        self._description.publish(String(data=urdf))
        self._clock_gate = _Gate(config.clock_rate_hz)
        self._joint_gate = _Gate(config.joint_state_rate_hz)
        self._truth_gate = _Gate(config.ground_truth_rate_hz)

    def publish_loaded(self, world: World, now_s: float, sensors: CameraSensors) -> None:
        """Publish what holds as long as the world that was just loaded.

        That is the frames that do not move, all of them at once since the topic is latched, and
        the news that what was seen before is gone.
        """
        cameras = camera_frames(world, self._config.cameras, offset=sensors.offset)
        self._tf_static.publish(_tf_message((*self._frames.fixed, *cameras), now_s))
        self._reset.publish(header(now_s))

    def publish(self, world: World, now_s: float, everything: bool) -> None:
        """Publish what is due.

        Args:
            world: At a step's end.
            now_s: Simulated time.
            everything: Due or not; so that nobody waits for the end of a motion.
        """
        wall_s = time.monotonic()
        if self._clock_gate.is_open(wall_s, anyway=everything):
            self._clock.publish(Clock(clock=time_message(now_s)))
        if self._joint_gate.is_open(wall_s, anyway=everything):
            state = self._joint_state(world)
            self._joints.publish(joint_state_message(state, stamp_s=now_s))
            positions = dict(zip(state.names, state.positions.tolist(), strict=True))
            self._tf.publish(_tf_message(self._frames.moving(positions), now_s))
        if self._truth_gate.is_open(wall_s, anyway=everything):
            scene = replace(world.ground_truth(self._config.robot_name), stamp_s=now_s)
            self._truth.publish(scene_message(scene))

    def _joint_state(self, world: World) -> JointState:
        """Arm and fingers in one state."""
        arm = world.arm(self._config.robot_name)
        joints, fingers = arm.joint_state, arm.finger_state
        return JointState(
            names=joints.names + fingers.names,
            positions=np.concatenate((joints.positions, fingers.positions)),
            velocities=np.concatenate((joints.velocities, fingers.velocities)),
        )


def _tf_message(frames: tuple[Frame, ...], now_s: float) -> TFMessage:
    return TFMessage(
        transforms=[
            transform_message(frame.pose, parent=frame.parent, child=frame.child, stamp_s=now_s)
            for frame in frames
        ]
    )
