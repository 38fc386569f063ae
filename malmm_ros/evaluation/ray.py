"""Episodes over a Ray cluster; every machine of it needs this package installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import EpisodeRunner
from malmm_ros.evaluation.result import EpisodeResult

_MOST_TRIES = 2


def run_on_ray(
    config: EvaluationConfig,
    jobs: Sequence[tuple[str, int]],
    *,
    address: str,
    transcripts: Path | None = None,
) -> Iterator[EpisodeResult]:
    """Run episodes on a cluster and give each result as it comes; one CPU each.

    Args:
        config: What is evaluated.
        jobs: Cases and indices.
        address: Of the cluster, as ``ray.init`` takes it; ``local`` starts one on this machine.
        transcripts: Folder on the machine that runs the episode.

    Raises:
        MissingDependencyError: Ray is not installed.
        ConfigurationError: The cluster cannot be reached.
    """
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "ray", needed_for="--ray", install="pip install ray", instead="--workers"
        ) from error
    try:
        ray.init(address=address, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigurationError("--ray", f"no cluster at {address!r}: {error}") from error
    try:
        yield from _run(ray, config, jobs, transcripts)
    finally:
        ray.shutdown()


def _run(
    ray: Any, config: EvaluationConfig, jobs: Sequence[tuple[str, int]], folder: Path | None
) -> Iterator[EpisodeResult]:
    run = ray.remote(num_cpus=1, max_retries=0)(_run_episode)
    tries = dict.fromkeys(jobs, 1)
    pending = {run.remote(config, *job, folder): job for job in jobs}
    while pending:
        (ready,), _ = ray.wait(list(pending), num_returns=1)
        job = pending.pop(ready)
        try:
            yield replace(ray.get(ready), attempts=tries[job])
        except ray.exceptions.WorkerCrashedError as error:
            if tries[job] < _MOST_TRIES:
                tries[job] += 1
                pending[run.remote(config, *job, folder)] = job
                continue
            yield EpisodeResult(
                task=job[0],
                index=job[1],
                seed=config.episode_seed(*job),
                reason="worker_died",
                category="worker_died",
                message=f"its worker died {_MOST_TRIES} times; the last: {error}",
                attempts=_MOST_TRIES,
            )


_RUNNERS: dict[tuple[str, str], EpisodeRunner] = {}


def _run_episode(
    config: EvaluationConfig, task: str, index: int, folder: Path | None
) -> EpisodeResult:
    """In a worker of the cluster, which keeps its planner for the next episode."""
    key = (config.fingerprint(), str(folder))
    if key not in _RUNNERS:
        _RUNNERS[key] = EpisodeRunner(config, transcripts=folder)
    return _RUNNERS[key].run(task, index)
