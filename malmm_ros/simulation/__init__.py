"""The physical world and its tasks."""

from malmm_ros.backends import load_backend
from malmm_ros.simulation.coppeliasim.configuration import CoppeliasimConfig
from malmm_ros.simulation.mujoco_world import MujocoWorld
from malmm_ros.simulation.tasks import TASKS, list_tasks
from malmm_ros.simulation.world import Arm, CameraMount, RobotPlacement, World

WORLDS = {
    "mujoco": "malmm_ros.simulation.mujoco_world:MujocoWorld",
    "coppeliasim": "malmm_ros.simulation.coppeliasim.world:CoppeliasimWorld",
}


def make_world(name: str = "mujoco", *, coppeliasim: CoppeliasimConfig | None = None) -> World:
    """Make an empty world; reset it to a task.

    Args:
        name: In ``WORLDS``.
        coppeliasim: Where that simulator is; without effect on other worlds.

    Raises:
        UnknownNameError: There is no such world.
    """
    make = load_backend("world", name, WORLDS)
    world: World = make(coppeliasim) if name == "coppeliasim" else make()
    return world


__all__ = [
    "TASKS",
    "WORLDS",
    "Arm",
    "CameraMount",
    "CoppeliasimConfig",
    "MujocoWorld",
    "RobotPlacement",
    "World",
    "list_tasks",
    "make_world",
]
