"""Run all episodes, in one process or several, and put the report together."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from malmm_ros.cooperation.coela.episode import run_talking
from malmm_ros.cooperation.detection.quality import Judge
from malmm_ros.cooperation.detection.world import DetectedWorld
from malmm_ros.cooperation.transport.runner import EpisodeRecord, run_episode
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.errors import MalmmError
from malmm_ros.evaluation.cooperation.configuration import CooperationConfig, find_episode
from malmm_ros.evaluation.cooperation.report import make_report

# The team, one agent alone, and the team that it is compared with.
Part = Literal["team", "alone", "against"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One episode with one team."""

    episode: str
    seed: int
    agents: tuple[str, ...]
    part: Part

    @property
    def name(self) -> str:
        """For files, ``test-03-seed0-team``."""
        return f"{self.episode.replace('/', '-')}-seed{self.seed}-{self.part}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CooperationResult:
    """What came of a job; ``cpu_s`` is the processor's time, not the clock's.

    Attributes:
        judge: How well things were detected; ``None`` where nothing had to be.
    """

    job: Job
    record: EpisodeRecord
    cpu_s: float
    judge: Judge | None = None


def evaluate_cooperation(
    config: CooperationConfig,
    *,
    workers: int = 1,
    transcripts: Path | None = None,
    on_result: Callable[[CooperationResult], None] | None = None,
) -> dict[str, Any]:
    """Run a team, and one agent alone, on all episodes with all seeds.

    Args:
        config: What to run.
        workers: Processes; the report does not depend on them.
        transcripts: Folder for a transcript of each episode with agents that ask a model, made
            when missing.
        on_result: Called with each result as it comes.

    Returns:
        The report as JSON values; see :func:`make_report`.

    Raises:
        MalmmError: An episode failed, or a process died.
    """
    started = time.monotonic()
    if transcripts is not None:
        transcripts.mkdir(parents=True, exist_ok=True)
    jobs = list_jobs(config)
    results: dict[Job, CooperationResult] = {}
    for result in _run(config, jobs, workers, transcripts):
        results[result.job] = result
        if on_result is not None:
            on_result(result)
    report = make_report(config, [results[job] for job in jobs])
    report["wall_s"] = round(time.monotonic() - started, 1)
    return report


def list_jobs(config: CooperationConfig) -> list[Job]:
    """The episodes of the team, of one agent alone unless the team is that, and of the other."""
    kinds: list[tuple[tuple[str, ...], Part]] = [(config.agents, "team")]
    if config.agents != (config.baseline,):
        kinds.append(((config.baseline,), "alone"))
    if config.against:
        kinds.append((config.against, "against"))
    return [
        Job(episode=episode.name, seed=seed, agents=agents, part=part)
        for agents, part in kinds
        for episode in config.selected()
        for seed in range(config.seeds)
    ]


def run_job(
    config: CooperationConfig, job: Job, transcripts: Path | None = None
) -> CooperationResult:
    """Run one episode."""
    started = time.process_time()
    with _open_world(config, job) as world:
        record = _play(config, job, world, transcripts)
        judge = world.judge if isinstance(world, DetectedWorld) else None
    cpu_s = time.process_time() - started
    return CooperationResult(job=job, record=record, cpu_s=cpu_s, judge=judge)


@contextmanager
def _open_world(config: CooperationConfig, job: Job) -> Iterator[TransportWorld]:
    """The world of a job at its start, with the observations that are asked for."""
    episode, names = find_episode(job.episode), AGENT_NAMES[: len(job.agents)]
    if config.observations != "detected":
        yield TransportWorld(episode, agents=names, rules=config.rules)
        return
    world = DetectedWorld(episode, agents=names, rules=config.rules)
    try:
        yield world
    finally:
        world.close()


def _play(
    config: CooperationConfig, job: Job, world: TransportWorld, transcripts: Path | None
) -> EpisodeRecord:
    if "coela" in job.agents:
        path = None if transcripts is None else transcripts / f"{job.name}.jsonl"
        return run_talking(
            world,
            job.agents,
            seed=job.seed,
            config=config.coela,
            options=config.options,
            transcript=path,
        )
    team = build_team(job.agents, world, seed=job.seed, options=config.options)
    return run_episode(world, team)


def _run(
    config: CooperationConfig, jobs: list[Job], workers: int, transcripts: Path | None
) -> Iterator[CooperationResult]:
    if workers == 1:
        for job in jobs:
            yield run_job(config, job, transcripts)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(workers, len(jobs)), mp_context=context, initializer=_end_with_parent
    ) as pool:
        futures = [pool.submit(run_job, config, job, transcripts) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise MalmmError(
                "a worker process died (out of memory?); try again with fewer --workers"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """Let a worker end when whoever started it was killed; its queue would never tell."""

    def watch(parent: Any) -> None:
        parent.join()
        os._exit(1)

    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()
