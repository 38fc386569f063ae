from __future__ import annotations

from collections.abc import Callable

import pytest

from malmm_ros.cooperation.transport.episode import Episode, Start, Thing
from malmm_ros.cooperation.transport.small_world import small_episode, start, thing


@pytest.fixture
def make_episode() -> Callable[..., Episode]:
    """Two rooms with an apple and two agents, unless asked otherwise."""

    def make(
        things: tuple[Thing, ...] = (thing(100, "apple", 2.0, 1.0),),
        starts: tuple[Start, ...] = (start(1.0, 1.0), start(1.0, 2.0)),
    ) -> Episode:
        return small_episode(things, starts)

    return make
