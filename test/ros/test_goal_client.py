"""Goals whose requests or answers are lost on their way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from malmm_ros.action import Grip
from rclpy.action.client import ActionClient
from rclpy.action.server import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch

# rclpy's own server says so when it is asked for a goal that it does not know.
pytestmark = pytest.mark.filterwarnings("ignore:Deprecated in favor of")


class LosingServer(ActionServer[Any, Any, Any]):
    """Never gets the first requests of goals."""

    losses = 0

    async def execute(self, taken_data: Any) -> None:
        if "goal" in taken_data and self.losses > 0:
            self.losses -= 1
            del taken_data["goal"]
        await super().execute(taken_data)


class LosingClient(ActionClient[Any, Any, Any]):
    """Never gets the first answers to goals."""

    losses = 0

    async def execute(self, taken_data: Any) -> None:
        if "goal" in taken_data and self.losses > 0:
            self.losses -= 1
            del taken_data["goal"]
        await super().execute(taken_data)


@dataclass
class Wire:
    server: LosingServer
    client: LosingClient
    goals: GoalClient
    names: list[str] = field(default_factory=list)

    def run(self, name: str) -> Any:
        return self.goals.run(Grip.Goal(object_name=name), timeout_s=5.0)


@pytest.fixture
def wire(client: Node) -> Iterator[Wire]:
    names: list[str] = []

    def execute(handle: Any) -> Any:
        names.append(handle.request.object_name)
        time.sleep(0.5)
        handle.succeed()
        return Grip.Result(success=True, message=handle.request.object_name)

    server = LosingServer(
        client, Grip, "lossy/grip", execute, callback_group=ReentrantCallbackGroup()
    )
    sender = LosingClient(client, Grip, "lossy/grip", callback_group=ReentrantCallbackGroup())
    goals = GoalClient(
        sender,
        watch=NodeWatch(client, ()),
        needed=(),
        what="lossy/grip",
        accept_timeout_s=4.0,
        ask_after_s=0.3,
    )
    yield Wire(server, sender, goals, names)
    server.destroy()
    sender.destroy()


def test_a_goal_that_was_lost_is_sent_again(wire: Wire) -> None:
    wire.server.losses = 2
    outcome = wire.run("lid")
    assert outcome.has_succeeded
    assert outcome.result.message == "lid"
    assert wire.names == ["lid"]


def test_a_goal_whose_acceptance_was_lost_is_not_sent_twice(wire: Wire) -> None:
    wire.client.losses = 1
    outcome = wire.run("cap")
    assert outcome.has_succeeded
    assert outcome.result.message == "cap"
    assert wire.names == ["cap"]


def test_a_goal_that_is_always_lost_fails_in_time(wire: Wire) -> None:
    wire.server.losses = 1000
    started = time.monotonic()
    with pytest.raises(NodeDiedError, match="did not give acceptance"):
        wire.run("ring")
    assert time.monotonic() - started < 8.0
    assert wire.names == []
