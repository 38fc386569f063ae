"""Random actions: the lower end of the scale, and what shakes the world in tests."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.transport.actions import (
    FORWARD,
    ONGOING,
    PUT,
    TURN_LEFT,
    TURN_RIGHT,
    Action,
    Arm,
    drop,
    grasp,
    send,
)
from malmm_ros.cooperation.transport.observation import Briefing, Observation

_FORWARD, _TURN, _GRASP, _PUT, _DROP, _SEND = 0.5, 0.3, 0.12, 0.03, 0.03, 0.02


class RandomAgent:
    """Draws every action anew; grasps what it sees, valid or not."""

    def __init__(self, briefing: Briefing, *, rng: np.random.Generator) -> None:
        self._rng = rng

    @property
    def usage(self) -> AgentUsage:
        return AgentUsage()

    def act(self, observation: Observation) -> Action:
        if observation.status == "ongoing":
            return ONGOING
        kinds = (_FORWARD, _TURN, _GRASP, _PUT, _DROP, _SEND)
        draw = int(self._rng.choice(len(kinds), p=kinds))
        arm: Arm = 0 if self._rng.random() < 0.5 else 1
        if draw == 0:
            return FORWARD
        if draw == 1:
            return TURN_LEFT if arm == 0 else TURN_RIGHT
        if draw == 2:
            ids = [item.id for item in observation.visible] or [-1]
            return grasp(ids[int(self._rng.integers(len(ids)))], arm)
        if draw == 3:
            return PUT
        return drop(arm) if draw == 4 else send(f"I am in {observation.room}.")
