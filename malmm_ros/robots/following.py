"""Goals at things that turned out to be a little elsewhere than the program was told."""

from __future__ import annotations

import math

import numpy as np

from malmm_ros.geometry import Pose, top_down, wrap_angle
from malmm_ros.robots.contact import objects_at_tool
from malmm_ros.scene import Scene, SceneObject

# Differences that are not worth a new plan: metres and radians.
_SAME, _SAME_TURN = 0.001, math.radians(1.0)
# A thing that looks turned by more was mistaken, radians.
_LARGEST_TURN = math.radians(25.0)
# Less aside, the hand is above a goal, metres.
_ABOVE = 0.03


class Following:
    """Remembers where things were when a program was written.

    From above a thing, a camera on the wrist sees better where it is than any camera did from
    afar. The numbers of the program that then goes down to it are older than that look; its goal
    at the thing goes along with the thing.

    Args:
        limit: Goals follow so far at most, metres; 0: they never do.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._told: dict[str, SceneObject] = {}

    def tell(self, scene: Scene) -> None:
        """A program is made by this scene."""
        self._told = {item.name: item for item in scene.objects}

    def forget(self, name: str) -> None:
        """A thing was moved on purpose: what comes next takes that into account."""
        self._told.pop(name, None)

    def follow(self, goal: Pose, scene: Scene) -> tuple[Pose, str]:
        """The goal where it is meant to be by now, and words about it; empty: as it was.

        Args:
            goal: From above, of an open hand.
            scene: As it is seen now.
        """
        if not self._limit or scene.gripper.is_holding:
            return goal, ""
        item = next((at for at in objects_at_tool(scene, goal) if not at.is_fixed), None)
        told = None if item is None else self._told.get(item.name)
        if item is None or told is None or told.yaw_symmetry != item.yaw_symmetry:
            return goal, ""
        shift = np.subtract(item.pose.position, told.pose.position)
        turn = _turn(told, item)
        distance = float(np.linalg.norm(shift[:2]))
        is_same = distance < _SAME and abs(turn) < _SAME_TURN
        if is_same or distance > self._limit or abs(turn) > _LARGEST_TURN:
            return goal, ""
        return _carried(goal, told, item, turn), (
            f"{item.name!r} was seen {1000 * distance:.0f} mm and {math.degrees(abs(turn)):.0f}° "
            "from where it was told, and the goal went with it"
        )


def looking_place(goal: Pose, scene: Scene, *, height: float) -> Pose | None:
    """Where the open hand stops to look on its way to a thing; ``None``: it goes straight there.

    Args:
        goal: From above.
        scene: As it is seen now.
        height: Above the goal, metres.
    """
    here = scene.gripper.tcp.position
    aside = math.hypot(goal.position[0] - here[0], goal.position[1] - here[1])
    is_at_thing = any(not item.is_fixed for item in objects_at_tool(scene, goal))
    if aside < _ABOVE or not is_at_thing or scene.gripper.is_holding:
        return None  # it has looked from above it already, or there is nothing to grasp
    x, y, z = goal.position
    return top_down((x, y, z + height), goal.yaw)


def _turn(told: SceneObject, now: SceneObject) -> float:
    """By how much it looks turned, radians."""
    if not now.yaw_symmetry:
        return 0.0
    return wrap_angle(now.pose.yaw - told.pose.yaw, 2.0 * math.pi / now.yaw_symmetry)


def _carried(goal: Pose, told: SceneObject, now: SceneObject, turn: float) -> Pose:
    """The goal at the same place on the thing; its height stays."""
    offset = np.subtract(goal.position, told.pose.position)
    cos, sin = math.cos(turn), math.sin(turn)
    x = now.pose.position[0] + cos * offset[0] - sin * offset[1]
    y = now.pose.position[1] + sin * offset[0] + cos * offset[1]
    return top_down((float(x), float(y), goal.position[2]), goal.yaw + turn)
