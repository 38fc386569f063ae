"""Beyond the reference: look at a plan before it is begun."""

from __future__ import annotations

from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option
from malmm_ros.cooperation.transport.plan import Plan

# Estimates are rough: what looks a little too long may still do.
_HOPE = 0.8


def object_to(memory: Memory, option: Option) -> str:
    """What is wrong with a plan, from what the agent itself remembers; empty when nothing is."""
    if option.plan is None:
        return ""
    if option.plan.kind == "grasp":
        return _object_to_grasp(memory, option.plan)
    if option.plan.kind in ("go_to", "explore"):
        return _object_to_way(memory, option.plan)
    if option.plan.kind == "transport" and not memory.semantic.carried():
        return "your hands hold no target, so there is nothing to deliver."
    return ""


def frames_home(memory: Memory, x: float, y: float) -> float:
    """Estimate of what bringing something from a point to the bed takes, letting go included."""
    rules = memory.briefing.rules
    return memory.frames_to_bed(x, y) + rules.frames(rules.drop_frames)


def _left(memory: Memory) -> int:
    return memory.briefing.rules.horizon_frames - memory.semantic.now.frame


def _object_to_grasp(memory: Memory, plan: Plan) -> str:
    item, rules = memory.semantic.objects[plan.object_id], memory.briefing.rules
    x, y, _ = item.position
    needed = memory.frames_to(x, y) + rules.frames(rules.grasp_frames) + frames_home(memory, x, y)
    if not memory.semantic.carried():
        needed *= _HOPE  # with empty hands nothing is lost by trying
    return _too_late(needed, _left(memory))


def _object_to_way(memory: Memory, plan: Plan) -> str:
    room = next(room for room in memory.briefing.rooms if room.name == plan.room)
    x, y = room.inside.centre
    if memory.semantic.carried() and room is not memory.briefing.bedroom:
        return _too_late(memory.frames_to(x, y) + frames_home(memory, x, y), _left(memory))
    return ""


def _too_late(needed: float, left: int) -> str:
    if needed <= left:
        return ""
    return (
        f"with the way to the bed it takes about {needed:.0f} frames and {left} are left, so it "
        "would not count."
    )
