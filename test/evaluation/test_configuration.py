from __future__ import annotations

import json
from dataclasses import replace

import pytest

from malmm_ros.agents import ModelConfig
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.configuration import EvaluationConfig, parse_case
from malmm_ros.robots.vision import VisionConfig


def test_a_case_fixes_options_of_a_task() -> None:
    case = parse_case("stack_blocks:count=2:color=red")
    assert (case.task, case.options) == ("stack_blocks", {"count": 2, "color": "red"})
    assert parse_case("put_block").options == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("put_blok", "Did you mean 'put_block'"),
        ("stack_blocks:count", "stack_blocks:count=2"),
        ("stack_blocks:coutn=2", "Did you mean 'count'"),
        ("stack_blocks:count=9", "count"),
        ("stack_blocks:count=[", "no value"),
        ("", "valid:"),
    ],
)
def test_a_wrong_case_is_refused_with_what_would_do(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match="(?s)" + words.replace("[", r"\[")):
        parse_case(text)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tasks": ()}, "no task"),
        ({"tasks": ("put_block", "put_block")}, "twice"),
        ({"episodes": 0}, "at least 1"),
        ({"episodes": -3}, "at least 1"),
        ({"seed": -1}, "0 or more"),
        ({"observations": "visoin"}, "valid: state"),
        ({"appearance": "held_ou"}, "Did you mean 'held_out'"),
        ({"appearance": "held_out", "through_ros": True}, "cannot be had through ROS"),
        ({"appearance": "held_out", "world": "coppeliasim"}, "has its own looks"),
        ({"disturb": {"knok": 0.1}}, "Did you mean 'knock'"),
        ({"disturb": {"knock": 1.1}}, r"\[0, 1\]"),
    ],
)
def test_wrong_settings_are_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        EvaluationConfig(**{"tasks": ("put_block",), **values})  # type: ignore[arg-type]


def test_seeds_are_the_same_for_every_team_and_differ_between_episodes() -> None:
    config = EvaluationConfig(tasks=("put_block", "stack_blocks"), episodes=50)
    seeds = {config.episode_seed(*job) for job in config.jobs()}
    assert len(seeds) == 100
    other = replace(config, model=ModelConfig(name="gpt"), disturb={"knock": 0.5})
    assert other.episode_seed("put_block", 7) == config.episode_seed("put_block", 7)
    # Reports of other machines and days must agree.
    assert config.episode_seed("put_block", 0) == 3776402759


def test_the_fingerprint_tells_configurations_apart_and_survives_json() -> None:
    config = EvaluationConfig(tasks=("put_block",))
    assert json.loads(json.dumps(config.to_json())) == config.to_json()
    assert config.fingerprint() == EvaluationConfig(tasks=("put_block",)).fingerprint()
    for other in (
        replace(config, seed=1),
        replace(config, episodes=3),
        replace(config, disturb={"slip": 0.1}),
    ):
        assert other.fingerprint() != config.fingerprint()


def test_an_unknown_observation_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        EvaluationConfig(tasks=("put_block",), observations="x")
    assert caught.value.valid == ("state", "vision")


def test_a_run_in_which_the_stand_in_plays_any_role_is_a_stand_ins() -> None:
    model = ModelConfig(name="real", base_url="http://127.0.0.1:9/v1")
    alone = EvaluationConfig(tasks=("put_block",), model=model)
    assert not alone.is_stand_in
    assert replace(alone, role_models=("coder=offline",)).is_stand_in
    assert EvaluationConfig(tasks=("put_block",), role_models=("coder=other",)).is_stand_in


def test_history_reaches_the_team_and_other_words_for_it_are_refused() -> None:
    config = EvaluationConfig(tasks=("put_block",), history="shared")
    assert config.fingerprint() != replace(config, history="role").fingerprint()
    with pytest.raises(ConfigurationError, match="history: must be role or shared"):
        replace(config, history="some")  # type: ignore[arg-type]


def test_eyes_are_part_of_what_is_evaluated_only_where_something_sees() -> None:
    blind = EvaluationConfig(tasks=("put_block",))
    other = replace(blind, vision=VisionConfig(cameras=("overhead",)))
    assert "vision" not in blind.to_json()
    assert blind.fingerprint() == other.fingerprint()
    assert replace(blind, observations="vision").fingerprint() != (
        replace(other, observations="vision").fingerprint()
    )
    assert json.loads(json.dumps(replace(other, observations="vision").to_json()))


def test_the_appearance_is_part_of_what_is_evaluated() -> None:
    plain = EvaluationConfig(tasks=("put_block",))
    dressed = replace(plain, appearance="held_out")
    assert "appearance" not in plain.to_json()  # reports from before it was one stay comparable
    assert dressed.to_json()["appearance"] == "held_out"
    assert dressed.fingerprint() != plain.fingerprint()
    assert dressed.episode_seed("put_block", 3) == plain.episode_seed("put_block", 3)
