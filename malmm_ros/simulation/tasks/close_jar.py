"""Set the lid on the jar of the named colour."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.tasks.conditions import is_left_alone, is_upright, offset_in
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

JAR_DIAMETER = 0.09
JAR_HEIGHT = 0.11
NECK_DIAMETER = 0.069
NECK_HEIGHT = 0.02
LID_DIAMETER = 0.074
LID_HEIGHT = 0.021
LID_COLOR = "gray"
LID_MASS = 0.05
# Half extents of the box at the jar's top in which the lid's centre must be.
TOP_BOX = (0.025, 0.025, 0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseJarOptions:
    """Options of the task close_jar.

    Attributes:
        color: Of the jar to close; empty: drawn.
        other_color: Of the other jar; empty: drawn.
    """

    color: str = ""
    other_color: str = ""

    def __post_init__(self) -> None:
        for field in ("color", "other_color"):
            value = getattr(self, field)
            if value and value not in COLOR_NAMES:
                raise UnknownNameError(f"task close_jar: {field}", value, COLOR_NAMES)
        if self.color and self.color == self.other_color:
            raise ConfigurationError(
                "task close_jar: other_color", f"must differ from color {self.color!r}"
            )


class CloseJar(Task):
    """Two jars and one lid.

    Simplified against the reference: the lid is a solid disc that rests on the neck instead of
    a hollow one around it, and the jars are solid and stand where they are. As there, it need
    not be turned.
    """

    name = "close_jar"
    options_type = CloseJarOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        drawn, other = (str(name) for name in rng.choice(COLOR_NAMES, 2, False))
        color = self.options.color or drawn
        other = self.options.other_color or (drawn if other == color else other)
        jar_size = (JAR_DIAMETER, JAR_DIAMETER, JAR_HEIGHT)
        jars = [
            _jar(
                name,
                layout.place(
                    jar_size, clearance=0.2, symmetry=0, work_height=JAR_HEIGHT + 0.02, lift=0.14
                ),
            )
            for name in (color, other)
        ]
        lid_size = (LID_DIAMETER, LID_DIAMETER, LID_HEIGHT)
        # Turning by up to 0.6 π makes no difference to round things.
        self.lid = Prop(
            item=SceneObject(
                name="lid",
                category="lid",
                color=LID_COLOR,
                pose=layout.place(lid_size, clearance=0.2, symmetry=0),
                size=lid_size,
                yaw_symmetry=0,
                solids=(Solid(shape="cylinder", size=lid_size),),
            ),
            mass=LID_MASS,
        )
        self.jar = jars[0]
        order = rng.permutation(2)
        self.props = (*(jars[index] for index in order), self.lid)
        self.target = self.jar.name
        self.instructions = (
            f"close the {color} jar",
            f"close the {color} jar with the lid",
            f"put the lid on the {color} jar",
            f"screw on the {color} jar lid",
            f"grab the lid and set it on top of the {color} jar to close it",
        )

    def success(self, evidence: Evidence) -> Verdict:
        dx, dy, dz = offset_in(evidence, self.lid.name, self.jar)
        dz -= 0.5 * (JAR_HEIGHT + LID_HEIGHT)
        inside = all(abs(value) <= half for value, half in zip((dx, dy, dz), TOP_BOX, strict=True))
        if not inside:
            return Verdict(
                is_success=False,
                message=f"lid is {math.hypot(dx, dy):.3f} m beside and {dz:+.3f} m above its "
                f"place on the {self.jar.name}",
            )
        if not is_upright(evidence, self.lid.name):
            return Verdict(is_success=False, message=f"lid lies tilted on the {self.jar.name}")
        if not is_left_alone(evidence, self.lid.name):
            return Verdict(is_success=False, message="lid still moves or is touched")
        return Verdict(is_success=True, message=f"lid closes the {self.jar.name}")


def _jar(color: str, pose: Pose) -> Prop:
    body = JAR_HEIGHT - NECK_HEIGHT
    item = SceneObject(
        name=f"{color} jar",
        category="jar",
        color=color,
        pose=pose,
        size=(JAR_DIAMETER, JAR_DIAMETER, JAR_HEIGHT),
        yaw_symmetry=0,
        is_fixed=True,
        solids=(
            Solid(
                shape="cylinder",
                size=(JAR_DIAMETER, JAR_DIAMETER, body),
                pose=Pose((0.0, 0.0, 0.5 * (body - JAR_HEIGHT))),
            ),
            Solid(
                shape="cylinder",
                size=(NECK_DIAMETER, NECK_DIAMETER, NECK_HEIGHT),
                pose=Pose((0.0, 0.0, 0.5 * (JAR_HEIGHT - NECK_HEIGHT))),
            ),
        ),
    )
    return Prop(item=item)
