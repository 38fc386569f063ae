"""Detections of several cameras brought together: each object once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from malmm_ros.configuration import above
from malmm_ros.geometry import Pose
from malmm_ros.perception.agreement import CameraAgreement, shifted
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.solidity import do_overlap, parts_of, share_within
from malmm_ros.perception.tracking.visibility import View, look_at
from malmm_ros.scene import TABLE_TOP_Z

Refit = Callable[[Detection], Detection]

_FORBIDDEN = 1e3
_SIDES = 0.05  # m
# Of such things, views from above show little; wide ones are often cut where nobody notices, m.
_TALL, _SLENDER = 0.07, 0.15
_ASIDE = 0.75  # of what a level view shows of sides
_SHARP = 0.9  # m; from here on, distance costs sharpness
# What has a floor, of which a camera from above may see nothing else; it may be so far beside.
_WITH_FLOOR, _BESIDE = frozenset(("container", "bin")), 0.02  # m
_TRACE = 0.15  # of the points
# Views of one size: sides differ by less, metres and share.
_ALIKE, _ALIKE_SHARE = 0.008, 0.12
_HIDDEN = 0.15  # of its outline behind something nearer: a part of it may be unseen
_UNSEEN = 0.9  # of the points of a view that is cut
_AROUND = 0.025  # m; cameras disagree by some millimetres, and a view may have seen too little


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionConfig:
    """When two cameras' views are of one thing.

    Attributes:
        distance: Their middles are that near, metres; or one is mostly within the other:
        inflation: so much around the other's parts counts as within, metres;
        share: so many of its points are within, 0 to 1.
        chroma: Largest difference of the clouds' mean colours, brightness left out, 0 to 1.
    """

    distance: float = field(default=0.03, metadata=above(0.0))
    inflation: float = field(default=0.016, metadata=above(0.0))
    share: float = field(default=0.5, metadata=above(0.0, 1.0))
    chroma: float = field(default=0.12, metadata=above(0.0))

    def __post_init__(self) -> None:
        for name in ("distance", "inflation", "chroma"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0.0 < self.share <= 1.0:
            raise ValueError(f"share must be in (0, 1], got {self.share}")


def fuse(
    detections: Sequence[Sequence[Detection]],
    *,
    refit: Refit,
    views: Sequence[View] = (),
    agreement: CameraAgreement | None = None,
    config: FusionConfig | None = None,
) -> list[Detection]:
    """Join what cameras see of the same objects.

    Camera by camera, detections are paired with the objects found so far, each with one; what
    is left over and lies within an object of its colour is a piece of that, seen in part only.
    What an object is called is decided by the view that shows most of it. Of what a single one
    sees cut off by its border or by the robot, as much is believed as no other camera denies: it
    stays, marked as cut, where all the others cannot look.

    Args:
        detections: Camera by camera, world frame.
        refit: Estimates pose and size anew from a joint cloud.
        views: What the cameras saw, to tell what others could have seen; none: they saw all.
        agreement: Learns how far each camera has things from where whole views agree.
        config: When views are of one thing.

    Returns:
        One detection for each object.
    """
    config = config or FusionConfig()
    groups: list[list[Detection]] = []
    for found in detections:
        pairs = _pairs(groups, found, config)
        for index, item in enumerate(found):
            if index in pairs:
                groups[pairs[index]].append(item)
        for index, item in enumerate(found):
            if index not in pairs and not _is_piece(item, groups, config):
                twin = next((group for group in groups if _is_twin(item, group[0])), None)
                if twin is None:
                    groups.append([item])
                else:
                    twin.append(item)
    wholes = [max(group, key=_worth) for group in groups]
    kept = [
        group
        for group, whole in zip(groups, wholes, strict=True)
        if len(group) > 1
        or not (
            _is_piece_of_larger(whole, wholes, config)
            or _is_trace(whole, wholes)
            or _is_floor(whole, wholes)
            or (whole.is_cut and len(detections) > 1 and _is_denied(whole, views))
        )
    ]
    places = {view.image.camera_name: view.image.world_from_camera for view in views}
    if agreement is not None:
        agreement.learn(_residuals(kept, places), places)
    return _solid([_joined(group, refit, places) for group in kept])


def _is_denied(item: Detection, views: Sequence[View]) -> bool:
    """Whether another camera looks at the place and has not seen it as a thing."""
    others = [view for view in views if view.image.camera_name not in item.cameras]
    points = item.cloud.points[:: max(1, len(item.cloud) // 100)]
    return not others or look_at(points, others).hidden < _UNSEEN


def _solid(items: Sequence[Detection]) -> list[Detection]:
    """What is left when of two things at one place the one that is less sure goes."""
    ranked = sorted(items, key=lambda item: -_sureness(item))
    result: list[Detection] = []
    for item in ranked:
        boxes = parts_of(item)
        if is_flat(item) or not any(
            not is_flat(other) and do_overlap(boxes, parts_of(other)) for other in result
        ):
            result.append(item)
    return result


def _sureness(item: Detection) -> float:
    """By how many points, of how many cameras, and whether it was asked for."""
    sure = item.score * len(item.cloud) * len(item.cameras)
    return sure * (3.0 if item.phrase else 1.0) * (0.3 if item.is_cut else 1.0)


def _pairs(
    groups: Sequence[Sequence[Detection]], detections: Sequence[Detection], config: FusionConfig
) -> dict[int, int]:
    """Index of a detection to index of its group."""
    if not groups or not detections:
        return {}
    costs = np.array(
        [[_cost(max(group, key=_worth), item, config) for group in groups] for item in detections]
    )
    rows, columns = linear_sum_assignment(costs)
    return {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if costs[row, column] < _FORBIDDEN
    }


def _cost(whole: Detection, item: Detection, config: FusionConfig) -> float:
    if not are_alike(whole, item, config) or is_flat(whole) != is_flat(item):
        return _FORBIDDEN
    distance = float(np.linalg.norm(np.subtract(whole.pose.position, item.pose.position)))
    is_near = distance < config.distance
    if not (is_near or _is_within(item, whole, config) or _is_within(whole, item, config)):
        return _FORBIDDEN
    ratio = abs(math.log(max(1e-9, _volume(item)) / max(1e-9, _volume(whole))))
    return distance + 0.01 * min(ratio, 5.0)


def is_flat(item: Detection) -> bool:
    """Whether it is a mark on a surface."""
    return item.category == FLAT


def are_alike(first: Detection, second: Detection, config: FusionConfig) -> bool:
    """Whether colours are the same, by name or by their mean without brightness."""
    if first.color == second.color:
        return True
    difference = _chroma(first.cloud) - _chroma(second.cloud)
    return float(np.linalg.norm(difference)) < config.chroma


def _is_piece(
    item: Detection, groups: Sequence[Sequence[Detection]], config: FusionConfig
) -> bool:
    """Whether a detection without a partner is a part of something that was found."""
    return any(
        are_alike(whole, item, config)
        and is_flat(whole) == is_flat(item)
        and _volume(item) < _volume(whole)
        and _is_within(item, whole, config)
        for whole in (max(group, key=_worth) for group in groups)
    )


def _is_piece_of_larger(
    item: Detection, wholes: Sequence[Detection], config: FusionConfig
) -> bool:
    """Whether it is a part of what another camera has seen more of."""
    return _is_piece(
        item, [[whole] for whole in wholes if set(whole.cameras) != set(item.cameras)], config
    )


def _is_twin(item: Detection, other: Detection) -> bool:
    """Whether a camera has seen one hollow thing as two, an inside and an outside."""
    gap = float(np.linalg.norm(np.subtract(item.pose.position, other.pose.position)))
    first, second = _volume(item), _volume(other)
    return (
        item.cameras == other.cameras
        and item.color == other.color
        and gap < 0.15 * max(item.size)
        and min(first, second) > 0.6 * max(first, second)
    )


def _is_trace(item: Detection, wholes: Sequence[Detection]) -> bool:
    """Whether it is a rest of few points where another camera sees something of more."""
    middle = np.array([item.pose.position])
    return any(
        other.cameras != item.cameras
        and len(item.cloud) < _TRACE * len(other.cloud)
        and is_flat(other) == is_flat(item)
        and share_within(middle, parts_of(other), inflation=0.006) > 0.0
        for other in wholes
    )


def _is_floor(item: Detection, wholes: Sequence[Detection]) -> bool:
    """Whether a mark is the floor of what another camera sees as something open."""
    points = item.cloud.points[:: max(1, len(item.cloud) // 100)]
    return is_flat(item) and any(
        other.category in _WITH_FLOOR
        and not set(other.cameras) <= set(item.cameras)
        and other.color == item.color
        and share_within(points, [(other.pose, np.asarray(other.size))], inflation=_BESIDE) >= 0.5
        for other in wholes
    )


def _is_within(item: Detection, whole: Detection, config: FusionConfig) -> bool:
    """Whether most of a cloud lies within the parts of another detection."""
    points = item.cloud.points[:: max(1, len(item.cloud) // 100)]
    share = share_within(points, parts_of(whole), inflation=config.inflation)
    return share >= config.share


def _chroma(cloud: PointCloud) -> NDArray[np.float64]:
    if not len(cloud):
        return np.full(3, 1.0 / 3.0)
    mean = cloud.colors.mean(axis=0) + 1.0
    shares: NDArray[np.float64] = mean / mean.sum()
    return shares


def _worth(item: Detection) -> float:
    """How much of something a view shows, and how well its shape explains its points."""
    return _volume(item) * item.score**2 * (0.5 if item.is_cut else 1.0)


def _volume(item: Detection) -> float:
    return math.prod(item.size)


def _whole_views(group: Sequence[Detection], whole: Detection) -> list[Detection]:
    """Those that show it whole and of about the size of one of them."""
    limit = np.maximum(_ALIKE, _ALIKE_SHARE * np.asarray(whole.size))
    return [
        item
        for item in group
        if not item.is_cut
        and item.yaw_symmetry == whole.yaw_symmetry
        and (np.abs(np.subtract(item.size, whole.size)) < limit).all()
    ]


def _middle(views: Sequence[Detection], cameras: Mapping[str, Pose]) -> NDArray[np.float64]:
    """Where whole views agree that a thing is, ``(2,)``: near cameras count more.

    What a turned calibration costs grows with the distance.
    """
    weights = [_distance(item, cameras) ** -2.0 for item in views]
    places = [item.pose.position[:2] for item in views]
    return np.asarray(np.average(places, axis=0, weights=weights))


def _residuals(
    groups: Sequence[Sequence[Detection]], cameras: Mapping[str, Pose]
) -> dict[str, list[NDArray[np.float64]]]:
    """By camera: how far from where whole views agree it has things, ``(2,)`` each."""
    found: dict[str, list[NDArray[np.float64]]] = {}
    for group in groups:
        whole = _namesake(group, cameras)
        views = _whole_views(group, whole)
        if len(views) < 2 or whole not in views:
            continue
        middle = _middle(views, cameras)
        for item in views:
            for name in item.cameras:
                if name in cameras:
                    found.setdefault(name, []).append(np.subtract(item.pose.position[:2], middle))
    return found


def _distance(item: Detection, cameras: Mapping[str, Pose]) -> float:
    """To the nearest camera that saw it, metres; 1 for cameras nobody knows."""
    places = [cameras[name].position for name in item.cameras if name in cameras]
    gaps = [float(np.linalg.norm(np.subtract(place, item.pose.position))) for place in places]
    return max(min(gaps, default=1.0), 0.1)


def _joined(group: Sequence[Detection], refit: Refit, cameras: Mapping[str, Pose]) -> Detection:
    """One detection of several views.

    Where the view that names it and another one show it whole, it is as large as the nearest one
    of that name has it, and where they agree that it is: calibrations differ by millimetres, and
    joined as they are, the points of all would make it larger. Where it alone shows it whole and
    nothing hides a part, it is as that view has it. Else it is fitted anew to all points.
    """
    if len(group) == 1:
        return group[0]
    whole = _namesake(group, cameras)
    views = _whole_views(group, whole)
    is_agreed = whole in views and len(views) > 1
    if is_agreed:
        middle = _middle(views, cameras)
        alike = [item for item in views if item.category == whole.category]
        whole = min(alike, key=lambda item: _unclearness(item, cameras))
        group = [
            shifted(item, middle - item.pose.position[:2]) if item in views else item
            for item in group
        ]
        whole = shifted(whole, middle - whole.pose.position[:2])
    box = max((item for item in group if item.category == whole.category), key=_worth)
    merged = replace(
        whole,
        # What another view has added of a neighbour is left out.
        cloud=PointCloud.joined([_cropped(item.cloud, box) for item in group]),
        cameras=tuple(dict.fromkeys(name for item in group for name in item.cameras)),
        score=max(item.score for item in group if item.category == whole.category),
        is_cut=all(item.is_cut for item in group),
        hidden=min(item.hidden for item in group),
        phrase=whole.phrase or next((item.phrase for item in group if item.phrase), ""),
    )
    if is_agreed or (whole in views and _shows_all(whole)):
        return merged
    return replace(refit(merged), is_cut=merged.is_cut)


def _shows_all(item: Detection) -> bool:
    """Whether a whole view shows a slender thing so well that views from above only blur it."""
    return item.hidden < _HIDDEN and item.size[2] > _TALL and max(item.size[:2]) < _SLENDER


def _namesake(group: Sequence[Detection], cameras: Mapping[str, Pose]) -> Detection:
    """The view after which the object is called.

    Forms tell by their sides: of high things a view from above, which shows hardly any and not
    what is below them, counts less, and so does one from afar. What was asked for counts more.
    """
    nearest = min(_sharpness(item, cameras) for item in group)
    rises = [_rise(item) for item in group]
    is_high = max(rises) > _TALL
    votes: dict[str, float] = {}
    weights: list[float] = []
    for item, rise in zip(group, rises, strict=True):
        weight = 0.3 + rise / max(*rises, 0.001) + (0.5 if item.phrase else 0.0)
        levelness = _levelness(item, cameras)
        if rise > _SIDES and _bottom(item) > TABLE_TOP_Z + _SIDES and levelness > _ASIDE:
            weight += 1.0  # its sides are seen to end in the air, where others may not see it
        weight *= item.score * (0.5 if item.is_cut else 1.0)
        weight *= nearest / _sharpness(item, cameras)
        if is_high:
            weight *= levelness
        weights.append(weight)
        votes[item.category] = votes.get(item.category, 0.0) + weight
    best = max(votes, key=lambda category: votes[category])
    of_it = [index for index, item in enumerate(group) if item.category == best]
    return group[max(of_it, key=lambda index: weights[index])]


def _unclearness(item: Detection, cameras: Mapping[str, Pose]) -> float:
    """What speaks against a whole view's size: distance, and steepness where a thing is high."""
    if item.size[2] < _TALL:
        return _distance(item, cameras)
    return _sharpness(item, cameras) / _levelness(item, cameras)


