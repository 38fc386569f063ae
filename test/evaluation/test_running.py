from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import Budget, strip_clock
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import EpisodeRunner, run_episode
from malmm_ros.evaluation.evaluate import evaluate
from malmm_ros.evaluation.log import EpisodeLog
from malmm_ros.evaluation.result import EpisodeResult
from malmm_ros.evaluation.workers import run_in_workers

CONFIG = EvaluationConfig(tasks=("put_block",), episodes=3, seed=11)


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    """A report without its wall-clock fields."""
    kept = {key: value for key, value in report.items() if key not in ("wall_s", "run")}
    kept["tasks"] = {
        name: {key: value for key, value in task.items() if key != "mean_wall_s"}
        for name, task in report["tasks"].items()
    }
    kept["episodes"] = [item | {"wall_s": 0.0} for item in report["episodes"]]
    return kept


def transcripts(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        path.name: [strip_clock(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(folder.iterdir())
    }


def test_equal_seeds_give_equal_results_alone_and_among_workers(tmp_path: Path) -> None:
    alone = evaluate(CONFIG, workers=1, transcripts=tmp_path / "alone")
    among = evaluate(CONFIG, workers=2, transcripts=tmp_path / "among")
    assert timeless(alone) == timeless(among)
    assert alone["success_rate"] == 1.0
    texts = transcripts(tmp_path / "alone")
    assert list(texts) == [f"put_block-{index:03d}.jsonl" for index in range(3)]
    assert texts == transcripts(tmp_path / "among")


def test_an_episode_does_not_depend_on_those_before_it() -> None:
    first = run_episode(CONFIG, "put_block", 1)
    runner = EpisodeRunner(CONFIG)
    runner.run("put_block", 2)
    later = runner.run("put_block", 1)
    runner.close()
    assert replace(later, wall_s=0.0) == replace(first, wall_s=0.0)


def test_disturbances_are_seeded_and_reported() -> None:
    config = replace(CONFIG, disturb={"knock": 1.0})
    report = evaluate(config, workers=1)
    assert report["events"]["knock"]["fired"] >= 1
    assert timeless(report) == timeless(evaluate(config, workers=1))


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole = evaluate(CONFIG, workers=1)
    with EpisodeLog(tmp_path / "a.episodes.jsonl", CONFIG) as log:
        runner = EpisodeRunner(CONFIG)
        log.append(runner.run("put_block", 1))
        runner.close()
    came: list[int] = []
    with EpisodeLog(tmp_path / "a.episodes.jsonl", CONFIG) as log:
        report = evaluate(
            CONFIG, workers=1, log=log, on_result=lambda result: came.append(result.index)
        )
    assert came == [0, 2]
    assert report["run"]["resumed_episodes"] == 1
    assert timeless(report) == timeless(whole)


def test_an_episode_that_crashes_fails_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from malmm_ros.simulation import MujocoWorld

    def broken(_self: MujocoWorld) -> tuple[bool, str]:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(MujocoWorld, "success", broken)
    result = run_episode(CONFIG, "put_block", 0)
    assert (result.is_success, result.category) == (False, "crashed")
    assert "ZeroDivisionError: oops" in result.message


class Killer:
    """Kills every worker as soon as it is there, until it is told to stop."""

    def __init__(self, *, at_most: int) -> None:
        self.killed: set[int] = set()
        self._at_most = at_most
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.05) and len(self.killed) < self._at_most:
            for child in multiprocessing.active_children():
                if child.pid is not None and child.pid not in self.killed:
                    self.killed.add(child.pid)
                    os.kill(child.pid, signal.SIGKILL)
                    break


def run_killing(at_most: int) -> tuple[list[EpisodeResult], Killer]:
    config = replace(CONFIG, episodes=1)
    with Killer(at_most=at_most) as killer:
        return list(run_in_workers(config, config.jobs(), workers=1)), killer


def test_a_dead_workers_episode_is_run_again_and_ends_as_if_nothing_had_been() -> None:
    (result,), killer = run_killing(1)
    assert len(killer.killed) == 1
    assert result.attempts == 2
    alone = run_episode(replace(CONFIG, episodes=1), "put_block", 0)
    assert asdict(result) | {"attempts": 1, "wall_s": 0.0} == asdict(alone) | {"wall_s": 0.0}


def test_a_worker_that_dies_twice_costs_its_episode() -> None:
    started = time.monotonic()
    (result,), killer = run_killing(2)
    assert len(killer.killed) == 2
    assert (result.is_success, result.category) == (False, "worker_died")
    assert "SIGKILL" in result.message
    assert time.monotonic() - started < 60.0


def test_a_budget_that_is_used_up_is_a_category() -> None:
    config = replace(CONFIG, budget=Budget(turns=2))
    assert run_episode(config, "put_block", 0).category == "budget"
