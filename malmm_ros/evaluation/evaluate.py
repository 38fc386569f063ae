"""Many episodes, in this process or others, and what they come to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import EpisodeRunner
from malmm_ros.evaluation.log import EpisodeLog
from malmm_ros.evaluation.report import make_report
from malmm_ros.evaluation.result import EpisodeResult
from malmm_ros.evaluation.workers import Job, run_in_workers


def evaluate(
    config: EvaluationConfig,
    *,
    workers: int = 2,
    transcripts: Path | None = None,
    log: EpisodeLog | None = None,
    ray_address: str = "",
    run_jobs: Callable[[Sequence[Job]], Iterator[EpisodeResult]] | None = None,
    on_result: Callable[[EpisodeResult], None] = lambda _result: None,
) -> dict[str, Any]:
    """Run all episodes of a configuration, but for those that a log holds already.

    Args:
        config: What is evaluated.
        workers: Processes; 1 runs in this one. The results do not depend on it.
        transcripts: Folder, made when missing.
        log: Gets every result as it comes.
        ray_address: Of a Ray cluster that runs the episodes; ``local`` starts one here.
        run_jobs: Runs the episodes in another way, e.g. through ROS; ``None``: here.
        on_result: Called with each new result as it comes, in no fixed order.

    Returns:
        The report, as ``malmm evaluate --json`` writes it.
    """
    started = time.monotonic()
    if transcripts is not None:
        transcripts.mkdir(parents=True, exist_ok=True)
    results = [] if log is None else list(log.results)
    done = {(item.task, item.index) for item in results}
    jobs = [job for job in config.jobs() if job not in done]
    resumed = len(results)
    if run_jobs is not None:
        ended = run_jobs(jobs)
    else:
        ended = _run(
            config, jobs, workers=workers, transcripts=transcripts, ray_address=ray_address
        )
    for result in ended:
        if log is not None:
            log.append(result)
        results.append(result)
        on_result(result)
    return make_report(
        config,
        results,
        wall_s=time.monotonic() - started,
        run={"workers": workers, "ray": ray_address, "resumed_episodes": resumed},
    )


def _run(
    config: EvaluationConfig,
    jobs: Sequence[Job],
    *,
    workers: int,
    transcripts: Path | None,
    ray_address: str,
) -> Iterator[EpisodeResult]:
    if not jobs:
        return
    if ray_address:
        from malmm_ros.evaluation.ray import run_on_ray

        yield from run_on_ray(config, jobs, address=ray_address, transcripts=transcripts)
    elif workers == 1:
        runner = EpisodeRunner(config, transcripts=transcripts)
        try:
            for job in jobs:
                yield runner.run(*job)
        finally:
            runner.close()
    else:
        yield from run_in_workers(config, jobs, workers=workers, transcripts=transcripts)
