"""Put the rubbish into the bin and leave the tomatoes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.geometry import Pose
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.shapes import funnel_solids
from malmm_ros.simulation.tasks.conditions import is_left_alone, offset_in
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BIN_TOP = 0.20
BIN_BOTTOM = 0.15
BIN_HEIGHT = 0.19
BIN_WALL = 0.003
RUBBISH_SIZE = (0.087, 0.050, 0.034)
RUBBISH_MASS = 0.05
TOMATO_DIAMETER = 0.066
TOMATO_MASS = 0.1
# The cylinder near the bin's floor in which the rubbish's centre must be.
FLOOR_RADIUS = 0.07
FLOOR_HEIGHT = 0.09


@dataclass(frozen=True, slots=True, kw_only=True)
class PutRubbishInBinOptions:
    """The task put_rubbish_in_bin has no options."""


class PutRubbishInBin(Task):
    """A bin, a piece of rubbish and two tomatoes.

    Simplified against the reference: the bin has eight flat sides and stands fast, the rubbish
    is a box instead of crumpled paper, and a tomato is a ball that rolls little.
    """

    name = "put_rubbish_in_bin"
    options_type = PutRubbishInBinOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        size = (BIN_TOP, BIN_TOP, BIN_HEIGHT)
        self.bin = _bin(
            layout.place(
                size,
                clearance=0.26,
                symmetry=0,
                work_height=BIN_HEIGHT + 0.06,
                border=-0.04,
            )
        )
        self.rubbish = Prop(
            item=SceneObject(
                name="rubbish",
                category="rubbish",
                color="silver",
                pose=layout.place(RUBBISH_SIZE, clearance=0.14, symmetry=2, lift=0.2),
                size=RUBBISH_SIZE,
                yaw_symmetry=2,
            ),
            mass=RUBBISH_MASS,
        )
        tomatoes = [_tomato(index, layout) for index in (1, 2)]
        props = [self.bin, self.rubbish, *tomatoes]
        self.props = tuple(props[index] for index in rng.permutation(len(props)))
        self.target = self.bin.name
        self.instructions = (
            "put rubbish in bin",
            "put the rubbish in the bin",
            "drop the rubbish into the bin",
            "pick up the rubbish and leave it in the trash can",
            "throw away the rubbish, leaving any other objects alone",
        )

    def success(self, evidence: Evidence) -> Verdict:
        name = self.rubbish.name
        dx, dy, dz = offset_in(evidence, name, self.bin)
        height = dz + 0.5 * BIN_HEIGHT
        if math.hypot(dx, dy) > FLOOR_RADIUS or not 0.0 < height < FLOOR_HEIGHT:
            return Verdict(
                is_success=False,
                message=f"{name} is {math.hypot(dx, dy):.3f} m from the middle of the bin and "
                f"{height:.3f} m above its floor",
            )
        if not is_left_alone(evidence, name):
            return Verdict(is_success=False, message=f"{name} still moves or is touched")
        return Verdict(is_success=True, message=f"{name} lies in the bin")


def _bin(pose: Pose) -> Prop:
    half = 0.5 * BIN_HEIGHT
    floor = Solid(
        shape="cylinder",
        size=(BIN_BOTTOM, BIN_BOTTOM, BIN_WALL),
        pose=Pose((0.0, 0.0, 0.5 * BIN_WALL - half)),
    )
    walls = funnel_solids(
        bottom_radius=0.5 * BIN_BOTTOM - BIN_WALL,
        top_radius=0.5 * BIN_TOP - BIN_WALL,
        low=-half + BIN_WALL,
        high=half,
        wall=BIN_WALL,
        sides=8,
    )
    item = SceneObject(
        name="bin",
        category="bin",
        color="gray",
        pose=pose,
        size=(BIN_TOP, BIN_TOP, BIN_HEIGHT),
        yaw_symmetry=0,
        is_fixed=True,
        solids=(floor, *walls),
    )
    return Prop(item=item)


def _tomato(index: int, layout: Layout) -> Prop:
    size = (TOMATO_DIAMETER,) * 3
    item = SceneObject(
        name=f"tomato {index}",
        category="tomato",
        color="red",
        pose=layout.place(size, clearance=0.14, symmetry=0),
        size=size,
        yaw_symmetry=0,
        solids=(Solid(shape="sphere", size=size),),
    )
    return Prop(item=item, mass=TOMATO_MASS)
