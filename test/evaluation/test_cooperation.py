from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest

from malmm_ros.cli import main
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.cooperation import CooperationConfig, evaluate_cooperation
from malmm_ros.evaluation.cooperation.comparison import compare_reports, read_cooperation_report
from malmm_ros.evaluation.cooperation.evaluate import list_jobs
from malmm_ros.evaluation.cooperation.report import efficiency_improvement
from malmm_ros.evaluation.statistics import mean_interval

SHORT = TransportRules(horizon_frames=150)


@pytest.mark.parametrize(
    ("team", "alone", "gain"),
    [(0.8, 0.4, 0.5), (0.4, 0.8, -0.5), (0.0, 0.0, 0.0), (0.5, 0.0, 1.0)],
)
def test_efficiency_improvement_is_the_share_of_the_better_result(
    team: float, alone: float, gain: float
) -> None:
    assert efficiency_improvement(team, alone) == pytest.approx(gain)


def test_the_interval_of_a_mean_is_students() -> None:
    low, high = mean_interval([1.0, 2.0, 3.0])
    assert (low, high) == pytest.approx(
        (2.0 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3))
    )
    assert mean_interval([1.0]) == (-math.inf, math.inf)


def test_a_team_and_one_alone_run_on_the_same_episodes_and_seeds() -> None:
    jobs = list_jobs(CooperationConfig(agents=("rhp", "random"), episodes="test", seeds=2))
    team = [(job.episode, job.seed) for job in jobs if job.part == "team"]
    alone = [(job.episode, job.seed) for job in jobs if job.part == "alone"]
    assert team == alone
    assert len(team) == 48
    assert {job.agents for job in jobs if job.part == "alone"} == {("rhp",)}
    assert len(list_jobs(CooperationConfig(agents=("rhp",)))) == 24


def test_a_report_holds_what_was_asked_for() -> None:
    config = CooperationConfig(
        agents=("random", "random"), episodes="test/00,test/02", seeds=2, rules=SHORT
    )
    report = evaluate_cooperation(config)
    assert report["transport_rate"] == 0.0
    assert report["efficiency_improvement"] == 0.0
    assert report["interval_95"] == [0.0, 0.0]
    assert report["messages"]["count"] >= 0
    assert report["parse_failures"] == report["calls"] == report["tokens"]["input"] == 0
    assert len(report["episodes"]) == 4
    assert report["config"]["agents"] == ["random", "random"]
    assert report["config"]["alone"] == "random"
    json.dumps(report["config"])


def test_reports_do_not_depend_on_workers() -> None:
    config = CooperationConfig(
        agents=("rhp", "random"), episodes="training/01,training/02", rules=SHORT
    )
    first, second = (evaluate_cooperation(config, workers=number) for number in (1, 2))
    for report in (first, second):
        del report["wall_s"], report["cpu_s_per_episode"]
    assert first == second


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"agents": ("rph",)}, "Did you mean 'rhp'"),
        ({"agents": ("rhp",) * 5}, "at most 4"),
        ({"agents": ("rhp",), "episodes": "test/99"}, "unknown"),
        ({"agents": ("rhp",), "episodes": ""}, "names no episode"),
        ({"agents": ("rhp",), "world": "housework"}, "valid: transport"),
        ({"agents": ("rhp",), "observations": "orcale"}, "Did you mean 'oracle'"),
        ({"agents": ("rhp",), "seeds": 0}, "at least 1"),
    ],
)
def test_wrong_settings_are_refused_at_once(settings: dict[str, object], words: str) -> None:
    with pytest.raises((ConfigurationError, UnknownNameError), match=words):
        CooperationConfig(**settings)  # type: ignore[arg-type]


def test_the_command_prints_both_tables_and_writes_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    words = ["cooperate", "--agents", "random", "--episodes", "test/00", "--workers", "1"]
    assert main([*words, "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert "another world" in out
    assert "CoELA" in out
    report = json.loads(file.read_text(encoding="utf-8"))
    assert {"transport_rate", "steps", "efficiency_improvement", "messages"} <= set(report)
    assert report["interval_95"] == [None, None]  # one episode bounds nothing


def test_the_command_draws_an_episode(tmp_path: Path) -> None:
    path = tmp_path / "film.png"
    assert (
        main(["cooperate", "--agents", "random", "--episodes", "test/03", "--film", str(path)])
        == 0
    )
    assert path.stat().st_size > 1000


def test_wrong_words_are_one_readable_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cooperate", "--agents", "rph,rhp"]) == 2
    error = capsys.readouterr().err
    assert "Did you mean 'rhp'" in error
    assert error.count("\n") == 1
    assert main(["cooperate", "--workers", "0"]) == 2


def test_another_team_is_compared_in_pairs() -> None:
    config = CooperationConfig(
        agents=("coela", "coela"), against=("random", "rhp"), alone="random",
        episodes="training/04,training/08", rules=TransportRules(horizon_frames=800),
    )  # fmt: skip
    report = evaluate_cooperation(config)
    other, pairs = report["against"], report["against"]["paired"]["transport_rate"]
    assert pairs["difference"] == pytest.approx(report["transport_rate"] - other["transport_rate"])
    assert pairs["better"] + pairs["equal"] + pairs["worse"] == pairs["episodes"] == 2
    assert report["calls"] > 0 == other["calls"]
    assert report["is_stand_in"]
    assert report["cost"] == 0.0
    assert report["config"]["coela"]["model"]["name"] == "offline"
    without = CooperationConfig(agents=("coela",), coela=CoelaConfig(without=("memory",)))
    assert without.fingerprint() != CooperationConfig(agents=("coela",)).fingerprint()


def test_reports_are_compared_over_what_they_share(tmp_path: Path) -> None:
    paths = [tmp_path / "first.json", tmp_path / "second.json"]
    for path, episodes in zip(paths, ("test/00,test/01", "test/01"), strict=True):
        config = CooperationConfig(agents=("random",), episodes=episodes, rules=SHORT)
        path.write_text(json.dumps(evaluate_cooperation(config)))
    first, second = (read_cooperation_report(path) for path in paths)
    assert compare_reports(first, second)["transport_rate"]["episodes"] == 1
    second["config"]["episode_hashes"]["test/01"] = "changed"
    with pytest.raises(ConfigurationError, match="test/01 is not the same"):
        compare_reports(first, second)
    paths[0].write_text("{}")
    with pytest.raises(ConfigurationError, match="not a report of"):
        read_cooperation_report(paths[0])


@pytest.mark.slow
def test_workers_end_with_a_command_that_was_killed() -> None:
    psutil = pytest.importorskip("psutil", reason="comes with the extras")
    words = ["cooperate", "--agents", "rhp,rhp", "--episodes", "training", "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "malmm_ros", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as command:
        process = psutil.Process(command.pid)
        deadline = time.monotonic() + 30.0
        while len(process.children()) < 3 and time.monotonic() < deadline:  # and a tracker
            time.sleep(0.05)
        children = process.children()
        time.sleep(3.0)  # until they wait for work or do it
        command.kill()
    assert len(children) >= 3
    _, alive = psutil.wait_procs(children, timeout=15.0)
    for child in alive:
        child.kill()
    assert not alive
