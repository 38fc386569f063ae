"""Which world a sentence needs: what it names decides what lies on the table."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any

from malmm_ros.colors import COLOR_NAMES

_AREA_WORDS = "target|area|zone|square|pad|patch|spot|goal|mat|region"
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}
# "green target area" names the place, not a block.
_AREA_COLOR = re.compile(rf"\bgreen\b(?=\s+(?:{_AREA_WORDS})\b)")
_MANY = re.compile(r"\b(stack|pile|tower|column|blocks|cubes|bricks|boxes|another|each|both)\b")
# What only one task's world has; the first that a sentence names decides.
_NAMED: tuple[tuple[str, str], ...] = (
    (r"jars?|lid", "close_jar"),
    (r"ring|spokes?|pegs?", "insert_onto_square_peg"),
    (r"balls?|basketball|hoop|basket", "basketball_in_hoop"),
    (r"bottle|wine|cap", "open_wine_bottle"),
    (r"rubbish|trash|garbage|tomato|tomatoes|bin", "put_rubbish_in_bin"),
    (r"chicken|steak|meat|grill|shelf", "meat_off_grill"),
    (r"trays?|containers?", "empty_container"),
)
_COLORED = ("close_jar", "insert_onto_square_peg", "empty_container")
# One letter wrong or two swapped in a longer name still read as meant; "block" is not "black".
_SIMILAR = 0.82


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededWorld:
    """A task's world to load.

    Attributes:
        task: Name of the task.
        options: Of the task.
    """

    task: str
    options: dict[str, Any]


def choose_world(instruction: str) -> NeededWorld:
    """Pick the task and its colours so that the sentence can be carried out in it.

    Args:
        instruction: In plain words; colours of blocks are taken in the order of mention.
    """
    text = _AREA_COLOR.sub(" ", instruction.lower())
    words = re.findall(r"[a-z]+|\d+", text)
    colors = list(dict.fromkeys(color for word in words if (color := _color(word))))
    for pattern, task in _NAMED:
        if re.search(rf"\b(?:{pattern})\b", text):
            return NeededWorld(task=task, options=_named_options(task, text, colors))
    if len(colors) < 2 and not _MANY.search(text):
        return NeededWorld(task="put_block", options={"color": colors[0]} if colors else {})
    options: dict[str, Any] = dict(zip(("color", "other_color"), colors, strict=False))
    counts = [int(word) if word.isdigit() else _NUMBERS.get(word, 0) for word in words]
    count = next((number for number in counts if number), 0)
    if len(colors) == 1 and count in (2, 3, 4):
        options["count"] = count
    return NeededWorld(task="stack_blocks", options=options)


def _color(word: str) -> str:
    """The colour that a word names, with a slip of the pen; empty for other words."""
    if word in COLOR_NAMES or len(word) < len("blue"):
        return word if word in COLOR_NAMES else ""
    near = difflib.get_close_matches(word, COLOR_NAMES, n=1, cutoff=_SIMILAR)
    return near[0] if near else {"grey": "gray"}.get(word, "")


def _named_options(task: str, text: str, colors: list[str]) -> dict[str, Any]:
    if task in _COLORED and colors:
        return {"color": colors[0]}
    if task == "meat_off_grill":
        meat = re.search(r"\b(chicken|steak)\b", text)
        return {"meat": meat[1]} if meat else {}
    return {}