def _sharpness(item: Detection, cameras: Mapping[str, Pose]) -> float:
    """The distance from which its form is seen, metres; nearer than some, no pixels lack."""
    return max(_SHARP, _distance(item, cameras))


def _levelness(item: Detection, cameras: Mapping[str, Pose]) -> float:
    """How much of a high thing's sides a view shows: 1 from aside, little from above."""
    found = 0.0
    for name in item.cameras:
        if name not in cameras:
            return 1.0
        sight = np.subtract(item.pose.position, cameras[name].position)
        length = max(float(np.linalg.norm(sight)), 1e-9)
        found = max(found, float(np.hypot(sight[0], sight[1])) / length)
    return 0.2 + 0.8 * found


def _bottom(item: Detection) -> float:
    return float(item.pose.position[2] - 0.5 * item.size[2])


def _cropped(cloud: PointCloud, box: Detection) -> PointCloud:
    """The points in or near a detection's box."""
    local = np.abs(box.pose.inverse().apply(cloud.points))
    return cloud.where(np.all(local <= 0.5 * np.asarray(box.size) + _AROUND, axis=1))


def _rise(item: Detection) -> float:
    """How much of its height is seen, metres."""
    if len(item.cloud) < 2:
        return 0.0
    low, high = np.percentile(item.cloud.points[:, 2], (3.0, 97.0))
    return float(high - low)
