"""Plane geometry over a scene: what stands on what, what would touch, where there is room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from malmm_ros.agents.offline.naming import FLAT_HEIGHT, is_container
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject, Workspace

Point = tuple[float, float]

CONTACT_GAP = 0.014  # m; between the faces of what lies on what, with sensing noise
BASE: Point = (-0.27, 0.0)
REACH = (0.30, 0.74)  # m from the base; a little inside what the arm reaches top-down
_FREE_GAP = 0.05  # m; room for a finger and some error


def is_flat(item: SceneObject) -> bool:
    """Whether it is an area: fixed or not, too thin to be a body in the way."""
    return item.size[2] < FLAT_HEIGHT


def footprint(item: SceneObject, *, grow: float = 0.0) -> NDArray[np.float64]:
    """Corners ``(N, 2)`` of the object's outline from above, counter-clockwise, world frame."""
    if item.yaw_symmetry == 0:
        angles = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
        radius = 0.5 * max(item.size[:2]) + grow
        return np.asarray(center(item)) + radius * np.stack([np.cos(angles), np.sin(angles)], 1)
    half = (0.5 * item.size[0] + grow, 0.5 * item.size[1] + grow)
    return rectangle(center(item), half=half, yaw=item.pose.yaw)


def top_z(item: SceneObject) -> float:
    """Height of its top; in the scene text everything stands upright."""
    return item.pose.position[2] + 0.5 * item.size[2]


def bottom_z(item: SceneObject) -> float:
    """Height of its underside; in the scene text everything stands upright."""
    return item.pose.position[2] - 0.5 * item.size[2]


def rectangle(middle: Point, *, half: Point, yaw: float) -> NDArray[np.float64]:
    """Corners ``(4, 2)`` of a turned rectangle, counter-clockwise."""
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], dtype=float)
    return np.asarray((signs * np.asarray(half)) @ rotation(yaw).T + np.asarray(middle))


def rotation(yaw: float) -> NDArray[np.float64]:
    """The ``(2, 2)`` rotation matrix."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([(c, -s), (s, c)])


def center(item: SceneObject) -> Point:
    """Middle of its box from above."""
    return (item.pose.position[0], item.pose.position[1])


def distance(first: Point, second: Point) -> float:
    """Between two points from above, metres."""
    return math.hypot(first[0] - second[0], first[1] - second[1])


def overlaps(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two convex outlines share area (separating axes)."""
    for shape in (first, second):
        edges = np.roll(shape, -1, axis=0) - shape
        normals = np.stack([edges[:, 1], -edges[:, 0]], 1)
        one, two = first @ normals.T, second @ normals.T
        if np.any((one.max(0) <= two.min(0) + 1e-9) | (two.max(0) <= one.min(0) + 1e-9)):
            return False
    return True


def covers(point: Point, item: SceneObject, *, margin: float = 0.0) -> bool:
    """Whether a point lies on the object's outline, ``margin`` metres from its edge or more."""
    local = (np.asarray(point) - np.asarray(center(item))) @ rotation(item.pose.yaw)
    if item.yaw_symmetry == 0:
        return float(np.hypot(*local)) <= 0.5 * max(item.size[:2]) - margin
    half = 0.5 * np.asarray(item.size[:2]) - margin
    return bool(np.all(np.abs(local) <= half))


def offset_within(item: SceneObject, carrier: SceneObject) -> Point:
    """How far the item's middle is from the carrier's, along the carrier's axes, absolute."""
    local = (np.asarray(center(item)) - np.asarray(center(carrier))) @ rotation(carrier.pose.yaw)
    return (abs(float(local[0])), abs(float(local[1])))


def rests_on(item: SceneObject, carrier: SceneObject) -> bool:
    """Whether the item stands on the carrier: touching its top, its middle over it."""
    if item.is_held or item.name == carrier.name:
        return False
    if (
        abs(bottom_z(item) - top_z(carrier)) > CONTACT_GAP
        # Three decimals of centre and height may put a body's bottom below a flat area's middle.
        or bottom_z(item) < carrier.pose.position[2] - 0.25 * CONTACT_GAP
    ):
        return False
    return covers(center(item), carrier)


def is_inside(item: SceneObject, container: SceneObject) -> bool:
    """Whether the item is within the container's walls."""
    if item.is_held or item.name == container.name or not covers(center(item), container):
        return False
    z = item.pose.position[2]
    return bottom_z(container) - 0.01 <= z and bottom_z(item) < top_z(container) - 0.004


