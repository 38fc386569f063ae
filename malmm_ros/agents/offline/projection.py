"""The scene as it will be when goals are reached: what later words of a sentence speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.goals import Around, Goal, Inside, Rest, Spot, Tower
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import TABLE_TOP_Z, Scene


def project(goals: Sequence[Goal], scene: Scene) -> Scene:
    """Move every object to where the goals want it, the last goal last.

    For a tower with a choice the first fitting objects stand for those that will be taken.
    """
    for goal in goals:
        match goal:
            case Rest(item, support) if support:
                scene = _onto(item, support, scene)
            case Inside(item, support) | Around(item, support):
                scene = _into(item, support, scene)
            case Spot(item, x, y):
                scene = _moved(item, (x, y), TABLE_TOP_Z, scene)
            case Tower():
                scene = _stacked(goal, scene)
            case _:
                pass
    return scene


def _onto(name: str, support: str, scene: Scene) -> Scene:
    base = scene.find(support)
    if base is None:
        return scene
    return _moved(name, layout.center(base), layout.top_z(base), scene)


def _into(name: str, container: str, scene: Scene) -> Scene:
    walls = scene.find(container)
    if walls is None:
        return scene
    return _moved(name, layout.center(walls), layout.bottom_z(walls), scene)


def _stacked(tower: Tower, scene: Scene) -> Scene:
    below, used = tower.support, set[str]()
    for names in tower.levels:
        name = next((name for name in names if name not in used), "")
        if below:
            scene = _onto(name, below, scene)
        below = name or below
        used.add(name)
    return scene


def _moved(name: str, point: layout.Point, bottom: float, scene: Scene) -> Scene:
    item = scene.find(name)
    if item is None:
        return scene
    position: Vector3 = (point[0], point[1], bottom + 0.5 * item.size[2])
    moved = replace(item, pose=Pose.from_yaw(position, item.pose.yaw), is_held=False)
    objects = tuple(moved if other.name == name else other for other in scene.objects)
    return replace(scene, objects=objects)
