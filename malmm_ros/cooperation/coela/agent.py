"""The agent: perceive, remember, think and talk, act."""

from __future__ import annotations

from functools import partial

import numpy as np

from malmm_ros.backends import load_backend
from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.coela.carrying_out import CarryingOut
from malmm_ros.cooperation.coela.communication import Communication
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option, list_plans
from malmm_ros.cooperation.coela.perception import PERCEPTIONS, NoPerception, Perception
from malmm_ros.cooperation.coela.plan_check import object_to
from malmm_ros.cooperation.coela.planning import Planning
from malmm_ros.cooperation.coela.prompting import CoelaPrompts
from malmm_ros.cooperation.coela.session import Session
from malmm_ros.cooperation.coela.single_actions import list_actions
from malmm_ros.cooperation.coela.triggers import Triggers
from malmm_ros.cooperation.transport.actions import FAILURES, ONGOING, TURN_LEFT, Action
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.observation import Briefing, Observation

_TRIES = 5


class CoelaAgent:
    """One agent for one episode.

    Args:
        briefing: What it knows at first.
        rng: Draws sidesteps, and options where planning is off.
        config: Its modules and its model.
        session: Of the episode; ``None`` opens one of its own, without a transcript.
    """

    def __init__(
        self,
        briefing: Briefing,
        *,
        rng: np.random.Generator,
        config: CoelaConfig | None = None,
        session: Session | None = None,
    ) -> None:
        self._config = config = config or CoelaConfig()
        self._rng = rng
        self._perception = _make_perception(config)
        self._memory = Memory(briefing, config)
        self.execution = CarryingOut(self._memory.semantic, rng)
        self._triggers = Triggers(self._memory)
        talks = bool(briefing.teammates) and config.has("communication")
        prompts = CoelaPrompts(briefing, talks=talks, plans=config.has("execution"))
        number = sorted((briefing.agent, *briefing.teammates)).index(briefing.agent)
        session = session or Session(config)
        self._mind = session.mind(briefing.agent, number, prompts.repair)
        self._communication = Communication(self._memory, prompts, self._mind) if talks else None
        check = partial(object_to, self._memory) if config.has("plan_check") else None
        self._planning = Planning(self._memory, prompts, self._mind, check=check)
        self._option: Option | None = None
        self._has_spoken = False

    @property
    def memory(self) -> TransportMemory:
        """What it believes of the world."""
        return self._memory.semantic

    @property
    def usage(self) -> AgentUsage:
        return self._mind.usage

    def act(self, observation: Observation) -> Action:
        self._memory.update(self._perception.perceive(observation))
        self._heed_progress(observation)
        for _ in range(_TRIES):
            action = self._go_on(observation)
            if action is not None:
                return action
            self._close()
            self._option = self._decide()
            self._record(f"begins: {self._option.deed}")
            if self._option.action is not None:
                return self._option.action
            assert self._option.plan is not None
            self.execution.begin(self._option.plan)
        return TURN_LEFT  # plans that end at once: look around meanwhile

    def _go_on(self, observation: Observation) -> Action | None:
        """What the running plan or action needs next; ``None`` when a decision is due."""
        if self._option is not None and self._option.action is not None:
            return ONGOING if observation.status == "ongoing" else None
        return self.execution.act()

    def _heed_progress(self, observation: Observation) -> None:
        plan = self.execution.plan
        if not self._config.has("replanning") or plan is None or not self.execution.is_running:
            return
        if observation.status != "ongoing" and (reason := self._triggers.reason_to_replan(plan)):
            self.execution.interrupt(reason)

    def _close(self) -> None:
        """Remember how what was decided ended."""
        option, now = self._option, self._memory.semantic.now
        self._option = None
        self._has_spoken = option is not None and option.is_message
        if option is None:
            return
        if option.action is not None:
            ended = "done" if now.failure is None else f"failed, {FAILURES[now.failure]}"
        else:
            result = self.execution.result
            ended = result.state + (f", {result.reason}" if result.reason else "")
            if option.plan is not None and option.plan.kind == "explore" and ended == "done":
                self._memory.circled.add(option.plan.room)
        self._memory.note(option.deed if option.is_message else f"{option.deed}: {ended}")
        self._record(f"{option.deed}: {ended}")

    def _record(self, text: str) -> None:
        self._mind.record("execution", text, frame=self._memory.semantic.now.frame)

    def _decide(self) -> Option:
        has_execution = self._config.has("execution")
        options = list_plans(self._memory) if has_execution else list_actions(self._memory)
        if self._communication is not None and not self._has_spoken:
            options = [*self._communication.offer(options), *options]
        if self._config.has("planning"):
            option = self._planning.choose(options)
        else:
            option = options[int(self._rng.integers(len(options)))]
        if option.is_message and option.action is not None and self._communication is not None:
            self._communication.note_sent(option.action.text)
            self._mind.record("note", f"says: {option.action.text}")
        return option


def _make_perception(config: CoelaConfig) -> Perception:
    if not config.has("perception"):
        return NoPerception()
    make = load_backend("perception", config.perception, PERCEPTIONS)
    perception: Perception = make()
    return perception
