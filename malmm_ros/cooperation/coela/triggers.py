"""Beyond the reference: progress that makes a running plan worth thinking over."""

from __future__ import annotations

from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.plan_check import frames_home
from malmm_ros.cooperation.transport.plan import Plan

# How often time is looked at, and how much of it is kept in hand.
_LOOK_EVERY_FRAMES = 25
_SLACK_FRAMES = 60


class Triggers:
    """Watches one agent's memory while a plan runs."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._looked_at = 0
        self._is_warned = False
        self._knows_bed = False
        self._told: set[str] = set()

    def reason_to_replan(self, plan: Plan) -> str:
        """Why the plan should be thought over, or an empty text."""
        if plan.kind == "put":
            return ""
        if plan.kind != "transport" and self._was_told():
            return "a message came"
        if plan.kind in ("grasp", "transport") and self._has_use_for_finds():
            return "something new is in sight"
        if plan.kind != "transport" and self._is_late():
            return "time is short"
        if plan.kind == "go_to" and self._is_seen(plan.room):
            return "all of that room is seen"
        if plan.kind == "go_to" and self._has_found_bed():
            return "the bed is in sight"
        return ""

    def _has_found_bed(self) -> bool:
        """Whether the bed was just seen first, while there is something to bring there."""
        was_known, self._knows_bed = self._knows_bed, self._memory.semantic.bed is not None
        return self._knows_bed and not was_known and bool(self._memory.semantic.carried())

    def _is_seen(self, name: str) -> bool:
        """Whether a way to a room has shown all of it, and carries nothing there."""
        briefing = self._memory.briefing
        if name == briefing.bedroom.name or name in self._told:
            return False
        room = next(room for room in briefing.rooms if room.name == name)
        if self._memory.explored(room)[0] == "all":
            self._told.add(name)
        return name in self._told

    def _was_told(self) -> bool:
        own, now = self._memory.briefing.agent, self._memory.semantic.now
        return any(message.sender != own for message in now.messages)

    def _has_use_for_finds(self) -> bool:
        semantic = self._memory.semantic
        return bool(semantic.finds) and semantic.free_arm() is not None

    def _is_late(self) -> bool:
        """Whether what is carried must go to the bed now; said once for each load."""
        semantic, rules = self._memory.semantic, self._memory.briefing.rules
        if not semantic.carried():
            self._is_warned = False
        now = semantic.now
        if self._is_warned or not semantic.carried():
            return False
        if now.frame - self._looked_at < _LOOK_EVERY_FRAMES:
            return False
        self._looked_at = now.frame
        left = rules.horizon_frames - now.frame
        needed = frames_home(self._memory, now.pose.x, now.pose.y) + _SLACK_FRAMES
        self._is_warned = left < needed
        return self._is_warned
