"""Exact distances between robot and obstacles: for reasons, numbers and tight places.

Works on its own model and the unpadded shapes, so that it also checks roboplan's world.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        is_hand = self.body in ("hand", "leftfinger", "rightfinger")
        return "hand" if is_hand and self.other == TABLE else "arm"


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
        near: dict[tuple[str, str], float] = {}
        for body, geometry, at in self._bodies(scene):
            for other, solid, pose in self._obstacles(scene):
                if self._may_touch(body, other, scene):
                    continue
                distance = _distance(geometry, at, shape(solid), _placement(pose))
                if distance < min(margin, near.get((body, other), margin)):
                    near[body, other] = distance
        for body, other, distance in self._own_pairs(scene):
            if distance < min(margin, near.get((body, other), margin)):
                near[body, other] = distance
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

    def _bodies(self, scene: PlanningScene) -> list[tuple[str, object, object]]:
        result: list[tuple[str, object, object]] = [
            (self._link(index), item.geometry, self._placements.oMg[index])
            for index, item in enumerate(self._geometry.geometryObjects)
        ]
        return result + self._held(scene)

    def _held(self, scene: PlanningScene) -> list[tuple[str, object, object]]:
        if scene.held is None:
            return []
        tcp = Pose.from_matrix(self._data.oMf[self._tcp].homogeneous)
        return [
            (
                HELD_PREFIX + scene.held.item.name,
                shape(part),
                _placement(tcp @ scene.held.tcp_from_object @ part.pose),
            )
            for part in scene.held.item.parts
        ]

    def _obstacles(self, scene: PlanningScene) -> list[tuple[str, Solid, Pose]]:
        x, y, _ = self._config.base.position
        table = Pose((x, y, self._config.table_z - 0.5 * _TABLE_SOLID.size[2]))
        result = [(TABLE, _TABLE_SOLID, table)]
        for item in scene.objects:
            if is_obstacle(item, self._config):
                result += [(item.name, part, item.pose @ part.pose) for part in item.parts]
        return result

    def _may_touch(self, body: str, other: str, scene: PlanningScene) -> bool:
        if body.startswith(HELD_PREFIX):
            return other in scene.held_touchable
        if other == TABLE:
            return body in ("link0", "link1")
        return other in scene.touchable and body in ("hand", "leftfinger", "rightfinger")

    def _own_pairs(self, scene: PlanningScene) -> list[tuple[str, str, float]]:
        """Links against each other, and the held object against the arm; only overlaps."""
        result = []
        items = self._geometry.geometryObjects
        for pair in self._geometry.collisionPairs:
            distance = _distance(
                items[pair.first].geometry,
                self._placements.oMg[pair.first],
                items[pair.second].geometry,
                self._placements.oMg[pair.second],
            )
            if distance < 0.0:
                result.append((self._link(pair.first), self._link(pair.second), distance))
        for body, geometry, at in self._held(scene):
            for index, item in enumerate(items):
                link = self._link(index)
                if link in ("hand", "leftfinger", "rightfinger", "link7"):
                    continue
                distance = _distance(geometry, at, item.geometry, self._placements.oMg[index])
                if distance < 0.0:
                    result.append((body, link, distance))
        return result


def shape(solid: Solid) -> object:
    """The part as a coal shape."""
    x, _, z = solid.size
    if solid.shape == "box":
        return coal.Box(*solid.size)
    if solid.shape == "cylinder":
        return coal.Cylinder(0.5 * x, z)
    return coal.Sphere(0.5 * x)


def _placement(pose: Pose) -> object:
    return pinocchio.SE3(pose.matrix())


def _distance(first: object, first_at: object, second: object, second_at: object) -> float:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    transforms = [coal.Transform3s(at.rotation, at.translation) for at in (first_at, second_at)]  # type: ignore[attr-defined]  # pinocchio has no types
    return float(coal.distance(first, transforms[0], second, transforms[1], request, result))
