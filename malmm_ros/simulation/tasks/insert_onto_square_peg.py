"""Put the square ring over the peg of the named colour."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation.layout import Footprint, Layout, WorkPoint
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.tasks.conditions import is_left_alone, is_upright, offset_in
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BASE_SIZE = (0.40, 0.10, 0.02)
PEG_SIZE = (0.025, 0.025, 0.12)
PEG_SPACING = 0.125
RING_EDGE = 0.05
RING_BAR = 0.01
RING_HEIGHT = 0.02
RING_MASS = 0.02
# The ring's bottom is at most this far above the base.
_DOWN = 0.006
_BASE_COLOR, _RING_COLOR = "silver", "black"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertOntoSquarePegOptions:
    """Options of the task insert_onto_square_peg.

    Attributes:
        color: Of the peg that gets the ring; empty: drawn.
    """

    color: str = ""

    def __post_init__(self) -> None:
        if self.color and self.color not in COLOR_NAMES:
            raise UnknownNameError("task insert_onto_square_peg: color", self.color, COLOR_NAMES)


class InsertOntoSquarePeg(Task):
    """A base with three pegs and a ring with 2.5 mm of play on each side.

    Simplified against the reference: the base stands fast, and the ring is taken across its
    whole width. The hand cannot go down as far as the base, since the peg would meet the palm:
    the ring is let go around the peg's top and slides down by itself.
    """

    name = "insert_onto_square_peg"
    options_type = InsertOntoSquarePegOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        colors = [str(name) for name in rng.choice(COLOR_NAMES, 4, False)]
        color = self.options.color or colors[0]
        others = [name for name in colors if name != color][:2]
        slots = [int(index) - 1 for index in rng.permutation(3)]
        top = BASE_SIZE[2] + PEG_SIZE[2]
        frame = layout.place_group(
            [Footprint(size=BASE_SIZE[:2])],
            [WorkPoint(position=(PEG_SPACING * slot, 0.0, top)) for slot in (-1, 0, 1)],
            clearance=0.16,
        )
        self.base = _base(frame)
        pegs = [
            _peg(name, frame, slot) for name, slot in zip((color, *others), slots, strict=True)
        ]
        size = (RING_EDGE, RING_EDGE, RING_HEIGHT)
        self.ring = _ring(layout.place(size, clearance=0.16, lift=0.16))
        self.peg = pegs[0]
        from_left = sorted(pegs, key=lambda peg: -peg.item.pose.position[1])
        self.props = (self.base, *from_left, self.ring)
        self.target = self.base.name
        self.groups = ((self.base.name, *(peg.name for peg in pegs)),)
        self.instructions = (
            f"put the ring on the {color} spoke",
            f"put the square ring on the {color} peg",
            f"slide the ring onto the {color} colored spoke",
            f"place the ring onto the {color} peg",
        )

    def success(self, evidence: Evidence) -> Verdict:
        name = self.ring.name
        dx, dy, _ = offset_in(evidence, name, self.peg)
        play = 0.5 * (RING_EDGE - 2.0 * RING_BAR - PEG_SIZE[0])
        if max(abs(dx), abs(dy)) > play + 0.002 or not is_upright(evidence, name):
            return Verdict(
                is_success=False,
                message=f"{name} is {math.hypot(dx, dy):.3f} m from the axis of {self.peg.name}",
            )
        _, _, dz = offset_in(evidence, name, self.base)
        height = dz - 0.5 * (BASE_SIZE[2] + RING_HEIGHT)
        if height > _DOWN:
            return Verdict(
                is_success=False, message=f"{name} is {height:.3f} m above {self.base.name}"
            )
        if not is_left_alone(evidence, name):
            return Verdict(is_success=False, message=f"{name} still moves or is touched")
        return Verdict(is_success=True, message=f"{name} is down on {self.peg.name}")


def _base(frame: Pose) -> Prop:
    item = SceneObject(
        name="peg base",
        category="base",
        color=_BASE_COLOR,
        pose=frame @ Pose((0.0, 0.0, 0.5 * BASE_SIZE[2])),
        size=BASE_SIZE,
        yaw_symmetry=2,
        is_fixed=True,
    )
    return Prop(item=item)


def _peg(color: str, frame: Pose, slot: int) -> Prop:
    height = BASE_SIZE[2] + 0.5 * PEG_SIZE[2]
    item = SceneObject(
        name=f"{color} peg",
        category="peg",
        color=color,
        pose=frame @ Pose((PEG_SPACING * slot, 0.0, height)),
        size=PEG_SIZE,
        yaw_symmetry=4,
        is_fixed=True,
    )
    return Prop(item=item)


def _ring(pose: Pose) -> Prop:
    side = 0.5 * (RING_EDGE - RING_BAR)
    inner = RING_EDGE - 2.0 * RING_BAR
    bars = [
        Solid(
            shape="box",
            size=(RING_BAR, RING_EDGE, RING_HEIGHT),
            pose=Pose((sign * side, 0.0, 0.0)),
        )
        for sign in (-1.0, 1.0)
    ] + [
        Solid(shape="box", size=(inner, RING_BAR, RING_HEIGHT), pose=Pose((0.0, sign * side, 0.0)))
        for sign in (-1.0, 1.0)
    ]
    item = SceneObject(
        name="square ring",
        category="ring",
        color=_RING_COLOR,
        pose=pose,
        size=(RING_EDGE, RING_EDGE, RING_HEIGHT),
        yaw_symmetry=4,
        solids=tuple(bars),
    )
    return Prop(item=item, mass=RING_MASS)
