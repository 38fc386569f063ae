from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from coela_moments import FLOOR, KITCHEN

from malmm_ros.cooperation.coela.agent import CoelaAgent
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    HeldObject,
    Message,
    Observation,
    VisibleObject,
    cannot_look,
)
from malmm_ros.cooperation.transport.small_world import small_episode, start, thing
from malmm_ros.cooperation.transport.world import TransportWorld


@pytest.fixture
def episode() -> Episode:
    things = [thing(100 + i, "apple", 1.0 + 0.5 * i, 1.0) for i in range(5)]
    things += [thing(110, "bowl", 4.5, 1.0), thing(120, "bread", 8.0, 4.0)]
    return small_episode(things, [start(1.0, 2.0), start(9.0, 4.0, 180.0)])


@pytest.fixture
def observe(episode: Episode) -> Callable[..., Observation]:
    """An observation of Alice's, standing in the kitchen unless asked otherwise."""

    def make(
        visible: Sequence[VisibleObject] = (),
        hands: tuple[HeldObject | None, HeldObject | None] = (None, None),
        messages: Sequence[Message] = (),
        *,
        frame: int = 0,
        x: float = 3.0,
        room: str = KITCHEN,
        scan: Any = FLOOR,
        **others: Any,
    ) -> Observation:
        values = {
            "agent": "Alice", "frame": frame, "pose": AgentPose(x=x, y=2.5, heading=0.0),
            "room": room, "held": hands, "visible": tuple(visible), "teammates": (),
            "scan": scan, "status": "success", "is_valid": True, "failure": None,
            "messages": tuple(messages), "look": cannot_look,
        }  # fmt: skip
        return Observation(**{**values, **others})

    return make


@pytest.fixture
def make_agent(episode: Episode) -> Callable[..., CoelaAgent]:
    def make(
        names: tuple[str, ...] = ("Alice", "Bob"), session: Any = None, **settings: Any
    ) -> CoelaAgent:
        briefing = TransportWorld(episode, agents=names).brief("Alice")
        return CoelaAgent(
            briefing,
            rng=np.random.default_rng(0),
            config=CoelaConfig(**settings),
            session=session,
        )

    return make
