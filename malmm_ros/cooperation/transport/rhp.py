"""RHP, the rule-based hierarchical planner: fixed rules choose the next plan."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.transport.actions import TURN_LEFT, Action
from malmm_ros.cooperation.transport.execution import Execution
from malmm_ros.cooperation.transport.frontier import random_frontier
from malmm_ros.cooperation.transport.memory import KnownObject, TransportMemory
from malmm_ros.cooperation.transport.observation import Briefing, Observation
from malmm_ros.cooperation.transport.plan import Plan

CONTAINER_UNTIL_FRAME = 1600
DELIVER_WHEN_LEFT_FRAMES = 700
_TRIES = 5


class RulePlanner:
    """One lone or uncoordinated agent; it never speaks.

    Attributes:
        memory: What it believes.
        execution: What it is doing.
    """

    def __init__(self, briefing: Briefing, *, rng: np.random.Generator) -> None:
        self.memory = TransportMemory(briefing)
        self.execution = Execution(self.memory, rng)
        self._rng = rng

    @property
    def usage(self) -> AgentUsage:
        return AgentUsage()

    def act(self, observation: Observation) -> Action:
        self.memory.update(observation)
        plan, is_busy = self.execution.plan, observation.status == "ongoing"
        is_fetching = plan is not None and plan.kind in ("frontier", "grasp")
        if is_fetching and not is_busy and self._is_late():
            self.execution.interrupt("time is short")
        for _ in range(_TRIES):
            action = self.execution.act()
            if action is not None:
                return action
            plan = self.choose()
            if plan is None:
                break
            self.execution.begin(plan)
        return TURN_LEFT  # nothing to do is known: look around

    def choose(self) -> Plan | None:
        """The next plan, by the rules; ``None`` when nothing is left to do or to explore."""
        memory = self.memory
        container, target = memory.held("container"), memory.held("target")
        capacity = memory.briefing.rules.capacity
        is_full = container is not None and len(container.contents) >= capacity
        if container is not None and target is not None and not is_full:
            return Plan(kind="put")
        if is_full or memory.free_arm() is None or self._is_late():
            return Plan(kind="transport")
        return self._fetch(has_container=container is not None) or self._explore()

    def _is_late(self) -> bool:
        """Whether what is carried must be delivered now."""
        rules, memory = self.memory.briefing.rules, self.memory
        frames_left = rules.horizon_frames - memory.now.frame
        return frames_left < DELIVER_WHEN_LEFT_FRAMES and bool(memory.carried())

    def _fetch(self, *, has_container: bool) -> Plan | None:
        wanted: list[KnownObject] = []
        if not has_container and self.memory.now.frame < CONTAINER_UNTIL_FRAME:
            # One hand must stay free for what goes in.
            wanted = self.memory.candidates("container")
        wanted = wanted or self.memory.candidates("target")
        if not wanted:
            return None
        pose = self.memory.now.pose
        nearest = min(wanted, key=lambda item: (pose.distance(*item.position[:2]), item.id))
        return Plan(kind="grasp", object_id=nearest.id)

    def _explore(self) -> Plan | None:
        point = random_frontier(self.memory, self._rng)
        if point is not None:
            return Plan(kind="frontier", point=point)
        # Everything is explored and fetched: what is carried may go.
        return Plan(kind="transport") if self.memory.carried() else None
