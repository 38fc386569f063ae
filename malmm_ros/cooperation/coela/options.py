"""What an agent can choose among now, as a lettered list with what each choice costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.transport.actions import Action, send
from malmm_ros.cooperation.transport.memory import KnownObject
from malmm_ros.cooperation.transport.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice.

    Attributes:
        text: As the list words it, with its cost.
        deed: What the action history calls it.
        plan: What it begins; ``None`` for a single action.
        action: What it does at once, where it is no plan.
    """

    text: str
    deed: str
    plan: Plan | None = None
    action: Action | None = None

    @property
    def is_message(self) -> bool:
        """Whether it says something."""
        return self.action is not None and self.action.kind == "send"


def label(index: int) -> str:
    """The letters of an option: A to Z, then AA, AB …, like the columns of a sheet."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def find_option(options: Sequence[Option], letters: str) -> Option | None:
    """The option of a label; case does not matter."""
    wanted = letters.strip().upper()
    return next((item for i, item in enumerate(options) if label(i) == wanted), None)


def render_options(options: Sequence[Option]) -> str:
    """The lettered list, a line each."""
    return "\n".join(f"{label(index)}. {item.text}" for index, item in enumerate(options))


def message_option(text: str, frames: int) -> Option:
    """The choice to speak."""
    return Option(
        text=f'send a message: "{text}" ({count_frames(frames)})',
        deed="sent a message",
        action=send(text),
    )


def list_plans(memory: Memory) -> list[Option]:
    """All plans that can be begun now; going to some other room always can."""
    return [*_puts(memory), *_grasps(memory), *_transports(memory), *_ways(memory)]


def name_of(kind: str, number: int) -> str:
    """How prompts call a thing."""
    return f"<{kind}> ({number})"


def _puts(memory: Memory) -> list[Option]:
    semantic, rules = memory.semantic, memory.briefing.rules
    container, target = semantic.held("container"), semantic.held("target")
    if container is None or target is None or len(container.contents) >= rules.capacity:
        return []
    words = (
        f"put {name_of(target.kind, target.id)} into {name_of(container.kind, container.id)}, "
        f"which then holds {len(container.contents) + 1} of {rules.capacity}"
    )
    return [
        Option(
            text=f"{words} ({count_frames(rules.frames(rules.put_frames))})",
            deed=words.partition(",")[0],
            plan=Plan(kind="put"),
        )
    ]


def _grasps(memory: Memory) -> list[Option]:
    semantic = memory.semantic
    if semantic.free_arm() is None:
        return []
    wanted = semantic.candidates("target")
    if semantic.held("container") is None:
        wanted += semantic.candidates("container")
    ways = {item.id: memory.frames_to(*item.position[:2]) for item in wanted}
    wanted.sort(key=lambda item: (item.category != "target", ways[item.id], item.id))
    return [_grasp(memory, item, ways[item.id]) for item in wanted if math.isfinite(ways[item.id])]


def _grasp(memory: Memory, item: KnownObject, way: float) -> Option:
    rules, now = memory.briefing.rules, memory.semantic.now
    x, y, _ = item.position
    room = memory.briefing.room_at(x, y)
    where = f" in {room.name}" if room else ""
    words = f"grasp {item.category} {name_of(item.kind, item.id)}{where}"
    home = memory.frames_to_bed(x, y)
    age = now.frame - item.seen
    inside = ", ".join(name_of(kind, number) for number, kind in item.contents)
    cost = count_frames(way + rules.frames(rules.grasp_frames))
    return Option(
        text=f"{words} ({cost}; from there to the bed {count_frames(home)}"
        f"{f'; it holds {inside}' if inside else ''}"
        f"{f'; last seen {age} frames ago' if age > _LONG_AGO else ''})",
        deed=words,
        plan=Plan(kind="grasp", object_id=item.id),
    )


def _transports(memory: Memory) -> list[Option]:
    semantic, rules = memory.semantic, memory.briefing.rules
    held = [hand for hand in semantic.now.held if hand is not None]
    if not held or semantic.bed is None:
        return []
    drops = len(held) * rules.frames(rules.drop_frames)
    words = "transport what I hold to the bed"
    return [
        Option(
            text=f"{words} ({count_frames(memory.frames_to_deliver() + drops)})",
            deed=words,
            plan=Plan(kind="transport"),
        )
    ]


def _ways(memory: Memory) -> list[Option]:
    here, options = memory.semantic.now.room, []
    current = next((room for room in memory.briefing.rooms if room.name == here), None)
    if current is not None and memory.explored(current)[0] != "all":
        way = memory.frames_to(*current.inside.centre) + _circle_frames(memory)
        words = f"explore {current.name}, where I am"
        options.append(
            Option(
                text=f"{words} (at most {count_frames(way)})",
                deed=f"explore {current.name}",
                plan=Plan(kind="explore", room=current.name),
            )
        )
    for room in memory.briefing.rooms:
        if room.name == here or room.kind == "Porch":
            continue
        way = memory.frames_to(*room.inside.centre)
        if math.isfinite(way):
            options.append(
                Option(
                    text=f"go to {room.name} ({count_frames(way)}; from there to the bed "
                    f"{count_frames(memory.frames_to_bed(*room.inside.centre))})",
                    deed=f"go to {room.name}",
                    plan=Plan(kind="go_to", room=room.name),
                )
            )
    return options


def _circle_frames(memory: Memory) -> int:
    rules = memory.briefing.rules
    return round(360.0 / rules.turn_deg) * rules.frames(rules.turn_frames)


# What was seen this long ago may have been moved; the prompt says so.
_LONG_AGO = 300


def count_frames(count: float) -> str:
    """A duration in words; without end where no way is known."""
    if not math.isfinite(count):
        return "no way known"
    whole = round(count)
    return f"{whole} frame{'' if whole == 1 else 's'}"
