"""Obstacles, table, workspace walls and the held object as roboplan geometries.

Adding a geometry costs half a millisecond and moving one 25 µs, and removing one leaves wrong
pairs behind in roboplan 0.7. So geometries are kept in slots, moved to where they are needed and
parked far away when they are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
"""By object (or ``"table"``) and role, where it differs from the configuration's, metres."""

TABLE = "table"
_WORLD_FRAME = "universe"
_COLOR = np.array([0.6, 0.6, 0.6, 1.0])
_PARKED = Pose((0.0, 0.0, -50.0))
# Nearer, so that what is parked in the hand cannot meet what is parked in the world.
_PARKED_IN_HAND = Pose((0.0, 0.0, 20.0))
_IDENTITY = Pose((0.0, 0.0, 0.0))
_TABLE_SIZE = (4.0, 4.0, 0.2)
_TABLE_ROLES = ("arm", "hand", "held")
_WALL_THICKNESS = 0.3
_WALL_SIDES = ("x0", "x1", "y0", "y1", "z1")
# Roundings in goals must not fail at the faces of the workspace.
_WALL_SLACK = 0.002
_TCP_MARKER = "tcp_marker"


@dataclass(slots=True, kw_only=True)
class _Slot:
    """A part of an obstacle; ``is_touchable`` by the hand."""

    name: str
    is_touchable: bool = False


@dataclass(slots=True)
class _Pool:
    """Slots of one role, shape and size; the first ``used`` of them are in the scene."""

    slots: list[_Slot] = field(default_factory=list)
    used: int = 0


@dataclass(slots=True, kw_only=True)
class _CarriedSlot:
    """A part of a held object; ``untouched`` are the geometries it is not checked against."""

    name: str
    key: tuple[SolidShape, Vector3]
    untouched: set[str] = field(default_factory=set)


def is_obstacle(item: SceneObject, config: RoboplanConfig) -> bool:
    """Whether it can be bumped into; painted areas on the table cannot."""
    return item.size[2] >= config.flat_height or item.top_z > config.table_z + 0.005


