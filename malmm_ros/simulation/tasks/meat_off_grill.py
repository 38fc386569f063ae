"""Take the named meat off the grill."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import TABLE_TOP_Z, SceneObject
from malmm_ros.simulation.layout import Footprint, Layout, WorkPoint
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.tasks.conditions import is_left_alone, is_within, offset_in
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

GRILL_Z = 1.04
# Together 0.47 × 0.60, the shelf beside the grill and a little lower.
GRILL_SIZE = (0.40, 0.37, GRILL_Z - TABLE_TOP_Z)
SHELF_SIZE = (0.30, 0.21, 0.02)
SHELF_TOP_Z = 1.02
GAP = 0.02
MEATS: dict[str, tuple[Vector3, str, float]] = {
    "chicken": ((0.094, 0.070, 0.042), "orange", 0.2),
    "steak": ((0.088, 0.068, 0.029), "maroon", 0.2),
}
_YAWS = (-0.35, 0.35)
# Places on the grill lie within this of its middle, and at least _SPACING apart.
_SPREAD = 0.105
_SPACING = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class MeatOffGrillOptions:
    """Options of the task meat_off_grill.

    Attributes:
        meat: ``chicken`` or ``steak``; empty: drawn.
    """

    meat: str = ""

    def __post_init__(self) -> None:
        if self.meat and self.meat not in MEATS:
            raise UnknownNameError("task meat_off_grill: meat", self.meat, MEATS)


class MeatOffGrill(Task):
    """A grill with a chicken and a steak on it, and a shelf at its left or right.

    Simplified against the reference: grill and meat are boxes, the meat is up to 1 cm narrower
    (there the grasp is not physical), and the grill is turned by at most 20° or by half a turn
    more, since it fills most of the table.
    """

    name = "meat_off_grill"
    options_type = MeatOffGrillOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        drawn = str(rng.choice(list(MEATS)))
        side = float(rng.choice((-1.0, 1.0)))
        shelf_y = side * 0.5 * (GRILL_SIZE[1] + SHELF_SIZE[1]) + side * GAP
        frame = layout.place_group(
            [
                Footprint(size=GRILL_SIZE[:2]),
                Footprint(center=(0.0, shelf_y), size=SHELF_SIZE[:2]),
            ],
            _work_points(shelf_y),
            clearance=0.0,
            yaws=_YAWS,
        )
        grill = _fixed("grill", "grill", "black", frame, size=GRILL_SIZE, top_z=GRILL_Z)
        self.shelf = _fixed(
            "side shelf",
            "shelf",
            "white",
            frame @ Pose((0.0, shelf_y, 0.0)),
            size=SHELF_SIZE,
            top_z=SHELF_TOP_Z,
        )
        meats = {
            name: _meat(name, frame @ Pose.from_yaw((x, y, 0.0), yaw))
            for name, (x, y, yaw) in zip(MEATS, _places(rng), strict=True)
        }
        self.meat = meats[self.options.meat or drawn]
        self.props = (grill, self.shelf, *meats.values())
        name = self.meat.name
        self.instructions = (
            f"take the {name} off the grill",
            f"pick up the {name} and place it next to the grill",
            f"remove the {name} from the grill and set it down to the side",
            f"put the {name} on the side shelf",
        )

    def success(self, evidence: Evidence) -> Verdict:
        name = self.meat.name
        _, _, dz = offset_in(evidence, name, self.shelf)
        height = dz - 0.5 * SHELF_SIZE[2]
        if not is_within(evidence, name, self.shelf) or not 0.0 < height < 0.06:
            return Verdict(is_success=False, message=f"{name} is not on the {self.shelf.name}")
        if not is_left_alone(evidence, name):
            return Verdict(is_success=False, message=f"{name} still moves or is touched")
        return Verdict(is_success=True, message=f"{name} lies on the {self.shelf.name}")


def _work_points(shelf_y: float) -> list[WorkPoint]:
    """Around the meat's places and over the middle of the shelf."""
    height = GRILL_Z - TABLE_TOP_Z + 0.015
    corners = [(x, y) for x in (-_SPREAD, _SPREAD) for y in (-_SPREAD, _SPREAD)]
    return [
        WorkPoint(position=(x, y, height), symmetry=0, lift=0.12)
        for x, y in (*corners, (0.0, shelf_y))
    ]


def _places(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """x, y and yaw of each meat on the grill."""
    while True:
        points = rng.uniform(-_SPREAD, _SPREAD, (len(MEATS), 2))
        if math.dist(*points) >= _SPACING:
            break
    yaws = rng.uniform(-math.pi, math.pi, len(MEATS))
    return [(float(x), float(y), float(yaw)) for (x, y), yaw in zip(points, yaws, strict=True)]


def _fixed(
    name: str, category: str, color: str, frame: Pose, *, size: Vector3, top_z: float
) -> Prop:
    item = SceneObject(
        name=name,
        category=category,
        color=color,
        pose=frame @ Pose((0.0, 0.0, top_z - TABLE_TOP_Z - 0.5 * size[2])),
        size=size,
        yaw_symmetry=2,
        is_fixed=True,
    )
    return Prop(item=item)


def _meat(name: str, place: Pose) -> Prop:
    size, color, mass = MEATS[name]
    item = SceneObject(
        name=name,
        category="meat",
        color=color,
        pose=place @ Pose((0.0, 0.0, GRILL_Z - TABLE_TOP_Z + 0.5 * size[2])),
        size=size,
        yaw_symmetry=2,
    )
    return Prop(item=item, mass=mass)
