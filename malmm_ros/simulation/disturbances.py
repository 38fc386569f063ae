"""Things that happen to objects while a robot works."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Workspace
from malmm_ros.simulation.physics import Physics
from malmm_ros.simulation.reach import Reach

DISTURBANCES = ("knock", "shift")
_SHIFT = (0.06, 0.15)
_KNOCK_SPEED = 0.9
_TRIES = 200
_CLEARANCE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a disturbance has to respect.

    Attributes:
        objects: All that lies about, as it is now.
        touched: Names of what the robot is in contact with.
        reach: Shifted objects stay within it.
    """

    objects: tuple[SceneObject, ...]
    touched: frozenset[str]
    reach: Reach


def disturb(
    physics: Physics,
    kind: str,
    object_name: str,
    *,
    surroundings: Surroundings,
    rng: np.random.Generator,
) -> str:
    """Do something to one object.

    Args:
        physics: Changed in place.
        kind: ``knock`` gives it a velocity; ``shift`` moves it in the plane to a free place.
        object_name: Empty: drawn from those that can move and that no robot touches.
        surroundings: Of this moment.
        rng: Draws the object, direction and distance.

    Returns:
        What was done, for people.

    Raises:
        UnknownNameError: No such kind or object.
        SimulationError: It cannot be done now; the text says why.
    """
    if kind not in DISTURBANCES:
        raise UnknownNameError("disturbance", kind, DISTURBANCES)
    movable = [item for item in surroundings.objects if not item.is_fixed]
    names = [item.name for item in movable]
    if object_name and object_name not in names:
        raise UnknownNameError("object to disturb", object_name, names)
    free = [name for name in names if name not in surroundings.touched]
    if not free:
        raise SimulationError(f"nothing to {kind}: the robot touches all that can move")
    name = object_name or str(rng.choice(free))
    if kind == "knock":
        return _knock(physics, name, rng)
    if name in surroundings.touched:
        raise SimulationError(f"{name} cannot be shifted: the robot touches it")
    return _shift(physics, movable[names.index(name)], surroundings=surroundings, rng=rng)


def _knock(physics: Physics, name: str, rng: np.random.Generator) -> str:
    angle = float(rng.uniform(-math.pi, math.pi))
    direction = np.array([math.cos(angle), math.sin(angle), 0.0])
    physics.push(name, np.concatenate((_KNOCK_SPEED * direction, np.zeros(3))))
    return f"knocked {name} at {_KNOCK_SPEED:g} m/s towards {math.degrees(angle):.0f}°"


def _shift(
    physics: Physics, item: SceneObject, *, surroundings: Surroundings, rng: np.random.Generator
) -> str:
    here = item.pose.position
    others = [other.pose.position for other in surroundings.objects if other.name != item.name]
    for _ in range(_TRIES):
        angle = float(rng.uniform(-math.pi, math.pi))
        distance = float(rng.uniform(*_SHIFT))
        x, y = here[0] + distance * math.cos(angle), here[1] + distance * math.sin(angle)
        place = (x, y, TABLE_TOP_Z + 0.5 * item.size[2])
        if (
            Workspace().contains(place)
            and all(math.hypot(x - o[0], y - o[1]) >= _CLEARANCE for o in others)
            and surroundings.reach.is_reachable(place, item.yaw, symmetry=item.yaw_symmetry)
        ):
            physics.place(item.name, Pose(place, physics.pose(item.name).orientation))
            return f"shifted {item.name} by {distance:.3f} m towards {math.degrees(angle):.0f}°"
    raise SimulationError(f"{item.name} cannot be shifted: there is no free place around it")