class CollisionWorld:
    """Keeps a roboplan scene equal to the planning scene of the present query.

    Robot links are checked against obstacles of role ``arm``, the held object against those of
    role ``held``: the same objects with another padding.
    """

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._scene = robot.scene
        self._config = config
        self._pools: dict[tuple[Role, SolidShape, Vector3], _Pool] = {}
        self._carried: list[_CarriedSlot] = []
        self._placed: dict[str, tuple[str, Pose]] = {}
        self._switches: list[tuple[str, str, bool]] = []
        self._add_fixed()
        self._apply_switches()

    @property
    def geometry_count(self) -> int:
        """How many geometries there are, used or parked; it only grows."""
        return len(self._placed)

    def load(self, scene: PlanningScene, start_tcp: Vector3, padding: Padding) -> None:
        """Bring obstacles, walls, fingers and held object to those of a query.

        Args:
            scene: What to plan in.
            start_tcp: The workspace is widened to hold it.
            padding: Exceptions.
        """
        self._robot.set_fingers(scene.finger_width)
        self._place_tables(padding)
        self._place_walls(scene.workspace, start_tcp)
        for pool in self._pools.values():
            pool.used = 0
        obstacles = [item for item in scene.objects if is_obstacle(item, self._config)]
        self._place_for_arm(obstacles, scene.touchable, padding)
        untouched = {_table("held")} if TABLE in scene.held_touchable else set()
        if scene.held is not None:
            untouched |= self._place_for_held(obstacles, scene.held_touchable, padding)
        for pool in self._pools.values():
            for slot in pool.slots[pool.used :]:
                self._move(slot.name, _PARKED)
        self._attach(scene.held, untouched)
        self._apply_switches()

    def _place_for_arm(
        self, items: Iterable[SceneObject], touchable: frozenset[str], padding: Padding
    ) -> None:
        for item in items:
            is_touchable = item.name in touchable
            amount = padding.get((item.name, "arm"), self._config.obstacle_padding)
            for slot in self._place(item, "arm", amount):
                if slot.is_touchable != is_touchable:
                    slot.is_touchable = is_touchable
                    self._set_pairs(slot.name, self._robot.hand_links, enable=not is_touchable)

    def _place_for_held(
        self, items: Iterable[SceneObject], touchable: frozenset[str], padding: Padding
    ) -> set[str]:
        """Returns the names of geometries that the held object may touch."""
        untouched: set[str] = set()
        for item in items:
            amount = padding.get((item.name, "held"), self._config.held_padding)
            slots = self._place(item, "held", amount)
            if item.name in touchable:
                untouched.update(slot.name for slot in slots)
        return untouched

    def _place(self, item: SceneObject, role: Role, amount: float) -> list[_Slot]:
        slots = []
        for part in item.parts:
            slot = self._take(role, part.shape, padded(part, amount))
            # Most parts are the whole object; chaining poses takes longer than moving one.
            is_whole = part.pose == _IDENTITY
            self._move(slot.name, item.pose if is_whole else item.pose @ part.pose)
            slots.append(slot)
        return slots

    def _take(self, role: Role, shape: SolidShape, size: Vector3) -> _Slot:
        pool = self._pools.setdefault((role, shape, size), _Pool())
        if pool.used == len(pool.slots):
            slot = _Slot(name=f"{role}_{self.geometry_count}")
            others = [_TCP_MARKER, *self._world_names("arm"), *self._world_names("held")]
            if role == "held":
                others += [*self._robot.arm_links, *self._robot.hand_links]
            else:
                others += [item.name for item in self._carried]
            self._add(slot.name, shape, size, _PARKED)
            self._set_pairs(slot.name, others, enable=False)
            pool.slots.append(slot)
        pool.used += 1
        return pool.slots[pool.used - 1]

    def _world_names(self, role: Role) -> list[str]:
        """What carried parts are checked against (``held``), and all the rest (``arm``)."""
        slots = [
            slot.name
            for (owner, _, _), pool in self._pools.items()
            if owner == role
            for slot in pool.slots
        ]
        if role == "held":
            return [_table("held"), *slots]
        return [_table("arm"), _table("hand"), *map(_wall, _WALL_SIDES), *slots]

    def _attach(self, held: HeldObject | None, untouched: set[str]) -> None:
        """Fix the held object to the tool point; what was held before goes far away."""
        free = list(self._carried)
        for part in () if held is None else held.item.parts:
            key = (part.shape, padded(part, 0.0))
            slot = next((item for item in free if item.key == key), None)
            if slot is None:
                slot = self._add_carried(*key)
            else:
                free.remove(slot)
            self._set_pairs(slot.name, untouched - slot.untouched, enable=False)
            self._set_pairs(slot.name, slot.untouched - untouched, enable=True)
            slot.untouched = untouched
            assert held is not None
            pose = self._robot.last_joint_from_tcp @ held.tcp_from_object @ part.pose
            self._move(slot.name, pose)
        for slot in free:
            self._move(slot.name, _PARKED_IN_HAND)

    def _add_carried(self, shape: SolidShape, size: Vector3) -> _CarriedSlot:
        slot = _CarriedSlot(name=f"carried_{self.geometry_count}", key=(shape, size))
        self._add(slot.name, shape, size, _PARKED_IN_HAND, frame=self._robot.tcp_frame)
        allowed = [*self._robot.hand_links, self._robot.arm_links[7], _TCP_MARKER]
        allowed += [item.name for item in self._carried]
        self._set_pairs(slot.name, [*allowed, *self._world_names("arm")], enable=False)
        self._carried.append(slot)
        return slot

    def _add_fixed(self) -> None:
        tables = [_table(role) for role in _TABLE_ROLES]
        walls = [_wall(side) for side in _WALL_SIDES]
        for name in tables:
            self._add(name, "box", _TABLE_SIZE, _PARKED)
        for name, side in zip(walls, _WALL_SIDES, strict=True):
            x, y, z = (_WALL_THICKNESS if axis == side[0] else 3.0 for axis in "xyz")
            self._add(name, "box", (x, y, z), _PARKED)
        marker = self._robot.last_joint_from_tcp
        self._add(_TCP_MARKER, "sphere", (2e-4,) * 3, marker, frame=self._robot.tcp_frame)
        arm, hand = self._robot.arm_links, self._robot.hand_links
        fixed = [*tables, *walls]
        for index, name in enumerate(fixed):
            self._set_pairs(name, fixed[:index], enable=False)
        # Only the tool point minds the walls, and it minds nothing else.
        self._set_pairs(_TCP_MARKER, [*tables, *arm, *hand], enable=False)
        for name in walls:
            self._set_pairs(name, [*arm, *hand], enable=False)
        # The first two links stand on the table and cannot reach it.
        self._set_pairs(_table("arm"), [*arm[:2], *hand], enable=False)
        self._set_pairs(_table("hand"), arm, enable=False)
        self._set_pairs(_table("held"), [*arm, *hand], enable=False)

    def _place_tables(self, padding: Padding) -> None:
        defaults = (
            self._config.obstacle_padding,
            self._config.table_padding_hand,
            self._config.held_padding,
        )
        x, y, _ = self._config.base.position
        for role, default in zip(_TABLE_ROLES, defaults, strict=True):
            top = self._config.table_z + padding.get((TABLE, role), default)
            self._move(_table(role), Pose((x, y, top - 0.5 * _TABLE_SIZE[2])))

    def _place_walls(self, workspace: Workspace, start_tcp: Vector3) -> None:
        low = [min(a, b) - _WALL_SLACK for a, b in zip(workspace.low, start_tcp, strict=True)]
        high = [max(a, b) + _WALL_SLACK for a, b in zip(workspace.high, start_tcp, strict=True)]
        for side in _WALL_SIDES:
            axis = "xyz".index(side[0])
            center = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
            is_low = side[1] == "0"
            half = 0.5 * _WALL_THICKNESS
            center[axis] = low[axis] - half if is_low else high[axis] + half
            self._move(_wall(side), Pose((center[0], center[1], center[2])))

    def _add(
        self,
        name: str,
        shape: SolidShape,
        size: Vector3,
        pose: Pose,
        *,
        frame: str = _WORLD_FRAME,
    ) -> None:
        matrix = _fortran(pose)
        if shape == "box":
            self._scene.addBoxGeometry(name, frame, core.Box(*size), matrix, _COLOR)
        elif shape == "cylinder":
            cylinder = core.Cylinder(0.5 * size[0], size[2])
            self._scene.addCylinderGeometry(name, frame, cylinder, matrix, _COLOR)
        else:
            sphere = core.Sphere(0.5 * size[0])
            self._scene.addSphereGeometry(name, frame, sphere, matrix, _COLOR)
        self._placed[name] = (frame, pose)

    def _move(self, name: str, pose: Pose) -> None:
        frame, present = self._placed[name]
        if present != pose:
            self._scene.updateGeometryPlacement(name, frame, _fortran(pose))
            self._placed[name] = (frame, pose)

    def _set_pairs(self, name: str, others: Iterable[str], *, enable: bool) -> None:
        """Note a change; all of one kind together cost as much as one."""
        self._switches.extend((name, other, enable) for other in sorted(others))

    def _apply_switches(self) -> None:
        latest = {(first, second): enable for first, second, enable in self._switches}
        for enable in (True, False):
            pairs = [pair for pair, value in latest.items() if value is enable]
            if pairs:
                self._scene.setCollisions(pairs, enable)
        self._switches.clear()


def padded(part: Solid, amount: float) -> Vector3:
    """The part's size grown by ``amount`` on every side; shrunk parts keep 0.2 mm."""
    x, y, z = (max(round(extent + 2.0 * amount, 7), 2e-4) for extent in part.size)
    return (x, y, z)


def _table(role: str) -> str:
    return f"table_{role}"


def _wall(side: str) -> str:
    return f"wall_{side}"


def _fortran(pose: Pose) -> NDArray[np.float64]:
    return np.asfortranarray(pose.matrix())
