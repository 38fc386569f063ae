"""Put the block in the target area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import AREA_HEIGHT, block, flat_area
from malmm_ros.simulation.tasks.conditions import is_left_alone, is_within, stands_at_level
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BLOCK_EDGE = (0.056, 0.061)
AREA_EDGE = (0.10, 0.173)
AREA_COLOR = "green"
BLOCK_MASS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBlockOptions:
    """Options of the task put_block.

    Attributes:
        color: Of the block; empty: drawn.
    """

    color: str = ""

    def __post_init__(self) -> None:
        if self.color and self.color not in COLOR_NAMES:
            raise UnknownNameError("task put_block: color", self.color, COLOR_NAMES)


class PutBlock(Task):
    """One block and one flat area."""

    name = "put_block"
    options_type = PutBlockOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        drawn = str(rng.choice(COLOR_NAMES))
        color = self.options.color or drawn
        edge = float(rng.uniform(*BLOCK_EDGE))
        area_edge = float(rng.uniform(*AREA_EDGE))
        area_pose = layout.place((area_edge, area_edge, AREA_HEIGHT), clearance=0.18)
        block_pose = layout.place((edge, edge, edge), clearance=0.18)
        self.area = flat_area(
            f"{AREA_COLOR} target area", color=AREA_COLOR, edge=area_edge, pose=area_pose
        )
        self.block = block(
            f"{color} block", color=color, edge=edge, pose=block_pose, mass=BLOCK_MASS
        )
        self.props = (self.block, self.area)
        self.target = self.area.name
        self.instructions = (
            "put the block in the target area",
            f"put the {color} block in the {AREA_COLOR} target area",
            f"move the {color} block onto the {AREA_COLOR} target area",
            "place the block on the target area",
        )

    def success(self, evidence: Evidence) -> Verdict:
        name = self.block.name
        if not is_within(evidence, name, self.area):
            distance = _distance(evidence.pose(name), evidence.pose(self.area.name))
            return Verdict(
                is_success=False,
                message=f"{name} is {distance:.3f} m from the middle of {self.area.name}",
            )
        if not stands_at_level(evidence, self.block, 0):
            height = evidence.pose(name).position[2] - TABLE_TOP_Z
            return Verdict(
                is_success=False,
                message=f"{name} does not lie flat on the table (centre {height:.3f} m above it)",
            )
        if not is_left_alone(evidence, name):
            return Verdict(is_success=False, message=f"{name} still moves or is touched")
        return Verdict(is_success=True, message=f"{name} rests in {self.area.name}")


def _distance(first: Pose, second: Pose) -> float:
    return float(np.hypot(*np.subtract(first.position[:2], second.position[:2])))
