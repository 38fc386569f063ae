"""Move everything from the big tray into the small tray of the named colour."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose, Vector3, top_down
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation.layout import Footprint, Layout, WorkPoint
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.shapes import tray_solids
from malmm_ros.simulation.tasks.conditions import is_left_alone, offset_in
from malmm_ros.simulation.tasks.naming import numbered
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BIG_TRAY = (0.318, 0.318, 0.05)
BIG_TRAY_FLARE = 0.034
BIG_TRAY_COLOR = "silver"
SMALL_TRAY = (0.20, 0.125, 0.05)
SMALL_TRAY_Y = 0.25
WALL = 0.004
OBJECT_COUNT = 3
OBJECT_WIDTH = (0.032, 0.044)
OBJECT_HEIGHT = (0.075, 0.095)
OBJECT_MASS = 0.1
KINDS = ("block", "cylinder", "can")
# The tool point takes an object this far below its top: the fingers stay above the trays' walls.
_GRASP_DEPTH = 0.018
# Places in the big tray lie within this of its middle, and so far apart that the open fingers
# around one thing never meet another.
_SPREAD = 0.085
_SPACING = 0.094
_YAWS = (-0.6, 0.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyContainerOptions:
    """Options of the task empty_container.

    Attributes:
        color: Of the small tray that everything goes to; empty: drawn.
    """

    color: str = ""

    def __post_init__(self) -> None:
        if self.color and self.color not in COLOR_NAMES:
            raise UnknownNameError("task empty_container: color", self.color, COLOR_NAMES)


class EmptyContainer(Task):
    """A big tray with three things in it and a small tray on either side.

    Simplified against the reference: the things are blocks, cylinders and cans of 3 to 4.5 cm
    by 7.5 to 9.5 cm that stand in the tray instead of having been dropped; the trays stand
    fast and are turned by at most 34°, since the row of three is 0.63 m long.
    """

    name = "empty_container"
    options_type = EmptyContainerOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        colors = [str(name) for name in rng.choice(_TRAY_COLORS, 2, False)]
        color = self.options.color or colors[0]
        other = next(name for name in (*colors[::-1], *_TRAY_COLORS) if name != color)
        side = float(rng.choice((-1.0, 1.0)))
        frame = layout.place_group(
            [
                Footprint(size=BIG_TRAY[:2]),
                Footprint(center=(0.0, SMALL_TRAY_Y), size=SMALL_TRAY[:2]),
                Footprint(center=(0.0, -SMALL_TRAY_Y), size=SMALL_TRAY[:2]),
            ],
            _work_points(),
            clearance=0.0,
            yaws=_YAWS,
        )
        big = _tray("big tray", BIG_TRAY_COLOR, BIG_TRAY, frame, flare=BIG_TRAY_FLARE)
        places = {color: side * SMALL_TRAY_Y, other: -side * SMALL_TRAY_Y}
        trays = [
            _tray(f"{name} tray", name, SMALL_TRAY, frame @ Pose((0.0, y, 0.0)))
            for name, y in places.items()
        ]
        self.tray = trays[0]
        self.objects = _objects(rng, frame)
        by_side = sorted(trays, key=lambda tray: -tray.item.pose.position[1])
        self.props = (big, *by_side, *self.objects)
        self.target = self.tray.name
        self.instructions = (
            f"empty the container in the to {color} container",
            f"move everything from the big tray into the {color} tray",
            f"clear all the items from the large tray and put them in the {color} one",
            f"empty the big tray into the {color} tray",
            f"put all three things in the {color} tray",
        )

    def success(self, evidence: Evidence) -> Verdict:
        outside = [item.name for item in self.objects if not self._is_inside(evidence, item)]
        if outside:
            return Verdict(
                is_success=False,
                message=f"{OBJECT_COUNT - len(outside)} of {OBJECT_COUNT} things are in the "
                f"{self.tray.name}; not: {', '.join(outside)}",
            )
        for item in self.objects:
            if not is_left_alone(evidence, item.name):
                return Verdict(is_success=False, message=f"{item.name} still moves or is touched")
        return Verdict(is_success=True, message=f"all three things are in the {self.tray.name}")

    def _is_inside(self, evidence: Evidence, prop: Prop) -> bool:
        dx, dy, dz = offset_in(evidence, prop.name, self.tray)
        width, length, height = SMALL_TRAY
        # Standing or lying on the floor: the centre is not higher than half its height.
        is_low = -0.5 * height < dz < WALL - 0.5 * height + 0.5 * prop.item.size[2] + 0.015
        return abs(dx) < 0.5 * width and abs(dy) < 0.5 * length and is_low


_TRAY_COLORS = tuple(name for name in COLOR_NAMES if name != BIG_TRAY_COLOR)


def _work_points() -> list[WorkPoint]:
    """Over the things' places, and where they go, the hand along or across the trays."""
    height = OBJECT_HEIGHT[0]
    ring = [
        (_SPREAD * math.cos(angle), _SPREAD * math.sin(angle))
        for angle in np.arange(0.0, 2.0 * math.pi, 0.25 * math.pi)
    ]
    rows = [(x, sign * SMALL_TRAY_Y) for sign in (-1.0, 1.0) for x in (-0.065, 0.065)]
    return [
        WorkPoint(position=(x, y, height), symmetry=symmetry, lift=0.14)
        for places, symmetry in ((ring, 0), (rows, 4))
        for x, y in places
    ]


