"""A planning scene as MoveIt shall know it."""

from __future__ import annotations

from dataclasses import replace

from malmm_ros.geometry import Pose
from malmm_ros.motion.collision_world import TABLE, is_obstacle, padded
from malmm_ros.motion.moveit_client import OWN_PREFIX, Body, WantedScene
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.scene import SceneObject, Solid

TABLE_BODY = f"{OWN_PREFIX}the table"
_TABLE_SIZE = (4.0, 4.0, 0.2)
_HAND = ("hand", "leftfinger", "rightfinger")
# These stand on the table and cannot reach it.
_BASE = ("link0", "link1")
_NEXT_TO_HELD = (*_HAND, "link7")


def wanted_scene(scene: PlanningScene, padding: float, model: RoboplanConfig) -> WantedScene:
    """Obstacles, table, held object and what may touch what.

    Args:
        scene: A snapshot.
        padding: Obstacles grow by this on every side, metres; the table and what is held do not.
        model: The robot's name, and where the table is.
    """
    obstacles = [item for item in scene.objects if is_obstacle(item, model)]
    links = [f"{model.robot_name}_{name}" for name in _HAND]
    allowed = {(TABLE_BODY, f"{model.robot_name}_{name}") for name in _BASE}
    allowed |= {(_name(name), link) for name in scene.touchable for link in links}
    held = None
    if scene.held is not None:
        item = scene.held.item
        held = Body(name=_name(item.name), parts=item.parts, pose=scene.held.tcp_from_object)
        allowed |= {(held.name, _name(name)) for name in scene.held_touchable}
    return WantedScene(
        bodies=(_table(model), *(_body(item, padding) for item in obstacles)),
        held=held,
        touch_links=tuple(f"{model.robot_name}_{name}" for name in _NEXT_TO_HELD),
        allowed=frozenset(allowed),
    )


def _name(name: str) -> str:
    return TABLE_BODY if name == TABLE else OWN_PREFIX + name


def _body(item: SceneObject, padding: float) -> Body:
    parts = tuple(replace(part, size=padded(part, padding)) for part in item.parts)
    return Body(name=_name(item.name), parts=parts, pose=item.pose)


def _table(model: RoboplanConfig) -> Body:
    x, y, _ = model.base.position
    center = Pose((x, y, model.table_z - 0.5 * _TABLE_SIZE[2]))
    return Body(name=TABLE_BODY, parts=(Solid(shape="box", size=_TABLE_SIZE),), pose=center)
