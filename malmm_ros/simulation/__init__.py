"""The physical world and its tasks."""

from typing import cast

from malmm_ros.backends import load_backend
from malmm_ros.simulation.appearance import APPEARANCES
from malmm_ros.simulation.coppeliasim.configuration import CoppeliasimConfig
from malmm_ros.simulation.mujoco_world import MujocoWorld
from malmm_ros.simulation.tasks import TASKS, list_tasks
from malmm_ros.simulation.world import Arm, CameraMount, RobotPlacement, World

WORLDS = {
    "mujoco": "malmm_ros.simulation.mujoco_world:MujocoWorld",
    "coppeliasim": "malmm_ros.simulation.coppeliasim.world:CoppeliasimWorld",
}


def make_world(
    name: str = "mujoco",
    *,
    coppeliasim: CoppeliasimConfig | None = None,
    appearance: str = "default",
) -> World:
    """Make an empty world; reset it to a task.

    Args:
        name: In ``WORLDS``.
        coppeliasim: Where that simulator is; without effect on other worlds.
        appearance: How our own world looks, one of ``APPEARANCES``.

    Raises:
        UnknownNameError: There is no such world, or appearance.
    """
    make = load_backend("world", name, WORLDS)
    if name == "coppeliasim":
        world: World = make(coppeliasim)
        return world
    return cast(World, make(appearance=appearance))


__all__ = [
    "APPEARANCES",
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
