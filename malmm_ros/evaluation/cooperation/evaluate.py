"""Run all episodes, in one process or several, and put the report together."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from malmm_ros.cooperation.transport.runner import EpisodeRecord, run_episode
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.errors import MalmmError
from malmm_ros.evaluation.cooperation.configuration import CooperationConfig, find_episode
from malmm_ros.evaluation.cooperation.report import make_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One episode with one team."""

    episode: str
    seed: int
    agents: tuple[str, ...]
    is_alone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CooperationResult:
    """What came of a job; ``cpu_s`` is the processor's time, not the clock's."""

    job: Job
    record: EpisodeRecord
    cpu_s: float


def evaluate_cooperation(
    config: CooperationConfig,
    *,
    workers: int = 1,
    on_result: Callable[[CooperationResult], None] | None = None,
) -> dict[str, Any]:
    """Run a team, and one agent alone, on all episodes with all seeds.

    Args:
        config: What to run.
        workers: Processes; the report does not depend on them.
        on_result: Called with each result as it comes.

    Returns:
        The report as JSON values; see :func:`make_report`.

    Raises:
        MalmmError: An episode failed, or a process died.
    """
    started = time.monotonic()
    jobs = list_jobs(config)
    results: dict[Job, CooperationResult] = {}
    for result in _run(config, jobs, workers):
        results[result.job] = result
        if on_result is not None:
            on_result(result)
    report = make_report(config, [results[job] for job in jobs])
    report["wall_s"] = round(time.monotonic() - started, 1)
    return report


def list_jobs(config: CooperationConfig) -> list[Job]:
    """The team's episodes and those of one agent alone, unless the team is one agent of it."""
    kinds = [(config.agents, False)]
    if config.agents != (config.baseline,):
        kinds.append(((config.baseline,), True))
    return [
        Job(episode=episode.name, seed=seed, agents=agents, is_alone=is_alone)
        for agents, is_alone in kinds
        for episode in config.selected()
        for seed in range(config.seeds)
    ]


def run_job(config: CooperationConfig, job: Job) -> CooperationResult:
    """Run one episode."""
    started = time.process_time()
    world = TransportWorld(
        find_episode(job.episode), agents=AGENT_NAMES[: len(job.agents)], rules=config.rules
    )
    team = build_team(job.agents, world, seed=job.seed, options=config.options)
    record = run_episode(world, team)
    return CooperationResult(job=job, record=record, cpu_s=time.process_time() - started)


def _run(config: CooperationConfig, jobs: list[Job], workers: int) -> Iterator[CooperationResult]:
    if workers == 1:
        for job in jobs:
            yield run_job(config, job)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context) as pool:
        try:
            for future in as_completed([pool.submit(run_job, config, job) for job in jobs]):
                yield future.result()
        except BrokenProcessPool as error:
            raise MalmmError(
                "a worker process died (out of memory?); try again with fewer --workers"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
