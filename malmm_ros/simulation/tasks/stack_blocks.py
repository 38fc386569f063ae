"""Stack two, three or four blocks of one colour on the target area."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import AREA_HEIGHT, Prop, block, flat_area
from malmm_ros.simulation.tasks.conditions import is_left_alone, is_within, stands_at_level
from malmm_ros.simulation.tasks.naming import NUMBER_WORDS, numbered
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BLOCK_EDGE = 0.05
BLOCK_MASS = 0.125
BLOCKS_PER_COLOR = 4
AREA_EDGE = 0.075
AREA_COLOR = "green"
# The tool point lifts over a tower of four and sets the last block down from above.
WORK_HEIGHT = 0.25
# Between the centres of neighbours in the tower, seen from above.
COLUMN_RADIUS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class StackBlocksOptions:
    """Options of the task stack_blocks.

    Attributes:
        color: Of the blocks to stack; empty: drawn.
        other_color: Of the four other blocks; empty: drawn.
        count: How many, 2 to 4; 0: drawn.
    """

    color: str = ""
    other_color: str = ""
    count: int = 0

    def __post_init__(self) -> None:
        for field in ("color", "other_color"):
            value = getattr(self, field)
            if value and value not in COLOR_NAMES:
                raise UnknownNameError(f"task stack_blocks: {field}", value, COLOR_NAMES)
        if self.color and self.color == self.other_color:
            raise ConfigurationError(
                "task stack_blocks: other_color", f"must differ from color {self.color!r}"
            )
        if self.count not in (0, 2, 3, 4):
            raise ConfigurationError(
                "task stack_blocks: count", f"must be 2, 3 or 4 (0: drawn), got {self.count}"
            )


class StackBlocks(Task):
    """Four blocks of the named colour, four of another, one small flat area."""

    name = "stack_blocks"
    options_type = StackBlocksOptions

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        drawn_color, other_color = (str(name) for name in rng.choice(COLOR_NAMES, 2, False))
        drawn_count = int(rng.integers(2, BLOCKS_PER_COLOR + 1))
        self.color = self.options.color or drawn_color
        self.count = self.options.count or drawn_count
        if other_color == self.color:
            other_color = drawn_color
        other_color = self.options.other_color or other_color
        colors = [self.color] * BLOCKS_PER_COLOR + [other_color] * BLOCKS_PER_COLOR
        colors = [str(name) for name in rng.permutation(colors)]
        # The hand is 0.2 wide: nothing else stands where it works on the tower.
        area_pose = layout.place(
            (AREA_EDGE, AREA_EDGE, AREA_HEIGHT),
            clearance=0.15,
            work_height=WORK_HEIGHT,
            border=0.08,
        )
        self.area = flat_area(
            f"{AREA_COLOR} target area", color=AREA_COLOR, edge=AREA_EDGE, pose=area_pose
        )
        size = (BLOCK_EDGE, BLOCK_EDGE, BLOCK_EDGE)
        self.blocks = tuple(
            block(
                name,
                color=color,
                edge=BLOCK_EDGE,
                pose=layout.place(size, clearance=0.1),
                mass=BLOCK_MASS,
            )
            for name, color in zip(numbered([f"{c} block" for c in colors]), colors, strict=True)
        )
        self.props = (*self.blocks, self.area)
        self.target = self.area.name
        self.instructions = _phrasings(self.color, self.count)

    def success(self, evidence: Evidence) -> Verdict:
        column = max(
            (self._column(evidence, item) for item in self._candidates(evidence, 0)),
            key=len,
            default=(),
        )
        if len(column) < self.count:
            return Verdict(
                is_success=False,
                message=f"{len(column)} of {self.count} {self.color} blocks stand in a column "
                f"on the {self.area.name}",
            )
        for item in column:
            if not is_left_alone(evidence, item.name):
                return Verdict(is_success=False, message=f"{item.name} still moves or is touched")
        names = ", ".join(item.name for item in column)
        return Verdict(
            is_success=True,
            message=f"{len(column)} {self.color} blocks stand on the {self.area.name}: {names}",
        )

    def _candidates(self, evidence: Evidence, level: int) -> tuple[Prop, ...]:
        """Blocks of the named colour that stand at a level over the area."""
        return tuple(
            item
            for item in self.blocks
            if item.item.color == self.color
            and stands_at_level(evidence, item, level)
            and is_within(evidence, item.name, self.area)
        )

    def _column(self, evidence: Evidence, base: Prop) -> tuple[Prop, ...]:
        """The base and what stands on it, block on block."""
        column = [base]
        while True:
            below = column[-1]
            resting_on_it = evidence.touching(below.name)
            above = [
                item
                for item in self._candidates(evidence, len(column))
                if item.name in resting_on_it and _offset(evidence, item, below) <= COLUMN_RADIUS
            ]
            if not above:
                return tuple(column)
            column.append(above[0])


def _offset(evidence: Evidence, first: Prop, second: Prop) -> float:
    a, b = evidence.pose(first.name).position, evidence.pose(second.name).position
    return math.hypot(a[0] - b[0], a[1] - b[1])


def _phrasings(color: str, count: int) -> tuple[str, ...]:
    word = NUMBER_WORDS[count]
    return (
        f"stack {count} {color} blocks",
        f"stack {count} {color} blocks on the {AREA_COLOR} target area",
        f"place {count} of the {color} blocks on top of each other on the target area",
        f"build a tower of {word} {color} blocks on the {AREA_COLOR} target area",
        f"stack {word} {color} blocks on the target",
    )
