"""The options of models reach the model, and wrong ones are refused before anything starts."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from malmm_ros.agents import Injection, ModelConfig, TaskResult
from malmm_ros.agents.usage import Usage
from malmm_ros.cli import USAGE_ERROR, main
from malmm_ros.cli.model_arguments import add_model_arguments, read_model
from malmm_ros.cli.ros_episodes import _arguments, _parameters
from malmm_ros.cli.run import _describe_injections, _describe_use
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.perception.pipeline import PipelineConfig
from malmm_ros.robots.vision import VisionConfig


def read(*words: str) -> ModelConfig:
    parser = argparse.ArgumentParser()
    add_model_arguments(parser)
    return read_model(parser.parse_args(words))


def test_model_options_reach_the_model() -> None:
    model = read("--model", "tiny", "--model-options", "{temperature: 1, timeout_s: 900}")
    assert (model.temperature, model.timeout_s) == (1.0, 900.0)


@pytest.mark.parametrize("command", [["run", "put the block away"], ["evaluate"]])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--prices", "no-such.yaml"], "no-such.yaml: cannot be read"),
        (["--model-options", "{temprature: 1}"], "Did you mean 'temperature'"),
        (["--model-options", "{retries: -1}"], "retries"),
    ],
)
def test_a_wrong_option_ends_a_command_at_its_start_with_the_offline_model_too(
    command: list[str], options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *options]) == USAGE_ERROR
    assert words in capsys.readouterr().err


def test_a_run_says_what_was_estimated_and_what_was_injected() -> None:
    result = TaskResult(
        is_success=True,
        reason="completed",
        message="",
        task_id="t",
        usage=Usage(calls=2, input_tokens=9, estimated_calls=2),
        injections=(Injection(kind="wrong_object", role="planner", step=0, is_detected=True),),
    )
    assert "(estimated: the endpoint does not count them), cost 0.0000" in _describe_use(result)
    assert _describe_injections(result) == (
        "injected errors: 1\n  wrong object, planner, step 1: detected, not recovered\n"
    )


def test_what_an_evaluation_is_told_reaches_the_nodes(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("tiny: {input: 1, output: 2}\n")
    config = EvaluationConfig(
        tasks=("put_block",),
        model=ModelConfig(
            name="tiny",
            base_url="http://localhost:1/v1",
            max_tokens=9,
            prices=f"{tmp_path}/p.yaml",
        ),
        observations="vision",
        vision=VisionConfig(noise=None, pipeline=PipelineConfig(segmenter_options="{a: 1}")),
        through_ros=True,
    )
    arguments = _arguments(config)
    assert arguments["prices"] == f"{tmp_path}/p.yaml"
    assert arguments["model_options"] == "{max_tokens: 9}"
    parameters = _parameters(config, tmp_path)
    assert parameters["simulator"] == {"sensor_noise": False}
    assert parameters["scene"]["pipeline.segmenter_options"] == "{a: 1}"