def leans_on(item: SceneObject, lower: SceneObject) -> bool:
    """Whether lifting ``lower`` would move the item: it lies over a part of it."""
    if item.is_held or item.name == lower.name or is_flat(item) or is_inside(item, lower):
        return False
    if item.pose.position[2] < lower.pose.position[2] + 0.25 * lower.size[2]:
        return False
    above = -CONTACT_GAP <= bottom_z(item) - top_z(lower) <= CONTACT_GAP
    return above and overlaps(footprint(item, grow=-0.002), footprint(lower, grow=-0.002))


def loads(lower: SceneObject, scene: Scene) -> list[SceneObject]:
    """What stands directly on an object, highest first."""
    found = [item for item in scene.objects if leans_on(item, lower)]
    return sorted(found, key=lambda item: -item.pose.position[2])


def carrier_of(item: SceneObject, scene: Scene) -> SceneObject | None:
    """What an object stands on or in; ``None`` is the table (or the hand)."""
    holders = [
        other
        for other in scene.objects
        if rests_on(item, other) or (is_container(other) and is_inside(item, other))
    ]
    return max(holders, key=top_z, default=None)


def obstacles_at(
    shape: NDArray[np.float64], z: tuple[float, float], scene: Scene, *, ignore: Iterable[str] = ()
) -> list[SceneObject]:
    """Bodies whose outline meets ``shape`` and whose height meets the interval ``z``."""
    skipped = set(ignore)
    return [
        item
        for item in scene.objects
        if item.name not in skipped
        and not item.is_held
        and not is_flat(item)
        and bottom_z(item) < z[1]
        and top_z(item) > z[0]
        and overlaps(shape, footprint(item))
    ]


def is_reachable(point: Point, *, margin: float = 0.0) -> bool:
    """Whether the hand can get there at table height, by a rule of thumb."""
    low, high = REACH
    return low + margin <= distance(point, BASE) <= high - margin and Workspace().contains(
        (*point, TABLE_TOP_Z + 0.1), margin=margin
    )


def free_place(
    item: SceneObject,
    scene: Scene,
    *,
    near: Point,
    avoid: Sequence[SceneObject] = (),
    clear_of: Sequence[Point] = (),
) -> Point | None:
    """The nearest point of the table where the item can be put down with room around it.

    Args:
        item: What needs room.
        scene: Its own outline does not count.
        near: From where "nearest" is counted.
        avoid: Objects to stay further away from, e.g. a goal's target.
        clear_of: Points that something else is going to need.
    """
    radius = 0.5 * math.hypot(item.size[0], item.size[1])
    others = [other for other in scene.objects if other.name != item.name and not other.is_held]
    grid = _table_grid(radius)
    for gap in (_FREE_GAP, 0.5 * _FREE_GAP):
        fits = np.ones(len(grid), dtype=bool)
        for other in others:
            extra = 0.04 if any(other.name == one.name for one in avoid) else 0.0
            fits &= _gaps(grid, other) >= radius + gap + extra
        for point in clear_of:
            fits &= np.hypot(*(grid - np.asarray(point)).T) >= 2.0 * radius + gap
        if fits.any():
            points = grid[fits]
            best = points[np.argmin(np.hypot(*(points - np.asarray(near)).T))]
            return (round(float(best[0]), 3), round(float(best[1]), 3))
    return None


def _table_grid(radius: float) -> NDArray[np.float64]:
    space = Workspace()
    edge = radius + 0.01
    xs = np.arange(space.low[0] + edge, space.high[0] - edge, 0.02)
    ys = np.arange(space.low[1] + edge, space.high[1] - edge, 0.02)
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), -1).reshape(-1, 2)
    reach = np.hypot(*(grid - np.asarray(BASE)).T)
    kept: NDArray[np.float64] = grid[(reach >= REACH[0]) & (reach <= REACH[1] - 0.03)]
    return kept


def _gaps(points: NDArray[np.float64], item: SceneObject) -> NDArray[np.float64]:
    """Distances ``(N,)`` from points to the rectangle that an object covers; 0 within."""
    local = (points - np.asarray(center(item))) @ rotation(item.pose.yaw)
    beyond = np.maximum(np.abs(local) - 0.5 * np.asarray(item.size[:2]), 0.0)
    result: NDArray[np.float64] = np.hypot(beyond[:, 0], beyond[:, 1])
    return result
