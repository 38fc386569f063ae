"""Which world a sentence needs: its colours and counts decide what lies on the table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.demo.reading import AREA_WORDS, NUMBERS, asks_only_for_the_area

# "green target area" names the place, not a block.
_AREA_COLOR = re.compile(rf"\bgreen\b(?=\s+(?:{AREA_WORDS})\b)")
_MANY = re.compile(r"\b(stack|pile|tower|column|blocks|cubes|bricks|boxes|another|each|both)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWorld:
    """A task's world to load.

    Attributes:
        task: Name of the task.
        options: Of the task.
        is_own_instruction: Whether the sentence asks for what the task's own condition checks.
    """

    task: str
    options: dict[str, Any]
    is_own_instruction: bool


def choose_world(instruction: str) -> DemoWorld:
    """Pick the task and its colours so that the sentence can be carried out in it.

    Args:
        instruction: In plain words; colours of blocks are taken in the order of mention.
    """
    text = _AREA_COLOR.sub(" ", instruction.lower())
    words = re.findall(r"[a-z]+|\d+", text)
    colors = list(dict.fromkeys(word for word in words if word in COLOR_NAMES))
    counts = [int(word) if word.isdigit() else NUMBERS.get(word, 0) for word in words]
    count = next((number for number in counts if number), 0)
    if len(colors) < 2 and not _MANY.search(text):
        options = {"color": colors[0]} if colors else {}
        is_own = asks_only_for_the_area(instruction)
        return DemoWorld(task="put_block", options=options, is_own_instruction=is_own)
    stack: dict[str, Any] = {}
    if colors:
        stack["color"] = colors[0]
    if len(colors) > 1:
        stack["other_color"] = colors[1]
    is_own = (
        len(colors) == 1
        and count in (2, 3, 4)
        and bool(re.search(r"\b(stack|tower|pile)", text))
        and asks_only_for_the_area(instruction)
    )
    if len(colors) == 1 and count in (2, 3, 4):
        stack["count"] = count
    return DemoWorld(task="stack_blocks", options=stack, is_own_instruction=is_own)
