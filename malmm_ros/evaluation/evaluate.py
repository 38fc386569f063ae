"""Many episodes over several processes, and what they come to."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

from malmm_ros.evaluation.episode import EpisodeResult, EvaluationConfig, plain, run_episode
from malmm_ros.evaluation.statistics import wilson_interval


def evaluate(
    config: EvaluationConfig,
    *,
    workers: int = 2,
    transcripts: Path | None = None,
    on_result: Callable[[EpisodeResult], None] = lambda _result: None,
) -> dict[str, Any]:
    """Run all episodes of a configuration.

    Args:
        config: What is evaluated.
        workers: Processes; 1 runs in this one. The results do not depend on it.
        transcripts: Folder, made when missing.
        on_result: Called with each result as it comes, in no fixed order.

    Returns:
        The report, as ``malmm evaluate --json`` writes it.
    """
    started = time.monotonic()
    if transcripts is not None:
        transcripts.mkdir(parents=True, exist_ok=True)
    results = []
    for result in _run_all(config, workers=workers, transcripts=transcripts):
        on_result(result)
        results.append(result)
    return report(config, results, wall_s=time.monotonic() - started)


def report(
    config: EvaluationConfig, results: Sequence[EpisodeResult], *, wall_s: float
) -> dict[str, Any]:
    """Sum results up; the success rate is the mean over tasks."""
    order = {name: index for index, name in enumerate(config.tasks)}
    ordered = sorted(results, key=lambda item: (order[item.task], item.index))
    tasks = {
        name: _summary([item for item in ordered if item.task == name]) for name in config.tasks
    }
    rates = [task["success_rate"] for task in tasks.values()]
    return {
        "success_rate": sum(rates) / len(rates),
        "tasks": tasks,
        "wall_s": wall_s,
        "events": {},
        "config": plain(asdict(config)),
        "is_stand_in": config.model.is_in_process,
        "episodes": [asdict(item) for item in ordered],
    }


def _summary(results: Sequence[EpisodeResult]) -> dict[str, Any]:
    successes = sum(item.is_success for item in results)
    count = max(1, len(results))
    return {
        "success_rate": successes / count,
        "interval_95": wilson_interval(successes, len(results)),
        "episodes": len(results),
        "false_claims": sum(item.claim and not item.is_success for item in results),
        "mean_wall_s": sum(item.wall_s for item in results) / count,
        "mean_steps": sum(item.steps for item in results) / count,
        "mean_calls": sum(item.calls for item in results) / count,
        "mean_tokens": sum(item.tokens for item in results) / count,
        "cost": sum(item.cost for item in results),
        "failures": sorted(item.reason for item in results if not item.is_success),
    }


def _run_all(
    config: EvaluationConfig, *, workers: int, transcripts: Path | None
) -> Iterator[EpisodeResult]:
    jobs = [(task, index) for task in config.tasks for index in range(config.episodes)]
    if workers == 1:
        for task, index in jobs:
            yield run_episode(config, task, index, transcripts=transcripts)
        return
    # Spawned, since MuJoCo's renderer and the planners' threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [
            pool.submit(run_episode, config, task, index, transcripts=transcripts)
            for task, index in jobs
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
