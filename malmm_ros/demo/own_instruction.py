"""Whether a sentence asks for just what its world's task checks by itself."""

from __future__ import annotations

import re

from malmm_ros.cli.worlds import NeededWorld
from malmm_ros.demo.reading import asks_only_for_the_area


def is_own_instruction(instruction: str, world: NeededWorld) -> bool:
    """Whether the task's own condition must hold when the sentence was carried out.

    Args:
        instruction: In plain words.
        world: Chosen for it.
    """
    if world.task == "put_block":
        return asks_only_for_the_area(instruction)
    if world.task == "stack_blocks":
        is_tower = bool(re.search(r"\b(stack|tower|pile)", instruction.lower()))
        return "count" in world.options and is_tower and asks_only_for_the_area(instruction)
    return False
