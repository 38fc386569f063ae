"""A thing that is known, measured anew by a camera close to it, such as one on the wrist.

A turned calibration and a noisy depth cost little there: within 0.3 m, 0.2° are 1 mm, at the
front camera's distance 5 mm. What a thing is and how large is known by then; only where it is in
the plane and how it is turned is asked, and only its own points tell, whatever their colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.configuration import above, within
from malmm_ros.geometry import Pose, wrap_angle, yaw_difference
from malmm_ros.perception.borders import is_cut
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import estimate
from malmm_ros.perception.estimation.object_points import object_points
from malmm_ros.perception.estimation.table import heights, rays
from malmm_ros.perception.tracking.visibility import View
from malmm_ros.scene import TABLE_TOP_Z, SceneObject

_LEAST_PIXELS = 200
# Of a level top, metres below its height: heights from close by are right to 3 mm.
_TOP = 0.006


@dataclass(frozen=True, slots=True, kw_only=True)
class CloserLookConfig:
    """When a view is a close one, and what is believed of it.

    Attributes:
        distance: From the camera to the thing's middle at most, metres; 0 switches it off.
        shift: The thing is at most so far from where it was thought to be, metres;
        turn: and turned at most so much, radians.
        size: Its sides differ at most so much from the known ones, metres; else its view was
            mixed up with another thing's.
        steady: A look that differs less from the last one changes nothing, metres;
        steady_turn: and radians.
        moved: A close look holds while the other cameras see the thing shift less than this
            since, metres;
        turned: and turn less, radians: the history rule's dead band.
    """

    distance: float = field(default=0.4, metadata=within(0.0, 1.0))
    shift: float = field(default=0.02, metadata=above(0.0))
    turn: float = field(default=math.radians(25.0), metadata=above(0.0))
    size: float = field(default=0.006, metadata=above(0.0))
    steady: float = field(default=0.0015, metadata=above(0.0))
    steady_turn: float = field(default=math.radians(2.0), metadata=above(0.0))
    moved: float = field(default=0.01, metadata=above(0.0))
    turned: float = field(default=math.radians(30.0), metadata=above(0.0))

    def __post_init__(self) -> None:
        for name in ("shift", "turn", "size", "steady", "steady_turn", "moved", "turned"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0.0 <= self.distance <= 1.0:
            raise ValueError(f"distance must be in [0, 1] m, got {self.distance}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """Where a thing was seen from close by, and where it was thought to be by then."""

    near: Pose
    far: Pose


class CloserLooks:
    """Keeps what was seen from close by until the thing is elsewhere.

    Args:
        config: What is believed.
    """

    def __init__(self, config: CloserLookConfig | None = None) -> None:
        self._config = config or CloserLookConfig()
        self._looks: dict[str, _Look] = {}

    def update(
        self, views: Sequence[View], objects: Sequence[SceneObject]
    ) -> tuple[SceneObject, ...]:
        """Look, where a camera is close, and put things where they were seen from close by.

        Args:
            views: Of this moment, poses as stated.
            objects: As all the cameras have them.
        """
        return tuple(self._placed(views, item) for item in objects)

    def near(self, name: str) -> Pose | None:
        """Where a thing was seen from close by; ``None``: it was not, or has moved since."""
        look = self._looks.get(name)
        return None if look is None else look.near

    def _placed(self, views: Sequence[View], item: SceneObject) -> SceneObject:
        known = self._looks.get(item.name)
        if item.is_fixed or item.is_held or (known and not self._holds(known, item)):
            known = None
            self._looks.pop(item.name, None)
        if not (item.is_fixed or item.is_held):
            for view in self._close(views, item):
                seen = look_closer(item, view, self._config)
                if seen is not None and not (known and self._is_same(known.near, seen, item)):
                    known = _Look(near=seen, far=item.pose)
                    self._looks[item.name] = known
        return item if known is None else replace(item, pose=known.near)

    def _close(self, views: Sequence[View], item: SceneObject) -> list[View]:
        limit = self._config.distance
        return [view for view in views if _distance(view, item) < limit]

    def _holds(self, look: _Look, item: SceneObject) -> bool:
        shift = float(np.linalg.norm(np.subtract(look.far.position, item.pose.position)))
        turn = yaw_difference(look.far.yaw, item.pose.yaw, symmetry=item.yaw_symmetry)
        return shift < self._config.moved and turn < self._config.turned

    def _is_same(self, before: Pose, now: Pose, item: SceneObject) -> bool:
        shift = float(np.linalg.norm(np.subtract(before.position, now.position)))
        turn = yaw_difference(before.yaw, now.yaw, symmetry=item.yaw_symmetry)
        return shift < self._config.steady and turn < self._config.steady_turn


def look_closer(
    item: SceneObject, view: View, config: CloserLookConfig | None = None
) -> Pose | None:
    """Where a known thing is, by one camera close to it.

    Args:
        item: As it is known; its height is kept.
        view: Its pose as stated: near by, the table in it may be a tray's floor.
        config: What is believed.

    Returns:
        ``None`` when it is not seen whole, or not as the thing that it is known to be.
    """
    config = config or CloserLookConfig()
    mask = _own_pixels(item, view, margin=config.shift)
    if mask is None or is_cut(mask, view):
        return None
    above = heights(view.image, TABLE_TOP_Z)
    found = estimate(
        object_points(view.image, mask, table_z=TABLE_TOP_Z, above=above),
        category=item.category,
        color=item.color,
        table_z=TABLE_TOP_Z,
        support_z=item.bottom_z,
    )
    return None if found is None else _believed(item, found, config)


def _believed(item: SceneObject, found: Detection, config: CloserLookConfig) -> Pose | None:
    """The pose that a close view gives, if it is a view of just this thing."""
    growth = np.subtract(sorted(found.size[:2]), sorted(item.size[:2]))
    symmetry = item.yaw_symmetry
    if found.yaw_symmetry != symmetry or np.abs(growth).max() > config.size:
        return None
    turn = 0.0
    if symmetry:
        turn = wrap_angle(found.pose.yaw - item.pose.yaw, 2.0 * math.pi / symmetry)
    x, y, _ = found.pose.position
    shift = math.hypot(x - item.pose.position[0], y - item.pose.position[1])
    if shift > config.shift or abs(turn) > config.turn:
        return None
    return Pose.from_yaw((x, y, item.pose.position[2]), item.pose.yaw + turn)


def _own_pixels(item: SceneObject, view: View, *, margin: float) -> NDArray[np.bool_] | None:
    """The pixels ``(H, W)`` that show a thing, by their points alone; ``None``: hardly any."""
    window = _window(item, view, margin)
    if window is None:
        return None
    depth = view.image.depth[window]
    rows, columns = np.nonzero(np.isfinite(depth) & (depth > 0.0) & ~view.robot[window])
    directions = rays(view.image, rows + window[0].start, columns + window[1].start)
    points = directions * depth[rows, columns][:, None]
    points += np.asarray(view.image.world_from_camera.position)
    local = item.pose.inverse().apply(points)
    half = 0.5 * np.asarray(item.size)
    is_high = (local[:, 2] > _lowest(item)) & (local[:, 2] < half[2] + 0.5 * margin)
    is_near = is_high & (np.abs(local[:, :2]) < half[:2] + margin).all(axis=1)
    is_own = is_high & (np.abs(local[:, :2]) < half[:2]).all(axis=1)
    around = np.zeros(depth.shape, np.uint8)
    around[rows[is_near], columns[is_near]] = 1
    _, labels = cv2.connectedComponents(around, connectivity=4)
    votes = np.bincount(labels[rows[is_own], columns[is_own]], minlength=1)
    if not len(votes) or votes.max() < _LEAST_PIXELS:
        return None
    mask = np.zeros(view.image.depth.shape, bool)
    mask[window] = labels == int(votes.argmax())
    return mask


def _lowest(item: SceneObject) -> float:
    """From where on a thing's points tell where it is, in its own frame, metres.

    Not from its foot, where what carries it begins. Of a ring only the top counts: a slanted look
    sees the inside of its far wall too.
    """
    half = 0.5 * item.size[2]
    return half - max(_TOP, 0.3 * half) if len(item.solids) > 1 else -0.4 * half


def _window(item: SceneObject, view: View, margin: float) -> tuple[slice, slice] | None:
    """The rows and columns in which a box and what is around it are seen."""
    signs = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)]) - 0.5
    corners = item.pose.apply(signs * (np.asarray(item.size) + 2.0 * margin))
    local = view.image.world_from_camera.inverse().apply(corners)
    if local[:, 2].min() < 0.02:
        return None
    pixels = view.image.camera.project(local)
    height, width = view.image.depth.shape
    low = np.clip(np.floor(pixels.min(axis=0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(pixels.max(axis=0)) + 1, 0, (width, height)).astype(int)
    if (high - low).min() < 1:
        return None
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def _distance(view: View, item: SceneObject) -> float:
    camera = view.image.world_from_camera.position
    return float(np.linalg.norm(np.subtract(camera, item.pose.position)))
