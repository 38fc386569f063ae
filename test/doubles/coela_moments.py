"""What an agent in the two small rooms sees, holds and hears."""

from __future__ import annotations

from typing import Any

import numpy as np

from malmm_ros.cooperation.transport.catalog import THINGS
from malmm_ros.cooperation.transport.observation import HeldObject, Message, VisibleObject

KITCHEN, BEDROOM = "<Kitchen> (1000)", "<Bedroom> (2000)"
FLOOR = np.array(
    [[x / 8 + 0.06, y / 8 + 0.06, 0.0] for x in range(1, 46) for y in range(1, 39)], np.float32
)
NOTHING = np.empty((0, 3), np.float32)


def category_of(kind: str) -> Any:
    return "container" if THINGS[kind].is_container else "target"


def seen(number: int, kind: str, x: float, y: float = 1.0) -> VisibleObject:
    return VisibleObject(id=number, kind=kind, category=category_of(kind), position=(x, y, 0.05))


def bed() -> VisibleObject:
    return VisibleObject(id=1, kind="bed", category="bed", position=(10.5, 2.3, 0.25))


def held(number: int, kind: str, *contents: int) -> HeldObject:
    inside = tuple((item, "apple") for item in contents)
    return HeldObject(id=number, kind=kind, category=category_of(kind), contents=inside)


def said(sender: str, text: str, frame: int = 0) -> Message:
    return Message(sender=sender, text=text, frame=frame)
