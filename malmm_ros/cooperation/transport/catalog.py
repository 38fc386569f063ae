"""What can stand in a transport world: rooms, furniture, things to carry, and their looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TaskName = Literal["food", "stuff"]
Category = Literal["target", "container", "bed", "agent", "other"]
RoomKind = Literal["Kitchen", "Livingroom", "Office", "Bedroom", "Porch"]

TASKS: tuple[TaskName, ...] = ("food", "stuff")
# The numbers by which the reference benchmark calls them.
CATEGORY_NUMBERS: dict[Category, int] = {
    "target": 0,
    "container": 1,
    "bed": 2,
    "agent": 3,
    "other": 5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingKind:
    """A kind of thing that can be carried.

    Attributes:
        family: Sub-family by which it is placed; for containers, the task's name.
        size: Length, width, height, metres.
        color: RGB, 0 to 1, in pictures.
    """

    name: str
    task: TaskName
    family: str
    is_container: bool
    size: tuple[float, float, float]
    color: tuple[float, float, float]

    @property
    def diameter(self) -> float:
        """The size that counts for being seen, metres: the mean of length and height."""
        return 0.5 * (self.size[0] + self.size[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureKind:
    """A kind of furniture; sizes are multiples of a map cell.

    Attributes:
        size: Length along the wall it may stand at, depth, height, metres.
        most_things: How many things may lie on it at the start.
    """

    name: str
    size: tuple[float, float, float]
    least_things: int
    most_things: int
    color: tuple[float, float, float]


def _thing(
    name: str,
    task: TaskName,
    family: str,
    size: tuple[float, float, float],
    color: tuple[float, float, float],
) -> ThingKind:
    is_container = family == task
    return ThingKind(
        name=name, task=task, family=family, is_container=is_container, size=size, color=color
    )


THINGS: dict[str, ThingKind] = {
    kind.name: kind
    for kind in (
        _thing("apple", "food", "fruit", (0.09, 0.09, 0.09), (0.80, 0.10, 0.12)),
        _thing("banana", "food", "fruit", (0.19, 0.06, 0.05), (0.95, 0.85, 0.20)),
        _thing("orange", "food", "fruit", (0.09, 0.09, 0.09), (0.96, 0.52, 0.08)),
        _thing("bread", "food", "bakery", (0.16, 0.12, 0.10), (0.78, 0.58, 0.32)),
        _thing("loaf_bread", "food", "bakery", (0.26, 0.12, 0.12), (0.62, 0.40, 0.18)),
        _thing("burger", "food", "bakery", (0.12, 0.12, 0.08), (0.45, 0.25, 0.10)),
        _thing("calculator", "stuff", "desk", (0.15, 0.09, 0.04), (0.20, 0.22, 0.26)),
        _thing("mouse", "stuff", "desk", (0.12, 0.07, 0.05), (0.35, 0.36, 0.40)),
        _thing("pen", "stuff", "desk", (0.15, 0.02, 0.02), (0.10, 0.20, 0.75)),
        _thing("lighter", "stuff", "pocket", (0.09, 0.03, 0.03), (0.95, 0.30, 0.55)),
        _thing("purse", "stuff", "pocket", (0.24, 0.12, 0.16), (0.55, 0.10, 0.45)),
        _thing("iphone", "stuff", "pocket", (0.15, 0.08, 0.02), (0.60, 0.75, 0.85)),
        _thing("bowl", "food", "food", (0.24, 0.24, 0.10), (0.85, 0.92, 0.96)),
        _thing("plate", "food", "food", (0.28, 0.28, 0.05), (0.93, 0.93, 0.88)),
        _thing("tea_tray", "food", "food", (0.40, 0.28, 0.05), (0.40, 0.62, 0.60)),
        _thing("plastic_basket", "stuff", "stuff", (0.38, 0.28, 0.22), (0.20, 0.65, 0.35)),
        _thing("wicker_basket", "stuff", "stuff", (0.36, 0.30, 0.22), (0.74, 0.60, 0.38)),
        _thing("wood_basket", "stuff", "stuff", (0.38, 0.28, 0.20), (0.50, 0.33, 0.20)),
    )
}

FURNITURE: dict[str, FurnitureKind] = {
    kind.name: kind
    for kind in (
        FurnitureKind(
            name="table", size=(1.375, 0.75, 0.75), least_things=1, most_things=2,
            color=(0.62, 0.45, 0.30),
        ),
        FurnitureKind(
            name="coffee_table", size=(1.0, 0.625, 0.45), least_things=1, most_things=2,
            color=(0.52, 0.38, 0.27),
        ),
        FurnitureKind(
            name="sofa", size=(1.75, 0.75, 0.45), least_things=0, most_things=1,
            color=(0.36, 0.45, 0.60),
        ),
        FurnitureKind(
            name="chair", size=(0.5, 0.5, 0.45), least_things=0, most_things=1,
            color=(0.70, 0.52, 0.36),
        ),
        FurnitureKind(
            name="bed", size=(1.625, 2.0, 0.5), least_things=0, most_things=0,
            color=(0.78, 0.72, 0.82),
        ),
        FurnitureKind(
            name="wardrobe", size=(1.25, 0.625, 1.9), least_things=0, most_things=0,
            color=(0.45, 0.32, 0.24),
        ),
        FurnitureKind(
            name="shelf", size=(1.0, 0.375, 1.8), least_things=0, most_things=0,
            color=(0.50, 0.40, 0.30),
        ),
        FurnitureKind(
            name="counter", size=(1.75, 0.625, 0.9), least_things=0, most_things=0,
            color=(0.75, 0.75, 0.72),
        ),
        FurnitureKind(
            name="fridge", size=(0.75, 0.75, 1.8), least_things=0, most_things=0,
            color=(0.85, 0.87, 0.90),
        ),
    )
}  # fmt: skip

TABLES = ("table", "coffee_table")
SEATS = ("sofa", "chair")


def targets_of(task: TaskName) -> tuple[str, ...]:
    """Names of the kinds that a task is about."""
    return tuple(k.name for k in THINGS.values() if k.task == task and not k.is_container)


def containers_of(task: TaskName) -> tuple[str, ...]:
    """Names of the kinds of containers of a task."""
    return tuple(k.name for k in THINGS.values() if k.task == task and k.is_container)


def families_of(task: TaskName) -> dict[str, tuple[str, ...]]:
    """The two sub-families of a task's targets with their kinds."""
    families: dict[str, list[str]] = {}
    for name in targets_of(task):
        families.setdefault(THINGS[name].family, []).append(name)
    return {family: tuple(names) for family, names in families.items()}
