"""Pick-and-place queries among eight boxes, the same for every planner and every run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from malmm_ros.geometry import Pose, Vector3, top_down
from malmm_ros.models import BASE_POSE
from malmm_ros.motion import HeldObject, PlanningScene
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Workspace

BOXES = 8
REACH = 0.68
APPROACH = 0.10
# From the tool point to the outer face of an open finger, and a little room.
HAND_RADIUS = 0.08
GAP = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class PickAndPlace:
    """Move one box to a free spot.

    Attributes:
        objects: All boxes, the target first.
        grasp: Of the tool point, on the target.
        place: Of the tool point, with the target put down.
    """

    objects: tuple[SceneObject, ...]
    grasp: Pose
    place: Pose

    @property
    def target(self) -> SceneObject:
        """The box to move."""
        return self.objects[0]

    def scene_before(self) -> PlanningScene:
        """Open hand; the target may be touched."""
        return PlanningScene(objects=self.objects, touchable=frozenset({self.target.name}))

    def scene_carrying(self) -> PlanningScene:
        """The target in the hand; it may touch the table."""
        held = HeldObject(
            item=self.target, tcp_from_object=self.grasp.inverse() @ self.target.pose
        )
        return PlanningScene(
            objects=self.objects[1:],
            held=held,
            finger_width=self.target.size[1],
            held_touchable=frozenset({"table"}),
        )

    def scene_after(self) -> PlanningScene:
        """Open hand around the target at its new place."""
        moved = replace(self.target, pose=self.place @ self.grasp.inverse() @ self.target.pose)
        return replace(self.scene_before(), objects=(moved, *self.objects[1:]))

    def moves(self) -> Iterator[tuple[str, Pose, PlanningScene, bool]]:
        """Name, goal, scene and whether straight, in order."""
        yield "approach", raised(self.grasp), self.scene_before(), False
        yield "descend", self.grasp, self.scene_before(), True
        yield "lift", raised(self.grasp), self.scene_carrying(), True
        yield "carry", raised(self.place), self.scene_carrying(), False
        yield "lower", self.place, self.scene_carrying(), True
        yield "retreat", raised(self.place), self.scene_after(), True


def block(
    name: str,
    x: float,
    y: float,
    *,
    size: Vector3 = (0.05, 0.05, 0.05),
    yaw: float = 0.0,
    bottom: float = 0.0,
) -> SceneObject:
    """A box whose lower face is ``bottom`` above the table."""
    z = TABLE_TOP_Z + bottom + 0.5 * size[2]
    return SceneObject(name=name, category="block", pose=Pose.from_yaw((x, y, z), yaw), size=size)


def raised(pose: Pose) -> Pose:
    """The same pose higher up."""
    x, y, z = pose.position
    return Pose((x, y, z + APPROACH), pose.orientation)


def pick_and_place_queries(count: int, seed: int = 0) -> list[PickAndPlace]:
    """Draw ``count`` queries; the first ones do not depend on ``count``."""
    children = np.random.SeedSequence(seed).spawn(count)
    return [_query(np.random.default_rng(child)) for child in children]


def _query(generator: np.random.Generator) -> PickAndPlace:
    while True:
        boxes = _boxes(generator)
        spot = _spot(generator, boxes[1:], HAND_RADIUS) if boxes else None
        if spot is None:
            continue
        target = boxes[0]
        grip_z = max(target.top_z - 0.03, TABLE_TOP_Z + 0.01)
        grasp = top_down((*target.pose.position[:2], grip_z), target.yaw)
        place = top_down((*spot, grip_z), generator.uniform(-math.pi / 2, math.pi / 2))
        return PickAndPlace(objects=tuple(boxes), grasp=grasp, place=place)


def _boxes(generator: np.random.Generator) -> list[SceneObject]:
    """Eight boxes that stand apart, the first with room for the hand; empty: no luck."""
    boxes: list[SceneObject] = []
    for index in range(BOXES):
        size = _size(generator, is_target=index == 0)
        radius = HAND_RADIUS if index == 1 else 0.5 * math.hypot(size[0], size[1])
        spot = _spot(generator, boxes, radius)
        if spot is None:
            return []
        yaw = float(generator.uniform(-1.5, 1.5))
        boxes.append(block(f"box {index}", *spot, size=size, yaw=yaw))
    return boxes


def _size(generator: np.random.Generator, *, is_target: bool) -> Vector3:
    width, length = generator.uniform(0.03, 0.06, 2)
    height = generator.uniform(0.03, 0.12) if is_target else generator.uniform(0.03, 0.25)
    return (float(width), float(length), float(height))


def _spot(
    generator: np.random.Generator, boxes: list[SceneObject], radius: float
) -> tuple[float, float] | None:
    workspace = Workspace()
    for _ in range(200):
        x, y = generator.uniform(workspace.low[:2], workspace.high[:2])
        if math.hypot(x - BASE_POSE.position[0], y) > REACH or x < 0.03:
            continue
        if all(_has_room(x, y, radius, box, boxes[0]) for box in boxes):
            return (float(x), float(y))
    return None


def _has_room(x: float, y: float, radius: float, box: SceneObject, target: SceneObject) -> bool:
    own = 0.5 * math.hypot(box.size[0], box.size[1])
    if box is target and box.name == "box 0":
        own = HAND_RADIUS
    distance = math.hypot(x - box.pose.position[0], y - box.pose.position[1])
    return distance > own + radius + GAP
