from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.cooperation.channel import Carried, Channel, ChannelConfig
from malmm_ros.cooperation.transport.observation import Message
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.errors import ConfigurationError

NAMES = ("Alice", "Bob", "Carol")
texts = st.text(max_size=1600)
messages = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 50)), max_size=30)


def say(channel: Channel, sender: str, frame: int, text: str = "here") -> Carried:
    charge = channel.charge(sender, text)
    return channel.post(Message(sender=sender, text=charge.text, frame=frame), charge, NAMES)


def spoken(steps: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Senders, frames that grow, and texts that differ."""
    frame, result = 0, []
    for number, (sender, frames) in enumerate(steps):
        frame += frames
        result.append((sender, frame, f"message {number}"))
    return result


@given(texts)
def test_a_message_costs_what_the_rules_say(text: str) -> None:
    assert Channel().charge("Alice", text).frames == TransportRules().message_frames(text)


@given(texts, st.integers(1, 700))
def test_a_cut_message_keeps_its_beginning_and_costs_what_is_left(text: str, most: int) -> None:
    charge = Channel(ChannelConfig(most_characters=most)).charge("Alice", text)
    assert text.startswith(charge.text)
    assert len(charge.text) == min(len(text), most)
    assert len(charge.text) + charge.cut == len(text)
    assert charge.frames == TransportRules().message_frames(charge.text)


@given(messages)
def test_a_perfect_channel_hands_each_message_to_everybody_once_and_in_order(
    steps: list[tuple[str, int]],
) -> None:
    channel, sent = Channel(), spoken(steps)
    for sender, frame, text in sent:
        say(channel, sender, frame, text)
    for name in NAMES:
        heard = channel.collect(name, 10_000)
        assert [(item.sender, item.frame, item.text) for item in heard] == sent
        assert channel.collect(name, 10_000) == ()


@given(messages, st.integers(0, 60))
def test_nobody_but_the_sender_hears_a_message_before_its_delay_has_passed(
    steps: list[tuple[str, int]], delay: int
) -> None:
    channel = Channel(ChannelConfig(delay_frames=delay))
    counts = dict.fromkeys(NAMES, 0)
    for sender, frame, text in (sent := spoken(steps)):
        carried = say(channel, sender, frame, text)
        assert carried.heard_from == frame + delay
        for name in NAMES:
            heard = channel.collect(name, frame)
            counts[name] += len(heard)
            assert all(item.sender == name or item.frame + delay <= frame for item in heard)
    for name in NAMES:
        counts[name] += len(channel.collect(name, 1_000_000))
        assert counts[name] == len(sent)


@given(messages, st.floats(0.0, 1.0), st.integers(0, 2**63))
def test_what_is_not_lost_is_heard_and_equal_seeds_lose_the_same(
    steps: list[tuple[str, int]], drop: float, seed: int
) -> None:
    def run() -> list[Carried]:
        channel = Channel(ChannelConfig(drop=drop), seed=seed)
        carried = [say(channel, *item) for item in spoken(steps)]
        for name in NAMES:
            expected = [item.message for item in carried if name in item.receivers]
            assert list(channel.collect(name, 1_000_000)) == expected
        return carried

    first = run()
    assert first == run()
    for item in first:
        assert item.message.sender in item.receivers
        assert sorted((*item.receivers, *item.lost_for)) == sorted(NAMES)


def test_probabilities_at_the_ends_are_certainties() -> None:
    deaf = say(Channel(ChannelConfig(drop=1.0)), "Bob", 3)
    assert deaf.receivers == ("Bob",)
    assert say(Channel(ChannelConfig(drop=0.0)), "Bob", 3).lost_for == ()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"drop": 1.5}, "drop: must be 0 to 1, got 1.5"),
        ({"delay_frames": -1}, "delay_frames: must be 0 to 100000, got -1"),
        ({"most_characters": -5}, "most_characters: must be 0 to 100000"),
    ],
)
def test_a_connection_that_cannot_be_is_refused(values: dict[str, float], text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        ChannelConfig(**values)  # type: ignore[arg-type]
