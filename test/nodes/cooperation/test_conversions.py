from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from malmm_ros.msg import TransportAction, TransportObservation
from rclpy.serialization import deserialize_message, serialize_message

from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.channel import Channel
from malmm_ros.cooperation.transport.actions import ONGOING, Action, drop, grasp
from malmm_ros.cooperation.transport.episode import load_episodes
from malmm_ros.cooperation.transport.observation import Message, Observation
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.nodes.cooperation.conversions import (
    action_message,
    action_value,
    briefing_text,
    briefing_value,
    carried_message,
    observation_message,
    observation_value,
    spoken_message,
    usage_value,
)

USAGE = AgentUsage(calls=3, input_tokens=700, output_tokens=21, cost=0.125, parse_failures=1)


def over_the_wire(observation: Observation) -> Observation:
    message = observation_message(observation, run="r", step=3, is_over=False, stamp_s=1.5)
    back = deserialize_message(serialize_message(message), TransportObservation)
    heard = [spoken_message(item) for item in observation.messages]
    return observation_value(back, agent=observation.agent, messages=heard)


def assert_same(left: Observation, right: Observation) -> None:
    for item in dataclasses.fields(Observation):
        if item.name == "scan":
            assert left.scan.dtype == right.scan.dtype
            np.testing.assert_array_equal(left.scan, right.scan)
        elif item.name != "look":
            assert getattr(left, item.name) == getattr(right, item.name), item.name


def test_every_observation_of_an_episode_survives_the_way_bit_for_bit() -> None:
    world = TransportWorld(load_episodes("test")[0])
    team = build_team(("rhp", "random"), world, seed=1)
    observations = world.observe()
    while not world.is_over and world.frame < 400:
        for observation in observations.values():
            assert_same(over_the_wire(observation), observation)
        actions = {name: team[name].act(observations[name]) for name in world.agents}
        observations = world.step(actions).observations


@pytest.mark.parametrize("name", ["test", "training"])
def test_a_briefing_survives_the_way(name: str) -> None:
    for episode in load_episodes(name)[::6]:
        briefing = TransportWorld(episode).brief("Bob")
        assert briefing_value(briefing_text(briefing)) == briefing


@pytest.mark.parametrize("text", ["", "[]", '{"agent": 3}', '{"who": "Bob"}'])
def test_what_is_no_briefing_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="briefing"):
        briefing_value(text)


@pytest.mark.parametrize("action", [ONGOING, drop(1), grasp(12, 0)])
def test_actions_and_what_they_cost_survive_the_way(action: Action) -> None:
    message = action_message(action, run="r", step=7, usage=USAGE)
    back = deserialize_message(serialize_message(message), TransportAction)
    assert action_value(back) == action
    assert usage_value(back.usage) == USAGE
    assert (back.run, back.step) == ("r", 7)


def test_an_action_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UnknownNameError, match=r"'forwards' is unknown.*'forward'"):
        action_value(TransportAction(kind="forwards"))
    with pytest.raises(ConfigurationError, match="arm: must be 0 or 1, got 2"):
        action_value(TransportAction(kind="drop", arm=2))


def test_the_log_says_what_became_of_a_message() -> None:
    channel = Channel()
    charge = channel.charge("Bob", "on my way")
    said = Message(sender="Bob", text=charge.text, frame=12)
    log = carried_message(channel.post(said, charge, ("Alice", "Bob")), run="r", stamp_s=0.0)
    assert (log.message.sender, log.message.text, log.message.frame) == ("Bob", "on my way", 12)
    assert list(log.receivers) == ["Alice", "Bob"]
    assert (log.frames, log.characters_cut, log.heard_from_frame) == (1, 0, 12)
