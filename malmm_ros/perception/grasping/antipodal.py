"""Grasps from above between two opposite sides, found by slicing the cloud; numpy only."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import top_down, wrap_angle
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.grasping.proposer import Grasp
from malmm_ros.perception.grasping.slices import CELL, Candidates, SliceGrid
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z

# Larger clouds are thinned to one point in each cell of this edge: nearly all that is known.
_MANY_POINTS = 8000
_THIN = 0.002
_THIN_SURROUNDINGS = 0.004
# Below this many points there is no shape to speak of.
_FEWEST_POINTS = 10
# So near above the lowest fingertips, points are noise of what the thing stands on.
_FLOOR_NOISE = 0.004
# Of the hand's body: half extents across and along the closing direction.
_PALM = (0.032, 0.102)


@dataclass(frozen=True, slots=True, kw_only=True)
class AntipodalConfig:
    """What is sampled, and the hand for which (the Franka hand's URDF); metres.

    Attributes:
        yaws: How many over half a turn; one of them lies along the thing's smallest rectangle.
        lateral_step: Between slices across the closing direction.
        opening: Of the hand while it goes down.
        clearance: Left between a finger and the thing on each side, at least.
        pad_width: Of a finger's pad across the closing direction.
        finger_thickness: Along the closing direction.
        margin: Kept from what the fingers pass.
        tip_reach: How far the fingers reach past the tool point.
        palm_distance: From the tool point back to the palm.
        deepest: Of the tool point below the thing's top; keeps the palm off it.
        spread_scale: Spread of the edges at which the score has fallen to 1/e.
        full_depth: How far pads must reach below the top for the whole score.
        min_score: Grasps below it are not proposed.
        max_grasps: Best ones that are proposed.
    """

    yaws: int = 24
    lateral_step: float = 0.005
    opening: float = MAX_GRIPPER_WIDTH
    clearance: float = 0.0025
    pad_width: float = 0.0175
    finger_thickness: float = 0.0152
    margin: float = 0.003
    tip_reach: float = 0.009
    palm_distance: float = 0.0374
    deepest: float = 0.035
    spread_scale: float = 0.004
    full_depth: float = 0.015
    min_score: float = 0.2
    max_grasps: int = 300

    def __post_init__(self) -> None:
        if self.yaws < 4 or self.yaws % 2:
            raise ValueError(f"yaws must be even and at least 4, got {self.yaws}")
        if self.max_grasps < 1:
            raise ValueError(f"max_grasps must be at least 1, got {self.max_grasps}")
        for name in ("lateral_step", "pad_width", "finger_thickness", "spread_scale"):
            if not 0.0 < getattr(self, name) <= 0.05:
                raise ValueError(f"{name} must be in (0, 0.05] m, got {getattr(self, name)}")
        if not 0.0 <= self.clearance < 0.5 * self.opening <= 0.5:
            raise ValueError(f"clearance {self.clearance} m does not fit {self.opening} m")
        if not 0.0 <= self.min_score <= 1.0:
            raise ValueError(f"min_score must be in [0, 1], got {self.min_score}")

    @property
    def widest(self) -> float:
        """What still fits between the open fingers, metres."""
        return self.opening - 2.0 * self.clearance


class AntipodalProposer:
    """A :class:`~malmm_ros.perception.grasping.proposer.GraspProposer` without learning.

    For each yaw and each lateral step, the slice of the cloud that the pads would cover is
    split into solid runs along the closing direction (gaps in which no finger fits count as
    solid). Each run, and each stretch of neighbouring runs, that fits between the fingers is a
    candidate, unless an open finger, its way inward or the palm would touch anything.

    ``score = exp(−(edge spread / 4 mm)²) · (1 − offset / 2) · min(1, depth / 15 mm)
    · (1 − 0.3 · width / widest)`` where the edge spread is by how much the touched edges vary
    over the pads' width and lower half, the offset is from the middle of the thing as a share of
    its half length, and the depth is how far the pads reach below the top.
    """

    def __init__(self, config: AntipodalConfig | None = None) -> None:
        self.config = config or AntipodalConfig()

    def propose(self, cloud: PointCloud, surroundings: PointCloud) -> list[Grasp]:
        """Propose grasps from above, the best first.

        Raises:
            PerceptionError: Hardly any points, or not finite ones.
        """
        config = self.config
        points = _checked(cloud)
        (x, y), half_length, yaw = _rectangle(points[:, :2])
        origin = np.array([x, y, 0.0])
        top, depths = self._depths(points[:, 2])
        lowest = top - depths[0] - config.tip_reach
        near = self._near(surroundings, origin, half_length, lowest)
        yaws = yaw + np.arange(config.yaws) * (math.pi / config.yaws)
        grid = SliceGrid(
            points - origin,
            near - origin,
            yaws=yaws,
            reach=0.5 * config.opening + config.finger_thickness + config.margin,
            pad_width=config.pad_width,
            step=config.lateral_step,
            margin=config.margin,
        )
        found: list[Candidates] = []
        scores: list[NDArray[np.float64]] = []
        for depth in depths:
            tip_z = top - depth - config.tip_reach
            candidates = grid.candidates(
                tip_z,
                widest=config.widest,
                opening=config.opening,
                thickness=config.finger_thickness,
                pad_height=2.0 * config.tip_reach,
            )
            found.append(candidates)
            scores.append(self._scores(candidates, half_length, tip_z))
        candidates, score = Candidates.joined(found), np.concatenate(scores)
        is_good = score >= config.min_score
        candidates, score = candidates.where(is_good), score[is_good]
        is_free = self._palm_is_free(candidates, near - origin)
        candidates, score = candidates.where(is_free), score[is_free]
        order = np.argsort(-score, kind="stable")[: config.max_grasps]
        return _grasps(candidates.where(order), score[order], origin, config.tip_reach)

    def _depths(self, heights: NDArray[np.float64]) -> tuple[float, list[float]]:
        """The thing's top, and depths of the tool point below it that are tried."""
        config = self.config
        low, top = (float(value) for value in np.percentile(heights, (1.0, 99.0)))
        low = max(min(low, top), TABLE_TOP_Z)
        lowest = max(0.5 * (low + top), top - config.deepest, low + config.tip_reach + 0.001)
        deepest = top - lowest
        return top, [deepest, *(depth for depth in (0.02, 0.008) if depth < deepest - 0.004)]

    def _near(
        self,
        surroundings: PointCloud,
        origin: NDArray[np.float64],
        half_length: float,
        lowest: float,
    ) -> NDArray[np.float64]:
        """Points that the hand could meet, above what the thing stands on."""
        points = surroundings.points
        reach = half_length + math.hypot(*_PALM)
        near = (np.abs(points[:, :2] - origin[:2]) < reach).all(axis=1)
        points = points[near & (points[:, 2] > lowest + _FLOOR_NOISE)]
        return _thin(points, _THIN_SURROUNDINGS)

    def _scores(
        self, candidates: Candidates, half_length: float, tip_z: float
    ) -> NDArray[np.float64]:
        config = self.config
        offset = np.minimum(np.hypot(candidates.u, candidates.v) / max(half_length, CELL), 1.0)
        depth = np.clip((candidates.top - tip_z) / config.full_depth, 0.0, 1.0)
        spread = np.exp(-((candidates.spread / config.spread_scale) ** 2))
        score: NDArray[np.float64] = (
            spread
            * (1.0 - 0.5 * offset)
            * depth
            * (1.0 - 0.3 * np.minimum(candidates.width / config.widest, 1.0))
        )
        return score

    def _palm_is_free(
        self, candidates: Candidates, near: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether nothing near reaches up into the palm, ``(C,)``."""
        config = self.config
        palm_z = candidates.tip_z + config.tip_reach + config.palm_distance - config.margin
        if not len(candidates) or not (near[:, 2] > palm_z.min()).any():
            return np.ones(len(candidates), bool)
        high = _thin(near[near[:, 2] > palm_z.min()], 0.01)
        cos, sin = np.cos(candidates.yaw)[:, None], np.sin(candidates.yaw)[:, None]
        u = high[:, 0] * cos + high[:, 1] * sin - candidates.u[:, None]
        v = -high[:, 0] * sin + high[:, 1] * cos - candidates.v[:, None]
        hit = (np.abs(u) < _PALM[0]) & (np.abs(v) < _PALM[1]) & (high[:, 2] > palm_z[:, None])
        return ~np.asarray(hit.any(axis=1))


def _grasps(
    candidates: Candidates,
    scores: NDArray[np.float64],
    origin: NDArray[np.float64],
    tip_reach: float,
) -> list[Grasp]:
    """Candidates as grasps in the world frame, the yaw within a quarter turn."""
    yaw, u, v = candidates.yaw, candidates.u, candidates.v
    x = origin[0] + u * np.cos(yaw) - v * np.sin(yaw)
    y = origin[1] + u * np.sin(yaw) + v * np.cos(yaw)
    columns = (x, y, candidates.tip_z + tip_reach, yaw, candidates.width, scores)
    return [
        Grasp(tcp=top_down((x, y, z), wrap_angle(yaw, math.pi)), width=width, score=score)
        for x, y, z, yaw, width, score in zip(*(c.tolist() for c in columns), strict=True)
    ]


def _checked(cloud: PointCloud) -> NDArray[np.float64]:
    if len(cloud) < _FEWEST_POINTS:
        raise PerceptionError(
            f"a cloud of {len(cloud)} points is too small to propose grasps; "
            f"needed: {_FEWEST_POINTS}"
        )
    if not np.isfinite(cloud.points).all():
        raise PerceptionError("a cloud to grasp holds points that are not finite")
    return _thin(cloud.points, _THIN) if len(cloud) > _MANY_POINTS else cloud.points


def _thin(points: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """One point of each cubic cell."""
    if len(points) < 2:
        return points
    keys = np.floor((points - points.min(axis=0)) / cell).astype(np.int64)
    extent = keys.max(axis=0) + 1
    flat = (keys[:, 0] * extent[1] + keys[:, 1]) * extent[2] + keys[:, 2]
    return points[np.unique(flat, return_index=True)[1]]


def _rectangle(plane: NDArray[np.float64]) -> tuple[tuple[float, float], float, float]:
    """Middle, half of the longer side and yaw of the smallest rectangle around points."""
    middle = plane.mean(axis=0)
    (x, y), sides, degrees = cv2.minAreaRect((plane - middle).astype(np.float32))
    return (x + middle[0], y + middle[1]), 0.5 * max(sides), math.radians(degrees)
