"""From many proposed grasps to the one to use: from above, clustered, central."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.configuration import above, within
from malmm_ros.geometry import top_down, wrap_angle
from malmm_ros.perception.grasping.proposer import Grasp

_OUTLIER = -1
# Mean direction (0 to 1) of a cluster's yaws below which it goes all the way round.
_ROUND = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionConfig:
    """How a grasp is chosen.

    Attributes:
        tilt_limit: Largest angle between the approach and straight down, radians.
        eps: DBSCAN's: grasps nearer than this are neighbours, metres.
        min_samples: DBSCAN's: so many neighbours, itself included, make a core of a cluster.
        rotation_scale: What a radian of yaw counts as, metres. With 0.05, 15° are 13 mm, about
            the default ``eps``: neighbours are within 12 mm at equal yaw or 14° at equal place.
    """

    tilt_limit: float = field(default=math.radians(15.0), metadata=above(0.0, 0.5 * math.pi))
    eps: float = field(default=0.012, metadata=above(0.0))
    min_samples: int = field(default=4, metadata=within(1))
    rotation_scale: float = field(default=0.05, metadata=above(0.0))

    def __post_init__(self) -> None:
        if not 0.0 < self.tilt_limit < 0.5 * math.pi:
            raise ValueError(f"tilt_limit must be in (0, π/2), got {self.tilt_limit}")
        if self.min_samples < 1:
            raise ValueError(f"min_samples must be at least 1, got {self.min_samples}")
        for name in ("eps", "rotation_scale"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspSelection:
    """A chosen grasp and where it came from.

    Attributes:
        grasp: Exactly from above, as the arm takes it.
        from_above: Proposals within the tilt limit.
        clusters: How many there were; 0: the best single proposal was taken.
        members: Of the chosen cluster; 1 when there was none.
        cluster_score: Of the chosen cluster, 0 to 1.
    """

    grasp: Grasp
    from_above: int
    clusters: int
    members: int
    cluster_score: float


def choose_grasp(grasps: Sequence[Grasp], config: SelectionConfig | None = None) -> Grasp | None:
    """The grasp of :func:`select_grasp` alone."""
    selection = select_grasp(grasps, config)
    return None if selection is None else selection.grasp


def select_grasp(
    grasps: Sequence[Grasp], config: SelectionConfig | None = None
) -> GraspSelection | None:
    """Choose the central grasp of the best cluster of those from above.

    1. Proposals that tilt further than the limit are dropped.
    2. DBSCAN over position and yaw; the hand turned by half a turn is the same grasp.
    3. The best cluster has the largest mean of its ``min_samples`` best scores; of equal ones,
       the one with more members. Only its cores count here and below: what merely touches it, an
       outlier of a good score that lies beside it, is neither a reason to choose it nor chosen.
    4. Its medoid: the core with the smallest sum of distances to the others, weighted by their
       scores. A cluster whose yaws go all the way round (a round thing) has no central
       yaw: there, the medoid of the members that turn the hand least (within 30° of 0).
    5. Without any cluster, the proposal with the best score.

    Returns:
        ``None`` when no proposal comes from above.
    """
    config = config or SelectionConfig()
    candidates = [item for item in grasps if math.pi - item.tcp.tilt <= config.tilt_limit + 1e-9]
    if not candidates:
        return None
    scores = np.array([item.score for item in candidates])
    places = _places(candidates, config.rotation_scale)
    from sklearn.cluster import DBSCAN  # takes a second

    # By name: sklearn's own choice for few points inspects the thread pools first (20 ms).
    clustering = DBSCAN(eps=config.eps, min_samples=config.min_samples, algorithm="kd_tree")
    labels = clustering.fit_predict(places)
    is_core = np.zeros(len(labels), bool)
    is_core[clustering.core_sample_indices_] = True
    names = [label for label in np.unique(labels) if label != _OUTLIER]
    if not names:
        index, members, quality = int(scores.argmax()), 1, float(scores.max())
    else:
        cores = {name: np.flatnonzero((labels == name) & is_core) for name in names}
        counts = {name: int((labels == name).sum()) for name in names}
        qualities = {name: _quality(scores[cores[name]], config) for name in names}
        best = max(names, key=lambda name: (round(qualities[name], 9), counts[name]))
        inside = cores[best]
        index = int(inside[_medoid(places[inside], scores[inside], config.rotation_scale)])
        members, quality = counts[best], qualities[best]
    return GraspSelection(
        grasp=_straightened(candidates[index]),
        from_above=len(candidates),
        clusters=len(names),
        members=members,
        cluster_score=quality,
    )


def _places(grasps: Sequence[Grasp], rotation_scale: float) -> NDArray[np.float64]:
    """Position and yaw as points ``(N, 5)`` whose distances are metres.

    The last two go round a circle once in half a turn, such that a small turn of the hand is
    ``rotation_scale`` metres a radian.
    """
    positions = np.array([item.tcp.position for item in grasps])
    double = 2.0 * np.array([item.tcp.yaw for item in grasps])
    radius = 0.5 * rotation_scale
    return np.column_stack((positions, radius * np.cos(double), radius * np.sin(double)))


def _quality(scores: NDArray[np.float64], config: SelectionConfig) -> float:
    return float(np.sort(scores)[-config.min_samples :].mean())


def _medoid(
    places: NDArray[np.float64], scores: NDArray[np.float64], rotation_scale: float
) -> int:
    weights = scores / max(float(scores.sum()), 1e-12)
    directions = places[:, 3:] / (0.5 * rotation_scale)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) @ weights
    if float(np.hypot(*(weights @ directions))) < _ROUND:
        # cos of the double angle: within 30° of the hand's zero.
        is_near = directions[:, 0] >= 0.5
        if is_near.any():
            near = np.flatnonzero(is_near)
            subset = places[near]
            return int(
                near[(np.linalg.norm(subset[:, None] - subset, axis=2) @ scores[near]).argmin()]
            )
    return int(distances.argmin())


def _straightened(grasp: Grasp) -> Grasp:
    """The same grasp exactly from above, the yaw within a quarter turn."""
    yaw = wrap_angle(grasp.tcp.yaw, math.pi)
    return replace(grasp, tcp=top_down(grasp.tcp.position, yaw))
