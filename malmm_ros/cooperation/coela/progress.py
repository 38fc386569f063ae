"""What an agent knows, in words: the progress slot of its prompts."""

from __future__ import annotations

import math

from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import name_of
from malmm_ros.cooperation.transport.layout import Room
from malmm_ros.cooperation.transport.memory import KnownTeammate
from malmm_ros.cooperation.transport.observation import Hands, HeldObject

_LEVELS = {"none": "nothing", "part": "part", "all": "all"}


def describe_progress(memory: Memory) -> str:
    """Time, deliveries, own hands, this room, teammates, the other rooms; a line each."""
    lines = [_time(memory), _deliveries(memory), _own_hands(memory), *_here(memory)]
    lines += [_teammate(memory, mate) for mate in memory.semantic.teammates.values()]
    here = memory.semantic.now.room
    lines += [
        _room(memory, room)
        for room in memory.briefing.rooms
        if room.name != here and room.kind != "Porch"
    ]
    return "\n".join(lines)


def describe_goal(memory: Memory) -> str:
    """The sub-goals with their counts."""
    goal = memory.briefing.goal
    parts = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in goal.items()]
    listed = ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"Transport {listed} to the bed: {sum(goal.values())} targets in all."


def _time(memory: Memory) -> str:
    rules, frame = memory.briefing.rules, memory.semantic.now.frame
    return (
        f"{frame} of {rules.horizon_frames} frames have passed; "
        f"{rules.horizon_frames - frame} are left."
    )


def _deliveries(memory: Memory) -> str:
    done = memory.semantic.delivered
    total = sum(memory.briefing.goal.values())
    if not done:
        return f"As far as I know, none of the {total} targets is delivered."
    listed = ", ".join(name_of(kind, number) for number, kind in sorted(done.items()))
    return f"As far as I know, {len(done)} of {total} targets are delivered: {listed}."


def _own_hands(memory: Memory) -> str:
    capacity = memory.briefing.rules.capacity
    return f"My hands hold {_hands(memory.semantic.now.held, capacity)}."


def _hands(hands: Hands, capacity: int) -> str:
    held = [_held(hand, capacity) for hand in hands if hand is not None]
    if not held:
        return "nothing"
    if len(held) == 1:
        return f"{held[0]}; one hand is free"
    return f"{held[0]} and {held[1]}; no hand is free"


def _held(hand: HeldObject, capacity: int) -> str:
    name = f"{hand.category} {name_of(hand.kind, hand.id)}"
    if hand.category != "container":
        return name
    listed = ", ".join(name_of(kind, number) for number, kind in hand.contents) or "nothing"
    return f"{name} with {listed} in it ({len(hand.contents)} of {capacity})"


def _here(memory: Memory) -> list[str]:
    name = memory.semantic.now.room
    room = next((room for room in memory.briefing.rooms if room.name == name), None)
    if room is None:
        return ["I am between rooms."]
    bed = memory.semantic.bed
    lines = [f"I am in {room.name}. {_level(memory, room)}{_findings(memory, room)}"]
    if bed is None:
        lines.append(f"I have not seen the bed yet; it is in {memory.briefing.bedroom.name}.")
    else:
        lines.append(
            f"The bed is in {memory.briefing.bedroom.name}, {memory.frames_to(*bed):.0f} frames "
            "from here."
        )
    return lines


def _room(memory: Memory, room: Room) -> str:
    way = memory.frames_to(*room.inside.centre)
    far = f"{way:.0f} frames from here" if math.isfinite(way) else "without a way from here"
    return f"{room.name} is {far}. {_level(memory, room)}{_findings(memory, room)}"


def _level(memory: Memory, room: Room) -> str:
    level, share = memory.explored(room)
    seen = "" if level == "none" else f" ({100 * share:.0f} % seen)"
    return f"I have explored {_LEVELS[level]} of it{seen}"


def _findings(memory: Memory, room: Room) -> str:
    found = [
        f"{item.category} {name_of(item.kind, item.id)}"
        for item in sorted(memory.semantic.objects.values(), key=lambda item: item.id)
        if item.where == "lying"
        and item.category in ("target", "container")
        and memory.briefing.room_at(*item.position[:2]) is room
    ]
    return f" and found {', '.join(found)}." if found else "."


def _teammate(memory: Memory, mate: KnownTeammate) -> str:
    if mate.seen < 0 or mate.held is None:
        return f"I do not know where {mate.name} is or what {mate.name} holds."
    age = memory.semantic.now.frame - mate.seen
    when = "I see" if age == 0 else f"{age} frames ago I saw"
    held = _hands(mate.held, memory.briefing.rules.capacity)
    return f"{when} {mate.name} in {mate.room or 'a door'}, holding {held}."
