"""The node itself: builds the world and wires its parts to ROS."""

from __future__ import annotations

import os
import signal
import traceback
from typing import Any, NoReturn

from rclpy.node import Node

from malmm_ros.errors import UnknownNameError
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.nodes.simulator.arm_action import ArmAction
from malmm_ros.nodes.simulator.cameras import CameraPublishers
from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.nodes.simulator.goals import GoalWatch
from malmm_ros.nodes.simulator.gripper_action import GripperAction
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.nodes.simulator.sensors import CameraSensors
from malmm_ros.nodes.simulator.states import StatePublishers
from malmm_ros.nodes.simulator.tasks import TaskServices, first_task, load
from malmm_ros.simulation import World, make_world
from malmm_ros.simulation.sensor_noise import SensorNoiseConfig


class SimulatorNode(Node):
    """A simulated arm at a table, with a task in front of it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("simulator", **options)
        self.config = declare_configuration(
            self, SimulatorConfig, on_change=lambda changed: self._physics.set_speed(changed.speed)
        )
        world = make_world(self.config.world, coppeliasim=self.config.coppeliasim)
        instruction = load(world, self.config, first_task(self.config))
        for camera in self.config.cameras:
            if camera not in world.camera_names:
                raise UnknownNameError("parameter cameras", camera, world.camera_names)
        self._goals = GoalWatch()
        self._states = StatePublishers(self, self.config)
        self._physics = PhysicsThread(
            world,
            speed=self.config.speed,
            on_batch=self._after_batch,
            on_failure=self._fail,
        )
        sensors = self._sensors(self.config.seed)
        self._states.publish_loaded(world, 0.0, sensors)
        self._arm = ArmAction(
            self, self.config.robot_name, physics=self._physics, watch=self._goals
        )
        self._gripper = GripperAction(
            self,
            self.config.robot_name,
            physics=self._physics,
            watch=self._goals,
            position=self.config.gripper_position,
        )
        self._tasks = TaskServices(
            self, self.config, physics=self._physics, on_load=self._after_load
        )
        self._cameras = CameraPublishers(self, self.config, physics=self._physics, sensors=sensors)
        self._physics.start()
        self._cameras.start()
        self.get_logger().info(
            f"ready: {self.config.task}, seed {self.config.seed}, speed {self.config.speed:g}: "
            f"{instruction}"
        )

    def close(self) -> None:
        """Brake, answer who waits, end the threads."""
        self._arm.close()
        self._gripper.close()
        self._cameras.close()
        self._physics.close()

    def _after_batch(self, world: World, now_s: float, everything: bool) -> None:
        if world.robot_names:
            self._states.publish(world, now_s, everything)
        self._goals.look(world, self._physics.generation)
        if everything:
            self._cameras.hurry()

    def _after_load(self, world: World, seed: int) -> None:
        sensors = self._sensors(seed)
        self._cameras.use(sensors)
        self._states.publish_loaded(world, self._physics.now_s, sensors)

    def _sensors(self, seed: int) -> CameraSensors:
        noise = SensorNoiseConfig() if self.config.sensor_noise else None
        return CameraSensors(self.config.cameras, seed=seed, config=noise)

    def _fail(self, error: BaseException) -> None:
        """A simulator without physics is no simulator: end, so that everybody notices."""
        text = "".join(traceback.format_exception(error))
        self.get_logger().fatal(f"the physics thread failed: {text}")
        os.kill(os.getpid(), signal.SIGTERM)


def main() -> NoReturn:
    """Run the node as this process."""
    run_main(SimulatorNode, threads=10)
