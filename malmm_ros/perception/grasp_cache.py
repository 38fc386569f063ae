"""A grasp for each thing that may be grasped, found again only when something has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import Grasp, GraspProposer
from malmm_ros.perception.grasping.completion import completed_cloud
from malmm_ros.perception.grasping.selection import SelectionConfig, choose_grasp
from malmm_ros.scene import SceneObject


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspConfig:
    """Which things get a grasp, and when it is looked for anew.

    Attributes:
        selection: How one is chosen of those that are proposed.
        surroundings: Objects so near count as being in the hand's way, metres.
        moved: An object that shifted less keeps its grasp, metres.
        turned: And turned less, radians.
    """

    selection: SelectionConfig = field(default_factory=SelectionConfig)
    surroundings: float = 0.25
    moved: float = 0.0005
    turned: float = 0.01

    def __post_init__(self) -> None:
        for name in ("surroundings", "moved", "turned"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A grasp, what it was chosen from, and the places for which it was found."""

    grasp: Pose | None
    proposals: tuple[Grasp, ...]
    places: tuple[tuple[str, Pose], ...]


class GraspCache:
    """Asks the proposer about an object when it or what is near it has moved.

    Args:
        proposer: Of grasps.
        config: Of the choice.
    """

    def __init__(self, proposer: GraspProposer, config: GraspConfig) -> None:
        self._proposer = proposer
        self._config = config
        self._found: dict[str, _Found] = {}

    @property
    def proposals(self) -> dict[str, tuple[Grasp, ...]]:
        """By the object's name: all that its grasp was chosen from; for those who look on."""
        return {name: found.proposals for name, found in self._found.items()}

    def grasp(self, item: SceneObject, objects: Sequence[SceneObject]) -> Pose | None:
        """The grasp of one object, or ``None`` when there is no good one.

        Args:
            item: To be grasped.
            objects: All of the scene.
        """
        near = [other for other in objects if self._is_near(item, other)]
        places = ((item.name, item.pose), *((other.name, other.pose) for other in near))
        known = self._found.get(item.name)
        if known is not None and self._are_alike(known.places, places, item):
            return known.grasp
        proposals = self._propose(item, near)
        chosen = choose_grasp(proposals, self._config.selection)
        grasp = None if chosen is None else chosen.tcp
        self._found[item.name] = _Found(grasp=grasp, proposals=tuple(proposals), places=places)
        return grasp

    def _propose(self, item: SceneObject, near: Sequence[SceneObject]) -> list[Grasp]:
        around = PointCloud.joined([_surface(other) for other in near])
        try:
            return self._proposer.propose(_surface(item), around)
        except PerceptionError:
            return []  # too small to say; agents may still try its middle

    def _is_near(self, item: SceneObject, other: SceneObject) -> bool:
        if other.name == item.name or other.is_held:
            return False
        gap = float(np.hypot(*np.subtract(item.pose.position, other.pose.position)[:2]))
        return gap - 0.5 * float(np.hypot(*other.size[:2])) < self._config.surroundings

    def _are_alike(
        self,
        before: tuple[tuple[str, Pose], ...],
        now: tuple[tuple[str, Pose], ...],
        item: SceneObject,
    ) -> bool:
        if [name for name, _ in before] != [name for name, _ in now]:
            return False
        for index, ((_, old), (_, new)) in enumerate(zip(before, now, strict=True)):
            # Neighbours only matter when they came or went some way.
            share = 1.0 if index == 0 else 10.0
            shift = float(np.linalg.norm(np.subtract(old.position, new.position)))
            symmetry = item.yaw_symmetry if index == 0 else 2
            turn = yaw_difference(old.yaw, new.yaw, symmetry=symmetry)
            if shift > share * self._config.moved or turn > share * self._config.turned:
                return False
        return True


def _surface(item: SceneObject) -> PointCloud:
    return completed_cloud(
        Detection(
            category=item.category,
            pose=item.pose,
            size=item.size,
            solids=item.solids,
            cloud=PointCloud.empty(),
        )
    )
