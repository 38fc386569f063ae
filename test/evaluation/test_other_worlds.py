"""Evaluations in a world that is not our own, and through the nodes."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.cli import evaluate as command
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.evaluate import evaluate
from malmm_ros.simulation import CoppeliasimConfig

CONFIG = EvaluationConfig(tasks=("put_block",), episodes=1)


def _arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


def test_an_evaluation_in_coppeliasim_is_reported_with_its_world(tmp_path: Path) -> None:
    pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")
    from coppeliasim_scenes import write_description
    from coppeliasim_server import CoppeliasimServer

    write_description(tmp_path, "put_block", 3)
    with CoppeliasimServer("put_block", 3) as server:
        config = replace(
            CONFIG,
            world="coppeliasim",
            coppeliasim=CoppeliasimConfig(port=server.port, scenes=str(tmp_path)),
        )
        report = evaluate(config, workers=1)
        assert server.world.success()[0] or report["success_rate"] == 1.0
    assert report["success_rate"] == 1.0, report["episodes"][0]["message"]
    assert report["config"]["world"] == "coppeliasim"
    assert report["episodes"][0]["simulated_s"] > 1.0


def test_a_simulator_that_is_not_there_is_a_failed_episode(tmp_path: Path) -> None:
    pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")
    from coppeliasim_scenes import write_description

    write_description(tmp_path, "put_block", 3)
    nobody = CoppeliasimConfig(port=1, timeout_s=0.3, scenes=str(tmp_path))
    report = evaluate(replace(CONFIG, world="coppeliasim", coppeliasim=nobody), workers=1)
    assert report["episodes"][0]["category"] == "crashed"
    assert "no CoppeliaSim answers" in report["episodes"][0]["message"]


def test_what_belongs_to_other_worlds_is_no_part_of_a_plain_report() -> None:
    plain = CONFIG.to_json()
    assert not {"world", "coppeliasim", "through_ros"} & set(plain)
    through = replace(CONFIG, through_ros=True)
    assert through.to_json()["through_ros"] is True
    assert through.fingerprint() != CONFIG.fingerprint()
    assert through.episode_seed("put_block", 0) == CONFIG.episode_seed("put_block", 0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"world": "mujco"}, "Did you mean 'mujoco'"),
        ({"world": "coppeliasim", "disturb": {"knock": 0.5}}, "cannot be disturbed"),
        ({"through_ros": True, "disturb": {"knock": 0.5}}, "through ROS"),
        ({"through_ros": True, "inject": 0.5}, "through ROS"),
        ({"through_ros": True, "history": "shared"}, "through ROS"),
    ],
)
def test_what_another_world_cannot_do_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        replace(CONFIG, **values)


def test_tasks_of_another_world_are_known_to_it_alone() -> None:
    with pytest.raises(UnknownNameError):
        replace(CONFIG, tasks=("tidy_up",))
    assert replace(CONFIG, tasks=("tidy_up",), world="coppeliasim").cases()[0].task == "tidy_up"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--through-ros", "--workers", "2"), "one simulator"),
        (("--world", "coppeliasim", "--workers", "2"), "one simulator"),
        (("--workers", "0"), "at least 1"),
        (("--through-ros", "--ray", "local"), "does not go with"),
        (("--through-ros", "--experiment", "table_1"), "does not go with"),
    ],
)
def test_one_simulator_has_one_worker(words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        command.run(_arguments(*words))


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_episodes_run_through_the_nodes_and_are_reported_alike(tmp_path: Path) -> None:
    pytest.importorskip("rclpy", reason="needs ROS 2")
    file, folder = tmp_path / "report.json", tmp_path / "transcripts"
    arguments = _arguments(
        *("--through-ros", "--tasks", "put_block,close_jar", "--episodes", "1"),
        *("--json", str(file), "--transcripts", str(folder)),
    )
    assert command.run(arguments) == 0
    report = json.loads(file.read_text())
    assert report["config"]["through_ros"] is True
    assert report["success_rate"] == 1.0, [item["message"] for item in report["episodes"]]
    for episode in report["episodes"]:
        assert episode["steps"] >= 1
        assert episode["calls"] >= 3
        assert episode["simulated_s"] > 1.0
        assert (folder / f"{episode['task']}-000.jsonl").is_file()
    assert "[agents]" in (folder / "nodes.log").read_text()
