from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from malmm_ros.cooperation.transport.catalog import THINGS
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    HeldObject,
    Observation,
    VisibleObject,
    cannot_look,
)
from malmm_ros.cooperation.transport.plan import Plan
from malmm_ros.cooperation.transport.rhp import RulePlanner
from malmm_ros.cooperation.transport.world import TransportWorld

EpisodeMaker = Callable[..., Episode]

FLOOR = np.array([[x / 8 + 0.06, y / 8 + 0.06, 0.0] for x in range(4, 30) for y in range(4, 30)])


def seen(number: int, kind: str, x: float) -> VisibleObject:
    category = "container" if THINGS[kind].is_container else "target"
    return VisibleObject(id=number, kind=kind, category=category, position=(x, 1.0, 0.05))  # type: ignore[arg-type]


def held(number: int, kind: str, *contents: int) -> HeldObject:
    category = "container" if THINGS[kind].is_container else "target"
    inside = tuple((item, "apple") for item in contents)
    return HeldObject(id=number, kind=kind, category=category, contents=inside)  # type: ignore[arg-type]


BOWL, APPLE, BANANA = seen(110, "bowl", 4.5), seen(101, "apple", 2.0), seen(102, "banana", 3.0)


@pytest.fixture
def choose(make_episode: EpisodeMaker) -> Any:
    def make(
        visible: Sequence[VisibleObject] = (),
        hands: tuple[HeldObject | None, HeldObject | None] = (None, None),
        frame: int = 0,
    ) -> Plan | None:
        briefing = TransportWorld(make_episode(), agents=("Alice",)).brief("Alice")
        planner = RulePlanner(briefing, rng=np.random.default_rng(0))
        planner.memory.update(
            Observation(
                agent="Alice", frame=frame, pose=AgentPose(x=1.0, y=1.0, heading=0.0),
                room="<Kitchen> (1000)", held=hands, visible=tuple(visible), teammates=(),
                scan=FLOOR, status="success", is_valid=True, failure=None, messages=(),
                look=cannot_look,
            )
        )  # fmt: skip
        return planner.choose()

    return make


def test_a_container_comes_first_before_frame_1600(choose: Any) -> None:
    assert choose([APPLE, BOWL]) == Plan(kind="grasp", object_id=110)
    assert choose([APPLE, BOWL], frame=1599) == Plan(kind="grasp", object_id=110)
    assert choose([APPLE, BOWL], frame=1600) == Plan(kind="grasp", object_id=101)


def test_the_nearest_target_comes_next(choose: Any) -> None:
    assert choose([BANANA, APPLE]) == Plan(kind="grasp", object_id=101)
    assert choose([BANANA, APPLE, BOWL], (held(111, "bowl"), None)) == Plan(
        kind="grasp", object_id=101
    )


def test_a_held_target_goes_into_a_held_container(choose: Any) -> None:
    assert choose([], (held(110, "bowl", 103), held(101, "apple"))) == Plan(kind="put")


def test_a_full_container_is_delivered(choose: Any) -> None:
    assert choose([APPLE], (held(110, "bowl", 103, 104, 105), None)) == Plan(kind="transport")
    assert choose([APPLE], (held(110, "bowl", 103, 104), None)) == Plan(
        kind="grasp", object_id=101
    )


def test_two_full_hands_are_delivered(choose: Any) -> None:
    assert choose([BOWL], (held(101, "apple"), held(102, "banana"))) == Plan(kind="transport")


def test_with_fewer_than_700_frames_left_what_is_carried_is_delivered(choose: Any) -> None:
    hands = (held(101, "apple"), None)
    assert choose([BANANA], hands, frame=2300) == Plan(kind="grasp", object_id=102)
    assert choose([BANANA], hands, frame=2301) == Plan(kind="transport")
    assert choose([BANANA], frame=2301) == Plan(kind="grasp", object_id=102)  # nothing carried


def test_otherwise_a_random_place_at_the_edge_of_the_unknown(choose: Any) -> None:
    plan = choose()
    assert plan is not None
    assert plan.kind == "frontier"
    x, y = plan.point
    at_edge = min(abs(x - 0.5), abs(x - 3.75), abs(y - 0.5), abs(y - 3.75))
    assert at_edge < 0.13
