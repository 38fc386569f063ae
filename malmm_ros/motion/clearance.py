"""Exact distances between robot and obstacles: for reasons, numbers and tight places.

Works on its own model and the unpadded shapes, so that it also checks roboplan's world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import coal
import numpy as np
import pinocchio
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.models import (
    ARM_DOF,
    MODEL_DIRECTORY,
    arm_joint_names,
    finger_joint_names,
    panda_srdf,
    panda_urdf,
)
from malmm_ros.motion.collision_world import TABLE, is_obstacle
from malmm_ros.motion.planner import PlanningScene
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.scene import Solid

HELD_PREFIX = "held "
_HAND = ("hand", "leftfinger", "rightfinger")
_NEXT_TO_HELD = (*_HAND, "link7")
_TABLE_SOLID = Solid(shape="box", size=(4.0, 4.0, 0.2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Two bodies that are near or inside each other.

    Attributes:
        body: Link without the robot's prefix, or ``"held NAME"``.
        other: Object, ``"table"`` or another link.
        distance: Metres; negative when they overlap.
    """

    body: str
    other: str
    distance: float

    @property
    def role(self) -> str:
        """Whose padding keeps them apart: ``arm``, ``hand`` (table only) or ``held``."""
        if self.body.startswith(HELD_PREFIX):
            return "held"
        return "hand" if self.body in _HAND and self.other == TABLE else "arm"


@dataclass(frozen=True, slots=True)
class _Body:
    """A named coal shape and where it is (a pinocchio SE3)."""

    name: str
    geometry: Any
    at: Any


class ClearanceProbe:
    """Measures single configurations; thousands of times slower than roboplan's yes or no."""

    def __init__(self, config: RoboplanConfig) -> None:
        self._config = config
        prefix = config.robot_name
        self._prefix = f"{prefix}_"
        urdf = panda_urdf(robot_name=prefix, base=config.base, mesh_root=str(MODEL_DIRECTORY))
        self._model = pinocchio.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self._geometry = pinocchio.buildGeomFromUrdfString(
            self._model, urdf, pinocchio.GeometryType.COLLISION
        )
        for item in self._geometry.geometryObjects:
            if isinstance(item.geometry, coal.BVHModelBase):
                # A surface of triangles has no inside; its hull has.
                item.geometry.buildConvexHull(True, "Qt")
                item.geometry = item.geometry.convex
            item.geometry.computeLocalAABB()
        self._geometry.addAllCollisionPairs()
        pinocchio.removeCollisionPairsFromXML(
            self._model, self._geometry, panda_srdf(robot_name=prefix)
        )
        self._placements = self._geometry.createData()
        joints = (*arm_joint_names(prefix), *finger_joint_names(prefix))
        self._index = [self._model.joints[self._model.getJointId(name)].idx_q for name in joints]
        self._tcp = self._model.getFrameId(f"{prefix}_hand_tcp")

    def contacts(
        self, arm: NDArray[np.float64], scene: PlanningScene, *, margin: float
    ) -> list[Contact]:
        """Pairs nearer than ``margin`` that are not allowed to touch, nearest first."""
        self._update(arm, scene.finger_width)
        obstacles = self._obstacles(scene)
        near: dict[tuple[str, str], float] = {}
        for body in self._bodies(scene):
            for other in obstacles:
                if not _may_touch(body.name, other.name, scene):
                    _keep_nearest(near, body, other, margin)
        for body, other in self._own_pairs(scene):
            _keep_nearest(near, body, other, min(margin, 0.0))
        items = [
            Contact(body=body, other=other, distance=distance)
            for (body, other), distance in near.items()
        ]
        return sorted(items, key=lambda item: item.distance)

    def _update(self, arm: NDArray[np.float64], finger_width: float) -> None:
        q = pinocchio.neutral(self._model)
        finger = 0.5 * min(max(finger_width, 0.0), 0.08)
        q[self._index] = [*arm[:ARM_DOF], finger, finger]
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        pinocchio.updateGeometryPlacements(
            self._model, self._data, self._geometry, self._placements, q
        )

    def _link(self, index: int) -> str:
        item = self._geometry.geometryObjects[index]
        name: str = self._model.frames[item.parentFrame].name
        return name.removeprefix(self._prefix)

    def _links(self) -> list[_Body]:
        return [
            _Body(self._link(index), item.geometry, self._placements.oMg[index])
            for index, item in enumerate(self._geometry.geometryObjects)
        ]

    def _bodies(self, scene: PlanningScene) -> list[_Body]:
        return self._links() + self._held(scene)

    def _held(self, scene: PlanningScene) -> list[_Body]:
        if scene.held is None:
            return []
        tcp = Pose.from_matrix(self._data.oMf[self._tcp].homogeneous)
        name = HELD_PREFIX + scene.held.item.name
        pose = tcp @ scene.held.tcp_from_object
        return [
            _Body(name, shape(part), _placement(pose @ part.pose))
            for part in scene.held.item.parts
        ]

    def _obstacles(self, scene: PlanningScene) -> list[_Body]:
        x, y, _ = self._config.base.position
        table = Pose((x, y, self._config.table_z - 0.5 * _TABLE_SOLID.size[2]))
        result = [_Body(TABLE, shape(_TABLE_SOLID), _placement(table))]
        for item in scene.objects:
            if is_obstacle(item, self._config):
                result += [
                    _Body(item.name, shape(part), _placement(item.pose @ part.pose))
                    for part in item.parts
                ]
        return result

    def _own_pairs(self, scene: PlanningScene) -> list[tuple[_Body, _Body]]:
        """Links against each other, and the held object against the arm."""
        links = self._links()
        result = [
            (links[pair.first], links[pair.second]) for pair in self._geometry.collisionPairs
        ]
        for held in self._held(scene):
            result += [(held, link) for link in links if link.name not in _NEXT_TO_HELD]
        return result


def _may_touch(body: str, other: str, scene: PlanningScene) -> bool:
    if body.startswith(HELD_PREFIX):
        return other in scene.held_touchable
    if other == TABLE:
        return body in ("link0", "link1")
    return other in scene.touchable and body in _HAND


def _keep_nearest(
    near: dict[tuple[str, str], float], body: _Body, other: _Body, margin: float
) -> None:
    if _gap_of_spheres(body, other) >= margin:
        return
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    distance = coal.distance(
        body.geometry,
        coal.Transform3s(body.at.rotation, body.at.translation),
        other.geometry,
        coal.Transform3s(other.at.rotation, other.at.translation),
        request,
        result,
    )
    key = (body.name, other.name)
    if distance < min(margin, near.get(key, margin)):
        near[key] = float(distance)


def _gap_of_spheres(first: _Body, second: _Body) -> float:
    """A lower bound of the distance: that of the spheres around both."""
    centers = [item.at.act(item.geometry.aabb_center) for item in (first, second)]
    between = float(np.linalg.norm(centers[0] - centers[1]))
    return between - float(first.geometry.aabb_radius) - float(second.geometry.aabb_radius)


def shape(solid: Solid) -> Any:
    """The part as a coal shape."""
    x, _, z = solid.size
    if solid.shape == "box":
        result = coal.Box(*solid.size)
    elif solid.shape == "cylinder":
        result = coal.Cylinder(0.5 * x, z)
    else:
        result = coal.Sphere(0.5 * x)
    result.computeLocalAABB()
    return result


def _placement(pose: Pose) -> Any:
    return pinocchio.SE3(pose.matrix())
