from __future__ import annotations

import pytest

from malmm_ros.agents import ModelConfig
from malmm_ros.configuration import config_folder, load_yaml
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.expectation import expect, read_means
from malmm_ros.evaluation.experiments import (
    Experiment,
    ExperimentRun,
    experiment_names,
    load_experiment,
)

MEANS = {"malmm/put_block": {"calls": 10.0, "input_tokens": 2000.0, "output_tokens": 100.0}}


def test_the_papers_experiments_are_there() -> None:
    assert {"table_1", "table_2", "table_3", "figure_5"} <= set(experiment_names())


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_is_whole_or_says_what_is_missing(name: str) -> None:
    experiment = load_yaml(Experiment, config_folder("experiments") / f"{name}.yaml")
    assert experiment.title
    names = [run.name for run in experiment.runs]
    assert names
    assert len(set(names)) == len(names)
    if experiment.missing():
        with pytest.raises(ConfigurationError, match="cannot be run yet"):
            load_experiment(name)
    else:
        assert list(experiment.configs(seed=0, model=ModelConfig())) == names


def test_an_unknown_experiment_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'table_1'"):
        load_experiment("tabel_1")


def test_what_does_not_exist_yet_is_named() -> None:
    experiment = Experiment(
        tasks=("put_block", "juggle"), runs=(ExperimentRun(name="a", team="committee"),)
    )
    assert experiment.missing() == ["task 'juggle'", "team 'committee'"]


def test_the_expectation_multiplies_means_and_names_what_it_does_not_know() -> None:
    config = EvaluationConfig(tasks=("put_block", "stack_blocks:count=2"), episodes=5)
    expected = expect([config, config], MEANS)
    assert (expected.episodes, expected.calls) == (20, 100.0)
    assert expected.cost == 0.0
    assert expected.unknown == ("malmm/stack_blocks:count=2",) * 2
    assert "100 model calls" in str(expected)


def test_an_unknown_price_gives_tokens_only() -> None:
    unpriced = ModelConfig(name="nobody-knows", base_url="http://localhost:1/v1")
    config = EvaluationConfig(tasks=("put_block",), episodes=5, model=unpriced)
    assert expect([config], MEANS).cost is None
    priced = ModelConfig(
        name="x", base_url="http://localhost:1/v1", input_price=1.0, output_price=2.0
    )
    config = EvaluationConfig(tasks=("put_block",), episodes=5, model=priced)
    assert expect([config], MEANS).cost == pytest.approx((10_000 + 2 * 500) / 1e6)


def test_the_measured_means_have_what_an_expectation_needs() -> None:
    for key, mean in read_means().items():
        assert "/" in key
        assert set(mean) == {"calls", "input_tokens", "output_tokens"}
