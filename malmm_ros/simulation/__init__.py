"""The physical world and its tasks."""

from malmm_ros.simulation.mujoco_world import MujocoWorld
from malmm_ros.simulation.tasks import TASKS, list_tasks
from malmm_ros.simulation.world import RobotPlacement, World

WORLDS = {"mujoco": "malmm_ros.simulation.mujoco_world:MujocoWorld"}

__all__ = ["TASKS", "WORLDS", "MujocoWorld", "RobotPlacement", "World", "list_tasks"]
