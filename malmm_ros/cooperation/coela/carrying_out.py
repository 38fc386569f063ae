"""Procedural memory: the plans' code, walked at any angle and without a step too many."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.mapping.striding import Striding
from malmm_ros.cooperation.transport.actions import Action, drop
from malmm_ros.cooperation.transport.execution import Execution
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.plan import Plan

# What is let go lands ahead, and counts within 3 m.
_BED_M = 2.85


class CarryingOut(Execution):
    """Carries plans out like :class:`Execution`, on straighter ways."""

    def __init__(self, memory: TransportMemory, rng: np.random.Generator) -> None:
        super().__init__(memory, rng)
        rules = memory.briefing.rules
        self._steering = Striding(
            memory.chart, radius_m=rules.radius_m, step_m=rules.step_m, rng=rng
        )

    def _transport(self, plan: Plan) -> Action | None:
        memory, pose = self._memory, self._memory.now.pose
        arms = [arm for arm in (0, 1) if memory.now.held[arm] is not None]
        is_inside = memory.briefing.bedroom.inside.contains(pose.x, pose.y)
        is_near = memory.bed is not None and pose.distance(*memory.bed) <= _BED_M
        if arms and is_inside and is_near:
            return drop(0 if arms[0] == 0 else 1)
        return super()._transport(plan)
