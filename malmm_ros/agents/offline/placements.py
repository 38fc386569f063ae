"""Where exactly an object is to go for a goal, and what is in the way there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.goals import (
    Above,
    Around,
    Goal,
    HandFree,
    Held,
    Home,
    Inside,
    Off,
    Rest,
    Spot,
    Tower,
    column,
)
from malmm_ros.agents.offline.naming import label
from malmm_ros.agents.offline.steps import quote
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject

_SIDE_GAP = 0.010  # m; between what lies side by side on an area
_WALL = 0.012  # m; of a container, with some play


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A place for an object.

    Attributes:
        top: Height of what it will stand on, or of the rim it will fall past.
        yaws: Yaws of the object that fit, radians; empty: any, so that it keeps its own.
        where: For the plan's words, e.g. ``on "blue block"``.
        support: Name of what carries it; empty for the table.
        is_drop: It falls past a rim, so that some height more does no harm.
    """

    point: layout.Point
    top: float
    yaws: tuple[float, ...] = ()
    where: str = "on the table"
    support: str = ""
    is_drop: bool = False


@dataclass(frozen=True, slots=True)
class Blocker:
    """Something that has to be moved out of the way first."""

    name: str


def placement(goal: Goal, item: SceneObject, scene: Scene) -> Placement | Blocker | None:
    """Where a goal wants an object.

    Returns:
        The place; what is in its way; or ``None`` when there is no room or it is gone.
    """
    match goal:
        case Tower():
            return _on_tower(goal, item, scene)
        case Rest(_, ""):
            return aside(item, scene)
        case Rest(_, support):
            return _on_object(scene.find(support), item, scene, is_centered=False)
        case Inside(_, container):
            return _in_container(scene.find(container), item, scene)
        case Around(_, peg):
            return _over_peg(scene.find(peg))
        case Spot(_, x, y):
            return _on_table((x, y), item, scene)
        case Off(_, support):
            return _off(item, scene.find(support), scene)
        case Held() | HandFree() | Home() | Above():
            return aside(item, scene)


def aside(
    item: SceneObject,
    scene: Scene,
    *,
    avoid: Sequence[SceneObject] = (),
    clear_of: Sequence[layout.Point] = (),
) -> Placement | None:
    """A free place on the table near where the object is; ``None`` when the table is full."""
    flats = [other for other in scene.objects if layout.is_flat(other)]
    point = layout.free_place(
        item, scene, near=layout.center(item), avoid=[*flats, *avoid], clear_of=clear_of
    )
    if point is None:
        return None
    return Placement(point=point, top=TABLE_TOP_Z)


def _on_tower(tower: Tower, item: SceneObject, scene: Scene) -> Placement | Blocker | None:
    stack = column(tower, scene)
    if stack:
        found = _on_object(stack[-1], item, scene, is_centered=True)
        base = scene.find(tower.support) or stack[0]
        return _toward(found, base) if isinstance(found, Placement) else found
    if tower.support:
        return _on_object(scene.find(tower.support), item, scene, is_centered=True)
    return aside(item, scene)


def _toward(place: Placement, base: SceneObject) -> Placement:
    """Shift by up to 5 mm towards the axis, so that errors do not add up with the height."""
    dx = base.pose.position[0] - place.point[0]
    dy = base.pose.position[1] - place.point[1]
    length = math.hypot(dx, dy)
    share = min(1.0, 0.005 / length) if length > 0.0 else 0.0
    return Placement(
        point=(place.point[0] + share * dx, place.point[1] + share * dy),
        top=place.top,
        yaws=place.yaws,
        where=place.where,
        support=place.support,
    )


def _on_object(
    support: SceneObject | None, item: SceneObject, scene: Scene, *, is_centered: bool
) -> Placement | Blocker | None:
    if support is None or support.is_held:
        return None
    yaws = _aligned(support)
    middle = layout.center(support)
    spots = iter([middle]) if is_centered else _spots(support, item, wall=0.0)
    first: SceneObject | None = None
    for point in spots:
        shape = _outline(item, point, yaws)
        span = (layout.top_z(support) + 0.003, layout.top_z(support) + item.size[2])
        found = layout.obstacles_at(shape, span, scene, ignore=[item.name, support.name])
        if not found:
            return Placement(point=point, top=layout.top_z(support), yaws=yaws,
                             where=f"on {quote(support.name)}", support=support.name)  # fmt: skip
        first = first or found[0]
    return _blocker(first)


