"""The stand-in without plans: single steps, turns and grasps towards what is wanted most."""

from __future__ import annotations

import re
from dataclasses import dataclass

from malmm_ros.agents.offline.cooperating.listening import listen
from malmm_ros.agents.offline.cooperating.reading import ROOM, Option, Situation

_LINE = re.compile(
    rf"^(?:(target|container) <\w+> \((\d+)\)|The (bed)|The middle of ({ROOM.pattern})) is "
    r"([\d.]+) m away, (?:(ahead)|(\d+)° to the (left|right))\.$",
    re.M,
)
_HALF_TURN_DEG = 8
_MOST_TRIES = 2
_AT_BED_M, _AT_MIDDLE_M = 2.0, 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """Something with a direction; degrees are positive to the left."""

    what: str
    name: str
    metres: float
    degrees: int


def choose_action(situation: Situation) -> tuple[Option, str]:
    """One action and its reason."""
    if situation.of("put"):
        return situation.of("put")[0], "what I hold goes into the container"
    claimed = listen(situation).claimed
    deeds = "\n".join(situation.deeds)
    for option in situation.of("grasp"):
        if option.thing not in claimed and deeds.count(f"({option.thing})") < _MOST_TRIES:
            return option, "it is in reach"
    goal = _goal(
        situation, [_place(match) for match in _LINE.finditer(situation.progress)], claimed
    )
    if goal is None:
        return _option(situation, "to the left"), "I look around"
    if goal.what == "bed" and goal.metres < _AT_BED_M:
        return _option(situation, "let go"), "I am at the bed"
    if "in the way" in "".join(situation.deeds[-1:]):
        return _option(situation, "to the left"), "something is in the way"
    if abs(goal.degrees) > _HALF_TURN_DEG and "to the left" not in "".join(situation.deeds[-1:]):
        side = "to the left" if goal.degrees > 0 else "to the right"
        return _option(situation, side), f"{goal.name} lies there"
    return _option(situation, "ahead"), f"I go to {goal.name}"


def _goal(now: Situation, places: list[Place], claimed: set[int]) -> Place | None:
    beds = [place for place in places if place.what == "bed"]
    if now.load and (not now.has_free_hand or now.load > 2 or now.left < 700):
        return beds[0] if beds else next((p for p in places if p.name == now.bedroom), None)
    things = [p for p in places if p.what == "target" and int(p.name) not in claimed]
    if things:
        return min(things, key=lambda place: place.metres)
    unseen = {room.name for room in (*now.rooms, *filter(None, [now.here])) if room.level != "all"}
    rooms = [p for p in places if p.name in unseen and p.metres > _AT_MIDDLE_M]
    return min(rooms, key=lambda place: place.metres) if rooms else None


def _place(match: re.Match[str]) -> Place:
    what = match[1] or match[3] or "room"
    degrees = int(match[7]) if match[7] else 0
    return Place(
        what, match[2] or match[4] or "bed", float(match[5]),
        degrees if match[8] == "left" else -degrees,
    )  # fmt: skip


def _option(now: Situation, words: str) -> Option:
    return next((item for item in now.options if words in item.text), now.options[-1])
