"""Without the execution module: the model chooses every single action itself."""

from __future__ import annotations

import math

from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option, count_frames, name_of
from malmm_ros.cooperation.transport.actions import (
    FORWARD,
    PUT,
    TURN_LEFT,
    TURN_RIGHT,
    drop,
    grasp,
)

_DEGREES_ALIKE = 5


def list_actions(memory: Memory) -> list[Option]:
    """Put, grasp what is in reach, let go, step and turn, each with its cost."""
    semantic, rules = memory.semantic, memory.briefing.rules
    options: list[Option] = []
    container, target = semantic.held("container"), semantic.held("target")
    if container and target and len(container.contents) < rules.capacity:
        words = (
            f"put {name_of(target.kind, target.id)} into {name_of(container.kind, container.id)}"
        )
        cost = count_frames(rules.frames(rules.put_frames))
        options.append(Option(text=f"{words} ({cost})", deed=words, action=PUT))
    options += _grasps(memory)
    for arm in (0, 1):
        hand = semantic.now.held[arm]
        if hand is not None:
            words = f"let go of {name_of(hand.kind, hand.id)}"
            cost = count_frames(rules.frames(rules.drop_frames))
            action = drop(0 if arm == 0 else 1)
            options.append(Option(text=f"{words} ({cost})", deed=words, action=action))
    step = count_frames(rules.frames(rules.forward_frames))
    turn = count_frames(rules.frames(rules.turn_frames))
    ahead = f"move {rules.step_m:g} m ahead"
    left, right = (f"turn {rules.turn_deg:g}° to the {side}" for side in ("left", "right"))
    return [
        *options,
        Option(text=f"{ahead} ({step})", deed=ahead, action=FORWARD),
        Option(text=f"{left} ({turn})", deed=left, action=TURN_LEFT),
        Option(text=f"{right} ({turn})", deed=right, action=TURN_RIGHT),
    ]


def describe_directions(memory: Memory) -> str:
    """Where everything known lies, as seen from here; a line each."""
    semantic, briefing = memory.semantic, memory.briefing
    lines = [
        f"{item.category} {name_of(item.kind, item.id)} is "
        f"{_direction(memory, *item.position[:2])}."
        for item in semantic.objects.values()
        if item.where == "lying" and item.category in ("target", "container")
    ]
    if semantic.bed is not None:
        lines.append(f"The bed is {_direction(memory, *semantic.bed)}.")
    lines += [
        f"The middle of {room.name} is {_direction(memory, *room.inside.centre)}."
        for room in briefing.rooms
        if room.kind != "Porch"
    ]
    return "\n".join(lines)


def _grasps(memory: Memory) -> list[Option]:
    semantic, rules = memory.semantic, memory.briefing.rules
    arm = semantic.free_arm()
    if arm is None:
        return []
    wanted = semantic.candidates("target")
    if semantic.held("container") is None:
        wanted += semantic.candidates("container")
    options = []
    for item in wanted:
        if semantic.now.pose.distance(*item.position[:2]) <= rules.grasp_range_m:
            words = f"grasp {item.category} {name_of(item.kind, item.id)}"
            cost = count_frames(rules.frames(rules.grasp_frames))
            options.append(
                Option(text=f"{words} ({cost})", deed=words, action=grasp(item.id, arm))
            )
    return options


def _direction(memory: Memory, x: float, y: float) -> str:
    pose = memory.semantic.now.pose
    turn = math.remainder(math.atan2(y - pose.y, x - pose.x) - pose.heading, math.tau)
    degrees = round(math.degrees(turn))
    if abs(degrees) <= _DEGREES_ALIKE:
        where = "ahead"
    else:
        where = f"{abs(degrees)}° to the {'left' if degrees > 0 else 'right'}"
    return f"{pose.distance(x, y):.1f} m away, {where}"
