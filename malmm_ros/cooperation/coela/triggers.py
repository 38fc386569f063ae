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
        return ""

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
