"""What is to be true at the end: relations between objects, and whether a scene has them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.steps import unquote
from malmm_ros.geometry import wrap_angle
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject

_OFF_CENTER = 0.015  # m; a release 5 mm above the support settles within a few millimetres
_NEAR = 0.025  # m; the tool point, when it is where it was sent, as sensed
_TILTED = 0.17  # rad; leans on something instead of standing


@dataclass(frozen=True, slots=True)
class Rest:
    """``item`` stands on ``support``; an empty support is the bare table."""

    item: str
    support: str


@dataclass(frozen=True, slots=True)
class Inside:
    """``item`` is within the walls of ``container``."""

    item: str
    container: str


@dataclass(frozen=True, slots=True)
class Around:
    """The ring ``item`` surrounds ``peg``, down on its base."""

    item: str
    peg: str


@dataclass(frozen=True, slots=True)
class Spot:
    """``item`` stands at a point of the table, world frame, metres."""

    item: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Held:
    """``item`` is in the hand."""

    item: str


@dataclass(frozen=True, slots=True)
class Off:
    """``item`` is no longer on or in ``support``."""

    item: str
    support: str


@dataclass(frozen=True, slots=True)
class Above:
    """``item`` is held over ``support``, so many metres above its top."""

    item: str
    support: str
    height: float


@dataclass(frozen=True, slots=True)
class Home:
    """The tool point is back where it was when this was asked for; world frame, m, rad."""

    x: float
    y: float
    z: float
    yaw: float


@dataclass(frozen=True, slots=True)
class HandFree:
    """Nothing is in the hand."""


@dataclass(frozen=True, slots=True)
class Layer:
    """So many neighbouring levels of a tower, and which objects may be there."""

    count: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tower:
    """A column, its layers from the bottom; on ``support``, or anywhere when that is empty."""

    layers: tuple[Layer, ...]
    support: str = ""

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """What may be at each level, from the bottom."""
        return tuple(layer.names for layer in self.layers for _ in range(layer.count))


Goal = Rest | Inside | Around | Spot | Held | Above | Off | HandFree | Home | Tower


def moved_items(goal: Goal) -> tuple[str, ...]:
    """Names of what a goal is about moving."""
    if isinstance(goal, Tower):
        return tuple(name for layer in goal.layers for name in layer.names)
    return () if isinstance(goal, HandFree | Home) else (goal.item,)


def forced_items(goal: Goal) -> set[str]:
    """Names of what a goal moves for certain; a tower may have a choice."""
    if not isinstance(goal, Tower):
        return set(moved_items(goal))
    layers = [layer for layer in goal.layers if layer.count == len(layer.names)]
    return {name for layer in layers for name in layer.names}


def names_in(goal: Goal) -> tuple[str, ...]:
    """All names that a goal speaks of."""
    support = getattr(goal, "support", "") or getattr(goal, "container", "")
    support = support or getattr(goal, "peg", "")
    return (*moved_items(goal), *([support] if support else []))


def render_goal(goal: Goal) -> str:
    """Write a goal as a sentence that :func:`parse_goal` reads back."""
    match goal:
        case Rest(item, support):
            return f"{_quote(item)} rests on {_quote(support) if support else 'the bare table'}"
        case Inside(item, container):
            return f"{_quote(item)} is inside {_quote(container)}"
        case Around(item, peg):
            return f"{_quote(item)} surrounds {_quote(peg)}"
        case Spot(item, x, y):
            return f"{_quote(item)} stands at ({x:.3f}, {y:.3f})"
        case Off(item, support):
            return f"{_quote(item)} is off {_quote(support)}"
        case Held() | Above() | Home() | HandFree():
            return _render_hand(goal)
        case Tower(layers, support):
            parts = ", then ".join(
                f"{layer.count} of [{', '.join(_quote(name) for name in layer.names)}]"
                for layer in layers
            )
            place = _quote(support) if support else "the table"
            return f"a tower, from the bottom {parts}, on {place}"


def _render_hand(goal: Held | Above | Home | HandFree) -> str:
    match goal:
        case Held(item):
            return f"{_quote(item)} is in the gripper"
        case Above(item, support, height):
            return f"{_quote(item)} is held {height:.3f} above {_quote(support)}"
        case Home(x, y, z, yaw):
            return f"the tool point is back at ({x:.3f}, {y:.3f}, {z:.3f}), yaw {yaw:.3f}"
        case HandFree():
            return "the gripper is empty"


def parse_goal(text: str) -> Goal | None:
    """Read what :func:`render_goal` wrote; ``None`` for anything else."""
    if text == "the gripper is empty":
        return HandFree()
    if match := _HOME.fullmatch(text):
        x, y, z, yaw = (float(value) for value in match.groups())
        return Home(x, y, z, yaw)
    if text.startswith("a tower, from the bottom "):
        layers = tuple(
            Layer(int(match[1]), tuple(_names(match[2]))) for match in _LAYER.finditer(text)
        )
        place = _names(text.rsplit("], on ", 1)[-1])
        return Tower(layers, place[0] if place else "")
    return _parse_relation(_names(text), " ".join(_QUOTED.sub("", text).split()))


def _parse_relation(names: Sequence[str], rest: str) -> Goal | None:
    """Read a goal by its names and the words between them."""
    if len(names) == 1:
        if rest == "rests on the bare table":
            return Rest(names[0], "")
        if rest == "is in the gripper":
            return Held(names[0])
        if match := re.fullmatch(r"stands at \((-?[\d.]+), (-?[\d.]+)\)", rest):
            return Spot(names[0], float(match[1]), float(match[2]))
    if len(names) == 2 and (match := _HELD_ABOVE.fullmatch(rest)):
        return Above(names[0], names[1], float(match[1]))
    if len(names) == 2 and rest in _PAIRS:
        return _PAIRS[rest](names[0], names[1])
    return None


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_HELD_ABOVE = re.compile(r"is held (-?[\d.]+) above")
_HOME = re.compile(
    r"the tool point is back at \((-?[\d.]+), (-?[\d.]+), (-?[\d.]+)\), yaw (-?[\d.]+)"
)
_LAYER = re.compile(r'(\d+) of \[((?:"(?:[^"\\]|\\.)*"(?:, )?)*)\]')
_PAIRS: dict[str, type[Rest] | type[Inside] | type[Around] | type[Off]] = {
    "rests on": Rest,
    "is inside": Inside,
    "surrounds": Around,
    "is off": Off,
}


def _quote(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _names(text: str) -> list[str]:
    return [unquote(match[0]) for match in _QUOTED.finditer(text)]


def holds(goal: Goal, scene: Scene) -> bool:
    """Whether the scene has what the goal asks for."""
    match goal:
        case HandFree():
            return not scene.gripper.is_holding
        case Home():
            return _is_home(goal, scene)
        case Above():
            return _is_above(goal, scene)
        case Held(name):
            return scene.gripper.held_object == name
        case Tower(levels=levels):
            return len(column(goal, scene)) >= len(levels)
        case _:
            item = scene.find(goal.item)
            return item is not None and not item.is_held and _is_placed(goal, item, scene)


def _is_placed(goal: Rest | Inside | Around | Spot | Off, item: SceneObject, scene: Scene) -> bool:
    match goal:
        case Rest(_, ""):
            return (
                layout.carrier_of(item, scene) is None
                and layout.bottom_z(item) < TABLE_TOP_Z + 0.02
            )
        case Rest(_, support):
            carrier = scene.find(support)
            return carrier is not None and stands_on(item, carrier)
        case Inside(_, container):
            walls = scene.find(container)
            return walls is not None and layout.is_inside(item, walls)
        case Around(_, peg):
            post = scene.find(peg)
            return post is not None and _surrounds(item, post)
        case Spot(_, x, y):
            return layout.distance(layout.center(item), (x, y)) <= 0.02 and is_upright(item)
        case Off(_, support):
            base = scene.find(support)
            return base is None or not _touches(item, base)


def _is_home(goal: Home, scene: Scene) -> bool:
    gripper = scene.gripper
    off = math.dist(gripper.tcp.position, (goal.x, goal.y, goal.z))
    return off <= _NEAR and abs(wrap_angle(gripper.yaw - goal.yaw)) <= _TILTED


def _is_above(goal: Above, scene: Scene) -> bool:
    item, support = scene.find(goal.item), scene.find(goal.support)
    if item is None or support is None or scene.gripper.held_object != goal.item:
        return False
    height = layout.bottom_z(item) - layout.top_z(support)
    is_over = layout.distance(layout.center(item), layout.center(support)) <= _NEAR
    return is_over and abs(height - goal.height) <= _NEAR


def stands_on(item: SceneObject, carrier: SceneObject) -> bool:
    """Whether the item stands well on its carrier: upright and as far in as it can be."""
    if not layout.rests_on(item, carrier) or not is_upright(item):
        return False
    reach = layout.footprint(item) - layout.center(item)
    half = abs(reach @ layout.rotation(carrier.pose.yaw)).max(axis=0)
    offsets = layout.offset_within(item, carrier)
    return all(
        offset <= max(_OFF_CENTER, 0.5 * size - extent + 0.003)
        for offset, size, extent in zip(offsets, carrier.size, half, strict=False)
    )


def is_upright(item: SceneObject) -> bool:
    """Whether it stands instead of leaning on something; round things always do."""
    return item.yaw_symmetry == 0 or item.pose.tilt < _TILTED


def _surrounds(item: SceneObject, post: SceneObject) -> bool:
    offset = layout.distance(layout.center(item), layout.center(post))
    return offset < 0.012 and item.pose.position[2] < post.pose.position[2]


def _touches(item: SceneObject, base: SceneObject) -> bool:
    inside = layout.is_inside(item, base) and base.size[2] >= 0.012
    return inside or layout.leans_on(item, base) or layout.rests_on(item, base)


def column(tower: Tower, scene: Scene) -> list[SceneObject]:
    """The part of a tower that stands already, from the bottom; may be empty."""
    levels = tower.levels
    if not levels:
        return []
    support = scene.find(tower.support) if tower.support else None
    if tower.support and support is None:
        return []
    first = [item for name in levels[0] if (item := scene.find(name)) and not item.is_held]
    if support is not None:
        bases = [item for item in first if stands_on(item, support)]
    else:
        bases = [item for item in first if layout.carrier_of(item, scene) is None]
        bases = [item for item in bases if is_upright(item)]
    stacks = [_grow(base, levels, scene) for base in bases]
    return max(stacks, key=lambda stack: (len(stack), -_remoteness(stack)), default=[])


def _grow(base: SceneObject, levels: Sequence[tuple[str, ...]], scene: Scene) -> list[SceneObject]:
    stack = [base]
    while len(stack) < len(levels):
        allowed = levels[len(stack)]
        above = [
            item
            for name in allowed
            if (item := scene.find(name)) and stands_on(item, stack[-1]) and item not in stack
        ]
        if not above:
            break
        stack.append(min(above, key=lambda item: item.name))
    return stack


def _remoteness(stack: Sequence[SceneObject]) -> float:
    return round(layout.distance(layout.center(stack[0]), (0.25, 0.0)), 3)
