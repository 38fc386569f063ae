"""Things that happen to objects while a robot works."""

from __future__ import annotations

import math

import numpy as np

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import Workspace
from malmm_ros.simulation.physics import Physics

DISTURBANCES = ("knock", "shift")
_SHIFT = (0.06, 0.12)
_KNOCK_SPEED = 0.6
_TRIES = 200
_CLEARANCE = 0.09


def disturb(
    physics: Physics,
    kind: str,
    object_name: str,
    *,
    movable: tuple[str, ...],
    rng: np.random.Generator,
) -> str:
    """Do something to one object.

    Args:
        physics: Changed in place.
        kind: ``knock`` gives it a velocity; ``shift`` moves it in the plane to a free place.
        object_name: Empty: drawn from the movable ones.
        movable: Names of the objects that can move.
        rng: Draws the object, direction and distance.

    Returns:
        What was done, for people.

    Raises:
        UnknownNameError: No such kind or object.
    """
    if kind not in DISTURBANCES:
        raise UnknownNameError("disturbance", kind, DISTURBANCES)
    name = object_name or str(rng.choice(movable))
    if name not in movable:
        raise UnknownNameError("object to disturb", name, movable)
    if kind == "knock":
        return _knock(physics, name, rng)
    return _shift(physics, name, movable=movable, rng=rng)


def _knock(physics: Physics, name: str, rng: np.random.Generator) -> str:
    angle = float(rng.uniform(-math.pi, math.pi))
    direction = np.array([math.cos(angle), math.sin(angle), 0.0])
    physics.push(name, np.concatenate((_KNOCK_SPEED * direction, np.zeros(3))))
    return f"knocked {name} at {_KNOCK_SPEED:g} m/s towards {math.degrees(angle):.0f}°"


def _shift(
    physics: Physics, name: str, *, movable: tuple[str, ...], rng: np.random.Generator
) -> str:
    pose = physics.pose(name)
    others = [physics.pose(other).position for other in movable if other != name]
    workspace = Workspace()
    for _ in range(_TRIES):
        angle = float(rng.uniform(-math.pi, math.pi))
        distance = float(rng.uniform(*_SHIFT))
        x = pose.position[0] + distance * math.cos(angle)
        y = pose.position[1] + distance * math.sin(angle)
        z = pose.position[2]
        is_free = all(math.hypot(x - o[0], y - o[1]) > _CLEARANCE for o in others)
        if is_free and workspace.contains((x, y, z), margin=0.0):
            physics.place(name, Pose((x, y, z), pose.orientation))
            return f"shifted {name} by {distance:.3f} m towards {math.degrees(angle):.0f}°"
    return f"left {name} where it is: there is no free place around it"
