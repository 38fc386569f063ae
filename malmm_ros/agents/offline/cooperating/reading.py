"""Read the prompts of a cooperating agent back into what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from malmm_ros.agents.messages import ChatMessage

OptionKind = Literal["send", "put", "grasp", "transport", "explore", "go", "other"]
Duty = Literal["draft", "reason", "choose"]

_NAME = re.compile(r"You are (\w+), a household robot that works (?:alone|together with ([^.]+))")
_SECTION = re.compile(r"^## (.+)$", re.M)
_OPTION = re.compile(r"^([A-Z]+)\. (.*)$", re.M)
THING = re.compile(r"<([a-z_]+)> \((\d+)\)")
ROOM = re.compile(r"<[A-Z]\w*> \(\d+\)")
_COST = re.compile(r"\((?:at most )?(\d+) frames?")
_HOME = re.compile(r"to the bed (\d+) frames?")
_PASSED = re.compile(r"^(\d+) of \d+ frames have passed", re.M)
_LEFT = re.compile(r"; (\d+) are left\.")
_DELIVERED = re.compile(r"(\d+) of (\d+) targets are delivered")
_GOAL = re.compile(r"(\d+) targets in all")
_HANDS = re.compile(r"^My hands hold (.*)\.$", re.M)
_CONTENTS = re.compile(r"with (.*?) in it \((\d+) of (\d+)\)")
_HERE = re.compile(rf"^I am in ({ROOM.pattern})\.(.*)$", re.M)
_THERE = re.compile(rf"^({ROOM.pattern}) is (?:(\d+) frames|without a way) from here\.(.*)$", re.M)
_SEEN = re.compile(r"\((\d+) % seen\)")
_BED = re.compile(rf"bed(?: yet; it)? is in ({ROOM.pattern})(?:, (\d+) frames)?")
_SPOKEN = re.compile(r"^\[(\d+)\] (\w+): (.*)$", re.M)
_SEEN_MATE = re.compile(r"^(?:I see|\d+ frames ago I saw) \w+ in .*?, holding (.*)\.$", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One line of the list.

    Attributes:
        thing: Number of what it is about; −1 for none.
        room: Where it leads.
        cost: Frames.
        home: From there to the bed, frames; 0 where the line says nothing of it.
    """

    label: str
    kind: OptionKind
    text: str
    thing: int = -1
    is_container: bool = False
    room: str = ""
    cost: int = 0
    home: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomFacts:
    """What the agent says of a room."""

    name: str
    level: Literal["none", "part", "all"]
    way: int
    seen: float = 0.0
    things: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """Its kind, ``Kitchen``."""
        return self.name[1:].partition(">")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that a prompt says.

    Attributes:
        kinds: Names of things by their number, as far as they are mentioned.
        load: Targets carried.
        room: In the held container for further targets; 0 without one.
        spoken: Frame, speaker and text, oldest first.
    """

    duty: Duty
    agent: str
    mates: tuple[str, ...]
    goal: str
    total: int
    delivered: tuple[int, ...]
    frame: int
    left: int
    is_holding_container: bool
    held: tuple[int, ...]
    load: int
    space: int
    has_free_hand: bool
    here: RoomFacts | None
    rooms: tuple[RoomFacts, ...]
    bedroom: str
    home: int
    options: tuple[Option, ...]
    spoken: tuple[tuple[int, str, str], ...]
    deeds: tuple[str, ...]
    progress: str
    mates_hold: frozenset[int]
    kinds: dict[int, str] = field(default_factory=dict)

    def of(self, kind: OptionKind) -> list[Option]:
        """The options of a kind."""
        return [option for option in self.options if option.kind == kind]

    def name(self, number: int) -> str:
        """A thing as prompts call it."""
        return f"<{self.kinds.get(number, 'thing')}> ({number})"


def is_cooperating(messages: Sequence[ChatMessage]) -> bool:
    """Whether a chat is one of a cooperating agent."""
    return any(item.role == "system" and _NAME.match(item.content) for item in messages)


def read_situation(messages: Sequence[ChatMessage]) -> Situation:
    """Read a chat of which :func:`is_cooperating` holds."""
    system = next(item.content for item in messages if item.role == "system")
    users = [item.content for item in messages if item.role == "user"]
    named = _NAME.match(system)
    assert named is not None
    parts = _sections(users[0])
    progress, goal = parts.get("Progress", ""), parts.get("Goal", "")
    hands = _HANDS.search(progress)
    held_text = hands[1] if hands else ""
    contents = _CONTENTS.search(held_text)
    targets = [int(m) for m in re.findall(r"target <\w+> \((\d+)\)", held_text)]
    inside = [int(number) for _, number in THING.findall(contents[1])] if contents else []
    bed = _BED.search(progress)
    delivered = next((line for line in progress.splitlines() if "As far as I know" in line), "")
    here = _HERE.search(progress)
    passed = _PASSED.search(progress)
    left, total = _LEFT.search(progress), _GOAL.search(goal)
    mates = tuple(re.split(r",\s*|\s+and\s+", named[2])) if named[2] else ()
    turn = parts.get("Your turn", "")
    return Situation(
        duty="draft" if turn.startswith("Draft") else "choose" if len(users) > 1 else "reason",
        agent=named[1],
        mates=mates,
        goal=goal,
        total=int(total[1]) if total else 0,
        delivered=tuple(int(number) for _, number in THING.findall(delivered)),
        frame=int(passed[1]) if passed else 0,
        left=int(left[1]) if left else 0,
        is_holding_container="container <" in held_text,
        held=(*targets, *inside),
        load=len(targets) + len(inside),
        space=int(contents[3]) - int(contents[2]) if contents else 0,
        has_free_hand="no hand is free" not in held_text,
        here=_room(here[1], 0, here[2]) if here else None,
        rooms=tuple(
            _room(m[1], int(m[2]) if m[2] else 10**6, m[3]) for m in _THERE.finditer(progress)
        ),
        bedroom=bed[1] if bed else "",
        home=int(bed[2]) if bed and bed[2] else -1,
        options=tuple(
            _option(*found) for found in _OPTION.findall(parts.get("Available actions", ""))
        ),
        spoken=tuple((int(m[1]), m[2], m[3]) for m in _SPOKEN.finditer(parts.get("Dialogue", ""))),
        deeds=tuple(parts.get("Your last actions", "").splitlines()),
        progress=progress,
        mates_hold=frozenset(
            int(number) for m in _SEEN_MATE.finditer(progress) for _, number in THING.findall(m[1])
        ),
        kinds={int(number): kind for kind, number in THING.findall("\n".join(users))},
    )


def _room(name: str, way: int, rest: str) -> RoomFacts:
    level: Literal["none", "part", "all"] = "part"
    if "explored all" in rest:
        level = "all"
    elif "explored nothing" in rest:
        level = "none"
    things = tuple(int(number) for _, number in THING.findall(rest))
    seen = _SEEN.search(rest)
    share = 0.01 * int(seen[1]) if seen else 0.0
    return RoomFacts(name=name, level=level, way=way, seen=share, things=things)


def _option(label: str, text: str) -> Option:
    words = text.split()
    first = words[0] if words else ""
    kinds: dict[str, OptionKind] = {
        "send": "send", "put": "put", "grasp": "grasp", "transport": "transport",
        "explore": "explore", "go": "go",
    }  # fmt: skip
    kind = kinds.get(first, "other")
    thing, room = THING.search(text), ROOM.search(text)
    cost, home = _COST.search(text), _HOME.search(text)
    return Option(
        label=label,
        kind=kind,
        text=text,
        thing=int(thing[2]) if thing and kind in ("grasp", "put") else -1,
        is_container="grasp container" in text,
        room=room[0] if room and kind != "send" else "",
        cost=int(cost[1]) if cost else 0,
        home=int(home[1]) if home else 0,
    )


def _sections(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    marks = list(_SECTION.finditer(text))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        found.setdefault(mark[1].strip(), text[mark.end() : end].strip())
    return found
