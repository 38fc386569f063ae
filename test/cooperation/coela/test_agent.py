from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import Budget
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.offline_model import function_model
from malmm_ros.agents.replay import Recording, Replay
from malmm_ros.cooperation.coela.configuration import MODULES, CoelaConfig
from malmm_ros.cooperation.coela.episode import run_talking
from malmm_ros.cooperation.coela.replaying import is_episode, replay_episode
from malmm_ros.cooperation.transport.episode import Episode, load_episodes
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import EpisodeRecord
from malmm_ros.cooperation.transport.world import TransportWorld

SHORT = TransportRules(horizon_frames=300)


def play(
    episode: Episode,
    kinds: tuple[str, ...] = ("coela", "coela"),
    *,
    rules: Any = None,
    **others: Any,
) -> EpisodeRecord:
    settings = {key: others.pop(key) for key in ("without", "budget", "inject") if key in others}
    world = TransportWorld(episode, agents=("Alice", "Bob")[: len(kinds)], rules=rules)
    return run_talking(world, kinds, seed=0, config=CoelaConfig(**settings), **others)


def test_two_agents_bring_everything(episode: Episode) -> None:
    record = play(episode)
    assert record.transport_rate == 1.0
    assert record.messages > 0
    for usage in record.usage.values():
        assert usage.calls > 0
        assert usage.input_tokens > usage.output_tokens > 0
        assert usage.parse_failures == 0


def test_one_alone_says_nothing(episode: Episode) -> None:
    record = play(episode, ("coela",))
    assert record.transport_rate == 1.0
    assert record.messages == 0


def test_it_goes_with_others(episode: Episode) -> None:
    record = play(episode, ("rhp", "coela"))
    assert record.transport_rate == 1.0
    assert record.usage["Alice"].calls == 0 < record.usage["Bob"].calls


@pytest.mark.parametrize("module", MODULES)
def test_each_module_can_be_switched_off(episode: Episode, module: str) -> None:
    record = play(episode, rules=SHORT, without=(module,))
    assert record.frames <= 300
    if module == "communication":
        assert record.messages == 0
    if module == "perception":
        assert record.transport_rate == 0.0


def test_equal_seeds_give_equal_episodes(episode: Episode) -> None:
    assert play(episode, rules=SHORT) == play(episode, rules=SHORT)


def test_a_model_that_cannot_be_read_is_repaired_once_then_the_safe_option_is_taken(
    episode: Episode,
) -> None:
    asked: list[str] = []

    def answer(chat: Any) -> str:
        asked.append(chat[-1].content)
        return "I had rather not send a message."

    client = ModelClient(function_model(answer, name="stubborn"))
    record = play(episode, ("coela",), rules=SHORT, client=client)
    usage = record.usage["Alice"]
    assert usage.parse_failures > 0
    # For each decision: thoughts, a choice, its repair; both choices are failures.
    assert usage.calls * 2 == usage.parse_failures * 3
    assert sum(text.startswith("That answer cannot be used:") for text in asked) > 0
    assert record.messages == 0


def test_a_used_up_budget_leaves_the_safe_options(episode: Episode) -> None:
    notes: list[str] = []
    record = play(
        episode,
        rules=SHORT,
        budget=Budget(model_calls=7),
        on_event=lambda event: notes.append(event.text) if event.kind == "note" else None,
    )
    assert sum(usage.calls for usage in record.usage.values()) == 7
    assert sum("from here on the safe option is taken" in text for text in notes) == 2
    assert all(usage.parse_failures == 0 for usage in record.usage.values())


def test_a_plan_that_cannot_work_is_objected_to(episode: Episode) -> None:
    objections: list[str] = []

    def answer(chat: list[ChatMessage]) -> str:
        objections.extend(m.content for m in chat if m.content.startswith("That action was not"))
        options = [line for line in chat[1].content.splitlines() if "grasp" in line[:12]]
        return json.dumps({"option": options[0].split(".")[0] if options else "A"})

    client = ModelClient(function_model(answer, name="hasty"))
    late = TransportRules(horizon_frames=250)
    play(episode, ("coela",), rules=late, client=client)
    assert any("so it would not count" in text for text in objections)
    objections.clear()
    play(episode, ("coela",), rules=late, client=client, without=("plan_check",))
    assert not objections


def test_a_transcript_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "episode.jsonl"
    record = play(
        load_episodes("training")[4], ("coela", "rhp"), rules=SHORT, transcript=path, inject=0.3
    )
    recording = Recording.read(path)
    assert is_episode(recording)
    replay = Replay(recording)
    again = replay_episode(recording, replay, on_event=replay.compare)
    assert replay.divergence is None
    assert replay.matched > 10
    assert (again.transport_rate, again.messages) == (record.transport_rate, record.messages)
    assert any(event.kind == "injection" for event in recording.events)
