"""A grasp for each thing that may be grasped; a chosen one stays while nothing has changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from malmm_ros.configuration import above, within
from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose, top_down, wrap_angle, yaw_difference
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.forms import UNKNOWN
from malmm_ros.perception.grasping import Grasp, GraspProposer
from malmm_ros.perception.grasping.completion import completed_cloud
from malmm_ros.perception.grasping.selection import SelectionConfig, choose_grasp
from malmm_ros.scene import SceneObject

# A side that differs by more is another thing's, metres.
_OTHER_SIZE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspConfig:
    """Which things get a grasp, and when it is chosen anew.

    Attributes:
        selection: How one is chosen of those that are proposed.
        surroundings: Objects so near count as being in the hand's way, metres.
        moved: The history rule's dead band: an object that shifted less since its grasp was
            chosen keeps it, metres;
        turned: and turned less, radians.
        neighbor_moved: Neighbours that shifted more may be in its way now, metres.
        least_fit: Things whose shape explains their points less well (score, 0 to 1) are grasped
            by the points, as are those of no known form. Fits of known forms score above 0.9.
    """

    selection: SelectionConfig = field(default_factory=SelectionConfig)
    surroundings: float = field(default=0.25, metadata=above(0.0))
    moved: float = field(default=0.01, metadata=above(0.0))
    turned: float = field(default=math.radians(30.0), metadata=above(0.0))
    neighbor_moved: float = field(default=0.005, metadata=above(0.0))
    least_fit: float = field(default=0.8, metadata=within(0.0, 1.0))

    def __post_init__(self) -> None:
        for name in ("surroundings", "moved", "turned", "neighbor_moved"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0.0 <= self.least_fit <= 1.0:
            raise ValueError(f"least_fit must be in [0, 1], got {self.least_fit}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A grasp, what it was chosen from, and the thing and the places for which it was."""

    item: SceneObject
    grasp: Pose | None
    proposals: tuple[Grasp, ...]
    places: tuple[tuple[str, Pose], ...]


class GraspCache:
    """Chooses grasps and keeps them.

    A chosen grasp stays on its object, and moves along with the object's published pose, while
    that keeps within the dead band: the medoid of what is proposed for noisy points jumps from
    frame to frame. When a neighbour has moved, it stays if it is still among what is proposed.

    Args:
        proposer: Of grasps.
        config: Of the choice.
    """

    def __init__(self, proposer: GraspProposer, config: GraspConfig | None = None) -> None:
        self._proposer = proposer
        self._config = config or GraspConfig()
        self._found: dict[str, _Found] = {}

    @property
    def proposals(self) -> dict[str, tuple[Grasp, ...]]:
        """By the object's name: all that its grasp was chosen from; for those who look on."""
        return {name: found.proposals for name, found in self._found.items()}

    def grasp(
        self,
        item: SceneObject,
        objects: Sequence[SceneObject],
        *,
        seen: Detection | None = None,
        clutter: PointCloud | None = None,
    ) -> Pose | None:
        """The grasp of one object, or ``None`` when there is no good one.

        Args:
            item: To be grasped.
            objects: All of the scene.
            seen: Its last view: its points are what is grasped where no form explains them.
            clutter: Points of what nobody recognised, that the hand must not touch.
        """
        near = [other for other in objects if self._is_near(item, other)]
        places = tuple((other.name, other.pose) for other in near)
        known = self._found.get(item.name)
        if known is not None and not self._keeps_band(known.item, item):
            known = None
        if known is not None and self._are_alike(known.places, places):
            return _carried(known, item)
        around = [_surface(other) for other in near]
        around += [] if clutter is None else [clutter]
        proposals = self._propose(item, seen, PointCloud.joined(around))
        kept = None if known is None else _carried(known, item)
        if kept is None or not self._is_among(kept, proposals):
            chosen = choose_grasp(proposals, self._config.selection)
            kept = None if chosen is None else chosen.tcp
        self._found[item.name] = _Found(
            item=item, grasp=kept, proposals=tuple(proposals), places=places
        )
        return kept

    def _propose(
        self, item: SceneObject, seen: Detection | None, around: PointCloud
    ) -> list[Grasp]:
        clouds = [_surface(item)]
        if seen is not None and self._is_unlike_its_form(item, seen):
            clouds.insert(0, _measured(item, seen))
        for cloud in clouds:
            try:
                return self._proposer.propose(cloud, around)
            except PerceptionError:
                continue  # too few points to say
        return []  # agents may still try its middle

    def _is_unlike_its_form(self, item: SceneObject, seen: Detection) -> bool:
        return item.category == UNKNOWN or seen.score < self._config.least_fit

    def _is_near(self, item: SceneObject, other: SceneObject) -> bool:
        if other.name == item.name or other.is_held:
            return False
        gap = float(np.hypot(*np.subtract(item.pose.position, other.pose.position)[:2]))
        return gap - 0.5 * float(np.hypot(*other.size[:2])) < self._config.surroundings

    def _keeps_band(self, before: SceneObject, now: SceneObject) -> bool:
        """Whether an object is the same thing at about the same place."""
        shift = float(np.linalg.norm(np.subtract(now.pose.position, before.pose.position)))
        turn = yaw_difference(now.pose.yaw, before.pose.yaw, symmetry=now.yaw_symmetry)
        growth = float(np.abs(np.subtract(now.size, before.size)).max())
        return (
            now.category == before.category
            and growth < _OTHER_SIZE
            and shift < self._config.moved
            and turn < self._config.turned
        )

    def _are_alike(
        self, before: Sequence[tuple[str, Pose]], now: Sequence[tuple[str, Pose]]
    ) -> bool:
        """Whether all neighbours are about where they were."""
        if [name for name, _ in before] != [name for name, _ in now]:
            return False
        for (_, old), (_, new) in zip(before, now, strict=True):
            shift = float(np.linalg.norm(np.subtract(old.position, new.position)))
            turn = yaw_difference(old.yaw, new.yaw, symmetry=2)
            if shift > self._config.neighbor_moved or turn > self._config.turned:
                return False
        return True

    def _is_among(self, grasp: Pose, proposals: Iterable[Grasp]) -> bool:
        """Whether something about alike is proposed."""
        return any(
            np.linalg.norm(np.subtract(grasp.position, item.tcp.position)) < self._config.moved
            and yaw_difference(grasp.yaw, item.tcp.yaw, symmetry=2) < self._config.turned
            for item in proposals
        )


def _carried(known: _Found, item: SceneObject) -> Pose | None:
    """A known grasp at the same place on the object, where that is now."""
    if known.grasp is None:
        return None
    before = known.item.pose
    turn = 0.0
    if item.yaw_symmetry:
        turn = wrap_angle(item.pose.yaw - before.yaw, 2.0 * math.pi / item.yaw_symmetry)
    offset = Pose.from_yaw((0.0, 0.0, 0.0), turn).apply(
        np.array([np.subtract(known.grasp.position, before.position)])
    )[0]
    return top_down(
        (offset + item.pose.position).tolist(), wrap_angle(known.grasp.yaw + turn, math.pi)
    )


def _measured(item: SceneObject, seen: Detection) -> PointCloud:
    """The points of a view, where the object is now, and its foot below each of them."""
    points = (item.pose @ seen.pose.inverse()).apply(seen.cloud.points)
    foot = points.copy()
    foot[:, 2] = item.bottom_z
    colors = seen.cloud.colors
    return PointCloud(
        points=np.concatenate((points, foot)), colors=np.concatenate((colors, colors))
    )


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
