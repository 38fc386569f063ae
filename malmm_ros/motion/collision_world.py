"""Obstacles, table, workspace walls and the held object as roboplan geometries.

Adding a geometry costs half a millisecond and moving one 25 µs, so that geometries are kept in
slots, moved to where they are needed and parked far away when they are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import roboplan.core as core
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, Vector3
from malmm_ros.motion.planner import HeldObject, PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.scene import SceneObject, Solid, SolidShape, Workspace

Role = Literal["arm", "held"]
Padding = Mapping[tuple[str, str], float]

TABLE = "table"
WORLD_FRAME = "universe"
_COLOR = np.array([0.6, 0.6, 0.6, 1.0])
_PARKED = Pose((0.0, 0.0, -50.0))
_TABLE_SIZE = (4.0, 4.0, 0.2)
_WALL_THICKNESS = 0.3
_TCP_MARKER = "tcp_marker"
_MAX_PARKED = 48
# Roundings in goals must not fail at the faces of the workspace.
_WALL_SLACK = 0.002


@dataclass(slots=True)
class _Slot:
    name: str
    pose: Pose = _PARKED
    is_touchable: bool = False


@dataclass(slots=True)
class _Pool:
    """Geometries of one role and size; ``used`` of them are in the scene."""

    slots: list[_Slot] = field(default_factory=list)
    used: int = 0


def is_obstacle(item: SceneObject, config: RoboplanConfig) -> bool:
    """Whether it can be bumped into; painted areas on the table cannot."""
    return item.size[2] >= config.flat_height or item.top_z > config.table_z + 0.005


class CollisionWorld:
    """Keeps a roboplan scene equal to the planning scene of the present query."""

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._scene = robot.scene
        self._config = config
        self._pools: dict[tuple[Role, SolidShape, Vector3], _Pool] = {}
        self._count = 0
        self._held_names: list[str] = []
        self._held_key: object = None
        self._placed: dict[str, Pose] = {}
        self._tables = {role: f"table_{role}" for role in ("arm", "hand", "held")}
        self._walls = [f"wall_{side}" for side in ("x0", "x1", "y0", "y1", "z1")]
        self._add_fixed()

    def load(self, scene: PlanningScene, start_tcp: Vector3, padding: Padding) -> None:
        """Bring obstacles, walls, fingers and held object to those of a query.

        Args:
            scene: What to plan in.
            start_tcp: The workspace is widened to hold it.
            padding: By object and role, where it differs from the configuration's.
        """
        self._robot.set_fingers(scene.finger_width)
        self._place_tables(padding)
        self._place_walls(scene.workspace, start_tcp)
        for pool in self._pools.values():
            pool.used = 0
        on: list[tuple[str, str]] = []
        off: list[tuple[str, str]] = []
        held_off: list[str] = []
        for item in scene.objects:
            if is_obstacle(item, self._config):
                self._place_object(item, scene, padding, on, off, held_off)
        self._park_unused()
        for pairs, enable in ((on, True), (off, False)):
            if pairs:
                self._scene.setCollisions(pairs, enable)
        if TABLE in scene.held_touchable:
            held_off.append(self._tables["held"])
        self._attach(scene.held, held_off)

    def _place_object(
        self,
        item: SceneObject,
        scene: PlanningScene,
        padding: Padding,
        on: list[tuple[str, str]],
        off: list[tuple[str, str]],
        held_off: list[str],
    ) -> None:
        roles: tuple[Role, ...] = ("arm",) if scene.held is None else ("arm", "held")
        for role in roles:
            default = self._config.obstacle_padding if role == "arm" else self._config.held_padding
            amount = padding.get((item.name, role), default)
            for part in item.parts:
                slot = self._take(role, part.shape, padded(part, amount))
                self._move(slot.name, WORLD_FRAME, item.pose @ part.pose)
                if role == "held":
                    if item.name in scene.held_touchable:
                        held_off.append(slot.name)
                    continue
                is_touchable = item.name in scene.touchable
                if slot.is_touchable != is_touchable:
                    slot.is_touchable = is_touchable
                    pairs = [(slot.name, link) for link in self._robot.hand_links]
                    (off if is_touchable else on).extend(pairs)

    def _take(self, role: Role, shape: SolidShape, size: Vector3) -> _Slot:
        pool = self._pools.setdefault((role, shape, size), _Pool())
        if pool.used == len(pool.slots):
            self._count += 1
            slot = _Slot(f"{role}_{self._count}")
            self._add(slot.name, WORLD_FRAME, shape, size, _PARKED)
            others = [name for name in self._world_names() if name != slot.name]
            others += [_TCP_MARKER, *self._held_names] if role == "arm" else [_TCP_MARKER]
            if role == "held":
                others += [*self._robot.arm_links, *self._robot.hand_links]
            self._disable(slot.name, others)
            pool.slots.append(slot)
        pool.used += 1
        return pool.slots[pool.used - 1]

    def _world_names(self) -> list[str]:
        slots = [slot.name for pool in self._pools.values() for slot in pool.slots]
        return [*self._tables.values(), *self._walls, *slots]

    def _park_unused(self) -> None:
        parked = 0
        for key, pool in list(self._pools.items()):
            for slot in pool.slots[pool.used :]:
                parked += 1
                if parked > _MAX_PARKED:
                    self._scene.removeGeometry(slot.name)
                    self._placed.pop(slot.name)
                    pool.slots.remove(slot)
                else:
                    self._move(slot.name, WORLD_FRAME, _PARKED)
            if not pool.slots:
                del self._pools[key]

    def _attach(self, held: HeldObject | None, untouched: list[str]) -> None:
        """Fix the held object to the tool point.

        Its geometries are replaced rather than moved: roboplan 0.7 takes the pose relative to
        the frame when adding and relative to the frame's parent joint when moving.
        """
        key = None
        if held is not None:
            slots = sorted(name for name in self._world_names() if name.startswith("held_"))
            key = (held.item.parts, held.tcp_from_object, tuple(untouched), tuple(slots))
        if key == self._held_key:
            return
        for name in self._held_names:
            self._scene.removeGeometry(name)
        self._held_names = []
        self._held_key = key
        if held is None:
            return
        for index, part in enumerate(held.item.parts):
            name = f"carried_{index}"
            pose = held.tcp_from_object @ part.pose
            self._add(name, self._robot.tcp_frame, part.shape, padded(part, 0.0), pose)
            allowed = [
                *self._robot.hand_links,
                self._robot.arm_links[7],
                _TCP_MARKER,
                *self._held_names,
                *untouched,
                *(item for item in self._world_names() if not item.startswith("held_")),
            ]
            self._disable(name, [item for item in allowed if item != self._tables["held"]])
            if self._tables["held"] in untouched:
                self._disable(name, [self._tables["held"]])
            self._held_names.append(name)

    def _add_fixed(self) -> None:
        for name in (*self._tables.values(), *self._walls):
            size = _TABLE_SIZE if name.startswith("table") else (3.0, 3.0, _WALL_THICKNESS)
            if name.startswith("wall_x"):
                size = (_WALL_THICKNESS, 3.0, 3.0)
            elif name.startswith("wall_y"):
                size = (3.0, _WALL_THICKNESS, 3.0)
            self._add(name, WORLD_FRAME, "box", size, _PARKED)
        self._add(_TCP_MARKER, self._robot.tcp_frame, "sphere", (0.0002,) * 3, Pose((0.0,) * 3))
        arm, hand = self._robot.arm_links, self._robot.hand_links
        fixed = [*self._tables.values(), *self._walls]
        for index, name in enumerate(fixed):
            self._disable(name, fixed[:index])
        self._disable(_TCP_MARKER, [*self._tables.values(), *arm, *hand])
        for wall in self._walls:
            self._disable(wall, [*arm, *hand])
        # The first two links stand on the table and cannot reach it.
        self._disable(self._tables["arm"], [*arm[:2], *hand])
        self._disable(self._tables["hand"], arm)
        self._disable(self._tables["held"], [*arm, *hand])

    def _place_tables(self, padding: Padding) -> None:
        defaults = {
            "arm": self._config.obstacle_padding,
            "hand": self._config.table_padding_hand,
            "held": self._config.held_padding,
        }
        for role, name in self._tables.items():
            top = self._config.table_z + padding.get((TABLE, role), defaults[role])
            x, y, _ = self._config.base.position
            self._move(name, WORLD_FRAME, Pose((x, y, top - 0.5 * _TABLE_SIZE[2])))

    def _place_walls(self, workspace: Workspace, start_tcp: Vector3) -> None:
        low = [min(a, b) - _WALL_SLACK for a, b in zip(workspace.low, start_tcp, strict=True)]
        high = [max(a, b) + _WALL_SLACK for a, b in zip(workspace.high, start_tcp, strict=True)]
        middle = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
        for name in self._walls:
            axis = "xyz".index(name[-2])
            center = list(middle)
            if name.endswith("0"):
                center[axis] = low[axis] - 0.5 * _WALL_THICKNESS
            else:
                center[axis] = high[axis] + 0.5 * _WALL_THICKNESS
            self._move(name, WORLD_FRAME, Pose((center[0], center[1], center[2])))

    def _add(self, name: str, frame: str, shape: SolidShape, size: Vector3, pose: Pose) -> None:
        matrix = _fortran(pose)
        if shape == "box":
            self._scene.addBoxGeometry(name, frame, core.Box(*size), matrix, _COLOR)
        elif shape == "cylinder":
            cylinder = core.Cylinder(0.5 * size[0], size[2])
            self._scene.addCylinderGeometry(name, frame, cylinder, matrix, _COLOR)
        else:
            sphere = core.Sphere(0.5 * size[0])
            self._scene.addSphereGeometry(name, frame, sphere, matrix, _COLOR)
        self._placed[name] = pose

    def _move(self, name: str, frame: str, pose: Pose) -> None:
        if self._placed[name] != pose:
            self._scene.updateGeometryPlacement(name, frame, _fortran(pose))
            self._placed[name] = pose

    def _disable(self, name: str, others: list[str] | tuple[str, ...]) -> None:
        if others:
            self._scene.setCollisions([(name, other) for other in others], False)


def padded(part: Solid, amount: float) -> Vector3:
    """The part's size grown by ``amount`` on every side; shrunk parts keep 0.2 mm."""
    x, y, z = (max(round(extent + 2.0 * amount, 7), 2e-4) for extent in part.size)
    return (x, y, z)


def _fortran(pose: Pose) -> NDArray[np.float64]:
    return np.asfortranarray(pose.matrix())
