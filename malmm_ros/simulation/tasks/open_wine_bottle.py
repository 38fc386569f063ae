"""Pull the cap off the bottle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.physics import Physics
from malmm_ros.simulation.tasks.conditions import offset_in
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BOTTLE_DIAMETER = 0.0745
BOTTLE_HEIGHT = 0.298
BODY_HEIGHT = 0.20
NECK_DIAMETER = 0.026
BOTTLE_MASS = 1.3
BOTTLE_COLORS = ("green", "olive", "maroon", "navy", "teal")
CAP_DIAMETER = (0.028, 0.032)
CAP_HEIGHT = 0.020
CAP_MASS = 0.01
CAP_COLORS = ("red", "yellow", "silver", "orange", "black")
# Upward pull at which the cap comes loose; the bottle weighs about 13 N.
PULL_FORCE = 6.0
# The cap is off when its centre has left this cylinder around its seat.
SEAT_RADIUS = 0.015
SEAT_HEIGHT = 0.015
_SEAL = "seal"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWineBottleOptions:
    """Options of the task open_wine_bottle.

    Attributes:
        color: Of the bottle; empty: drawn.
    """

    color: str = ""

    def __post_init__(self) -> None:
        if self.color and self.color not in BOTTLE_COLORS:
            raise UnknownNameError("task open_wine_bottle: color", self.color, BOTTLE_COLORS)


class OpenWineBottle(Task):
    """A full bottle with a cap on its mouth.

    Simplified against the reference: the cap is held by a joint that breaks for good when it
    is pulled upward hard enough, and is not turned; the shoulder of the bottle is a step.
    """

    name = "open_wine_bottle"
    options_type = OpenWineBottleOptions
    watches_steps = True

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        drawn = str(rng.choice(BOTTLE_COLORS))
        size = (BOTTLE_DIAMETER, BOTTLE_DIAMETER, BOTTLE_HEIGHT)
        pose = layout.place(
            size, clearance=0.2, symmetry=0, work_height=BOTTLE_HEIGHT + 0.01, lift=0.12
        )
        self.bottle = _bottle(self.options.color or drawn, pose)
        self.cap = _cap(str(rng.choice(CAP_COLORS)), float(rng.uniform(*CAP_DIAMETER)), pose)
        self.props = (self.bottle, self.cap)
        self.target = self.bottle.name
        self.instructions = (
            "open the wine bottle",
            "open wine bottle",
            "take the cap off the wine bottle",
            "remove the cap from the wine bottle",
            "uncap the bottle",
        )

    def build(self, spec: mujoco.MjSpec) -> None:
        super().build(spec)
        seal = spec.add_equality(
            name=_SEAL,
            type=mujoco.mjtEq.mjEQ_WELD,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=self.bottle.name,
            name2=self.cap.name,
        )
        # Without an anchor and a pose the compiler takes the bodies as they are placed.
        data = np.array(seal.data)
        data[:10] = 0.0
        seal.data = data
        seal.solref = [0.005, 1.0]

    def start(self, physics: Physics) -> None:
        self._seal = int(physics.model.equality(_SEAL).id)

    def after_step(self, physics: Physics) -> None:
        """Break the seal when it is pulled hard enough."""
        data = physics.data
        if not data.eq_active[self._seal]:
            return
        rows = np.flatnonzero(
            (data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & (data.efc_id == self._seal)
        )
        # The first three of a weld's rows are forces along the world's axes.
        if len(rows) and abs(float(data.efc_force[rows[2]])) > PULL_FORCE:
            data.eq_active[self._seal] = 0

    def success(self, evidence: Evidence) -> Verdict:
        dx, dy, dz = offset_in(evidence, self.cap.name, self.bottle)
        aside, above = math.hypot(dx, dy), dz - 0.5 * (BOTTLE_HEIGHT + CAP_HEIGHT)
        if aside <= SEAT_RADIUS and abs(above) <= SEAT_HEIGHT:
            return Verdict(is_success=False, message="the cap is on the bottle")
        return Verdict(
            is_success=True,
            message=f"the cap is {math.hypot(aside, above):.3f} m from the bottle's mouth",
        )


def _bottle(color: str, pose: Pose) -> Prop:
    neck = BOTTLE_HEIGHT - BODY_HEIGHT
    item = SceneObject(
        name="wine bottle",
        category="bottle",
        color=color,
        pose=pose,
        size=(BOTTLE_DIAMETER, BOTTLE_DIAMETER, BOTTLE_HEIGHT),
        yaw_symmetry=0,
        solids=(
            Solid(
                shape="cylinder",
                size=(BOTTLE_DIAMETER, BOTTLE_DIAMETER, BODY_HEIGHT),
                pose=Pose((0.0, 0.0, -0.5 * neck)),
            ),
            Solid(
                shape="cylinder",
                size=(NECK_DIAMETER, NECK_DIAMETER, neck),
                pose=Pose((0.0, 0.0, 0.5 * BODY_HEIGHT)),
            ),
        ),
    )
    return Prop(item=item, mass=BOTTLE_MASS)


def _cap(color: str, diameter: float, bottle: Pose) -> Prop:
    size = (diameter, diameter, CAP_HEIGHT)
    item = SceneObject(
        name="cap",
        category="cap",
        color=color,
        pose=bottle @ Pose((0.0, 0.0, 0.5 * (BOTTLE_HEIGHT + CAP_HEIGHT))),
        size=size,
        yaw_symmetry=0,
        solids=(Solid(shape="cylinder", size=size),),
    )
    return Prop(item=item, mass=CAP_MASS)