def _tray(name: str, color: str, size: Vector3, frame: Pose, *, flare: float = 0.0) -> Prop:
    item = SceneObject(
        name=name,
        category="container",
        color=color,
        pose=frame @ Pose((0.0, 0.0, 0.5 * size[2])),
        size=size,
        yaw_symmetry=4 if size[0] == size[1] else 2,
        is_fixed=True,
        solids=tray_solids(size, wall=WALL, flare=flare),
    )
    return Prop(item=item)


def _objects(rng: np.random.Generator, frame: Pose) -> tuple[Prop, ...]:
    kinds = [str(kind) for kind in rng.choice(KINDS, OBJECT_COUNT)]
    colors = [str(name) for name in rng.choice(COLOR_NAMES, OBJECT_COUNT)]
    names = numbered([f"{c} {k}" for c, k in zip(colors, kinds, strict=True)])
    return tuple(
        _object(rng, name, color, kind, frame @ Pose(place))
        for name, color, kind, place in zip(names, colors, kinds, _places(rng), strict=True)
    )


def _places(rng: np.random.Generator) -> list[Vector3]:
    """Places in the big tray that leave room for the fingers between them."""
    while True:
        points = rng.uniform(-_SPREAD, _SPREAD, (OBJECT_COUNT, 2))
        gaps = [math.dist(points[i], points[i - 1]) for i in range(OBJECT_COUNT)]
        if np.hypot(*points.T).max() <= _SPREAD and min(gaps) >= _SPACING:
            return [(float(x), float(y), WALL) for x, y in points]


def _object(rng: np.random.Generator, name: str, color: str, kind: str, foot: Pose) -> Prop:
    width, height = float(rng.uniform(*OBJECT_WIDTH)), float(rng.uniform(*OBJECT_HEIGHT))
    yaw = float(rng.uniform(-math.pi, math.pi))
    size = (width, width, height)
    is_box = kind == "block"
    item = SceneObject(
        name=name,
        category=kind,
        color=color,
        pose=foot @ Pose.from_yaw((0.0, 0.0, 0.5 * height), yaw),
        size=size,
        yaw_symmetry=4 if is_box else 0,
        solids=() if is_box else (Solid(shape="cylinder", size=size),),
    )
    grasp = top_down((0.0, 0.0, 0.5 * height - _GRASP_DEPTH), 0.0)
    return Prop(item=item, mass=OBJECT_MASS, grasp=grasp)