def _in_container(
    container: SceneObject | None, item: SceneObject, scene: Scene
) -> Placement | Blocker | None:
    if container is None:
        return None
    yaws = _aligned(container) if "hoop" not in label(container).kinds else ()
    best = layout.center(container)
    for point in _spots(container, item, wall=_WALL):
        shape = _outline(item, point, yaws)
        span = (layout.bottom_z(container), layout.top_z(container))
        if not layout.obstacles_at(shape, span, scene, ignore=[item.name, container.name]):
            best = point
            break
    return Placement(point=best, top=layout.top_z(container), yaws=yaws,
                     where=f"into {quote(container.name)}", support=container.name,
                     is_drop=bool(label(container).kinds & {"bin", "hoop"}))  # fmt: skip


def _over_peg(peg: SceneObject | None) -> Placement | None:
    if peg is None:
        return None
    return Placement(point=layout.center(peg), top=layout.top_z(peg), yaws=_aligned(peg),
                     where=f"over {quote(peg.name)}", support=peg.name)  # fmt: skip


def _on_table(point: layout.Point, item: SceneObject, scene: Scene) -> Placement | Blocker | None:
    shape = _outline(item, point, (item.pose.yaw,))
    span = (TABLE_TOP_Z + 0.003, TABLE_TOP_Z + item.size[2])
    found = layout.obstacles_at(shape, span, scene, ignore=[item.name])
    if found:
        return _blocker(found[0])
    return Placement(point=point, top=TABLE_TOP_Z, where=f"at ({point[0]:.3f}, {point[1]:.3f})")


def _off(
    item: SceneObject, support: SceneObject | None, scene: Scene
) -> Placement | Blocker | None:
    """Beside what it came from: on an area made for that if there is one, else the table."""
    areas = [
        other
        for other in scene.objects
        if "area" in label(other).kinds and other.is_fixed
        and (support is None or other.name != support.name)
    ]  # fmt: skip
    for area in areas:
        found = _on_object(area, item, scene, is_centered=False)
        if isinstance(found, Placement):
            return found
    return aside(item, scene, avoid=[support] if support is not None else ())


def _spots(support: SceneObject, item: SceneObject, *, wall: float) -> Iterator[layout.Point]:
    """The middle, then places around it where the item does not stick out."""
    middle = layout.center(support)
    yield middle
    own = max(item.size[:2])
    free = [0.5 * size - 0.5 * own - wall for size in support.size[:2]]
    if min(free) < 0.0 or max(free) < 0.5 * own:
        return
    steps = [_ticks(half, own + _SIDE_GAP) for half in free]
    cells = [(dx, dy) for dx in steps[0] for dy in steps[1] if (dx, dy) != (0.0, 0.0)]
    turn = layout.rotation(support.pose.yaw)
    for dx, dy in sorted(cells, key=lambda cell: math.hypot(*cell)):
        if support.yaw_symmetry == 0 and math.hypot(dx, dy) > min(free):
            continue
        shift = turn @ (dx, dy)
        yield (middle[0] + float(shift[0]), middle[1] + float(shift[1]))


def _ticks(half: float, spacing: float) -> list[float]:
    count = max(1, math.ceil(2.0 * half / (0.5 * spacing)))
    return (
        [-half + 2.0 * half * index / count for index in range(count + 1)] if half > 0 else [0.0]
    )


def _outline(item: SceneObject, point: layout.Point, yaws: Sequence[float]) -> NDArray[np.float64]:
    yaw = yaws[0] if yaws else item.pose.yaw
    half = (0.5 * item.size[0] + 0.004, 0.5 * item.size[1] + 0.004)
    return layout.rectangle(point, half=half, yaw=yaw)


def _aligned(support: SceneObject) -> tuple[float, ...]:
    """Yaws that lie parallel to a support; none for a round one."""
    if support.yaw_symmetry == 0:
        return ()
    return (support.pose.yaw, support.pose.yaw + 0.5 * math.pi)


def _blocker(item: SceneObject | None) -> Blocker | None:
    return None if item is None or item.is_fixed else Blocker(item.name)
