"""Episodes of an evaluation through the nodes: load, execute, judge, one after the other."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from malmm_ros.agents import read_transcript
from malmm_ros.agents.transcript import TranscriptError
from malmm_ros.bringup.running import RunningSystem
from malmm_ros.bringup.table import Value
from malmm_ros.errors import MalmmError, NodeDiedError
from malmm_ros.evaluation.configuration import EvaluationConfig, parse_case
from malmm_ros.evaluation.episode import episode_name
from malmm_ros.evaluation.result import EpisodeResult, categorize
from malmm_ros.evaluation.workers import Job
from malmm_ros.nodes.task_client import TaskClient

# How long what was put down may take to rest, wall time.
_REST_S, _LOOK_S = 5.0, 0.1
# A node that was started again and died again this often is not started any more.
_MOST_REVIVALS = 3


def run_through_ros(
    config: EvaluationConfig, jobs: Sequence[Job], *, transcripts: Path | None = None
) -> Iterator[EpisodeResult]:
    """Bring a system up in a domain of its own and run episodes in it, as fast as possible.

    A node that dies is started again; its episode has failed.

    Args:
        config: What is evaluated.
        jobs: The episodes.
        transcripts: Folder; the nodes' output goes there too, as ``nodes.log``.

    Raises:
        NodeDiedError: The system does not come up, or a node dies again and again.
    """
    if not jobs:
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = transcripts or Path(scratch)
        with RunningSystem(
            _arguments(config), parameters=_parameters(config, folder), log=folder / "nodes.log"
        ) as system:
            failures = 0
            for job in jobs:
                try:
                    system.revive()
                    failures = 0
                except NodeDiedError:
                    failures += 1
                    if failures >= _MOST_REVIVALS:
                        raise
                yield _Episode(config, job, system.client).run()


def _arguments(config: EvaluationConfig) -> dict[str, Value]:
    """As ``malmm up sim`` takes them; the first case is the world at the start."""
    first = config.cases()[0]
    return {
        "world": config.world,
        "coppeliasim_host": config.coppeliasim.host,
        "coppeliasim_port": config.coppeliasim.port,
        "coppeliasim_scenes": config.coppeliasim.scenes,
        "motion": config.motion,
        "observations": config.observations,
        "cameras": ",".join(config.vision.cameras),
        "segmenter": config.vision.pipeline.segmenter,
        "team": config.team,
        "model": config.model.name,
        "base_url": config.model.base_url,
        "model_options": config.model.options,
        "prices": str(Path(config.model.prices).resolve()) if config.model.prices else "",
        "task": first.task,
        "options": _yaml(first.options),
        "speed": 0.0,
    }


def _parameters(config: EvaluationConfig, folder: Path) -> dict[str, dict[str, Value]]:
    """What is no argument of ``malmm up sim``, by node."""
    agents: dict[str, Value] = {"transcripts": str(folder.resolve())}
    if config.role_models:
        agents["role_models"] = ",".join(config.role_models)
    if config.observations != "vision":
        return {"agents": agents}
    eyes = config.vision.pipeline
    return {
        "agents": agents,
        "simulator": {"sensor_noise": config.vision.noise is not None},
        "scene": {
            "pipeline.segmenter_options": eyes.segmenter_options,
            "pipeline.proposer": eyes.proposer,
            "pipeline.proposer_options": eyes.proposer_options,
        },
    }


def _yaml(options: Any) -> str:
    return str(yaml.safe_dump(dict(options), default_flow_style=True)).strip() if options else ""


class _Episode:
    def __init__(self, config: EvaluationConfig, job: Job, client: TaskClient) -> None:
        self._config, self._client = config, client
        self._task, self._index = job
        self._seed = config.episode_seed(*job)
        self._started_s = time.monotonic()

    def run(self) -> EpisodeResult:
        """Run it; whatever happens to a node is a failed episode."""
        try:
            return self._run()
        except NodeDiedError as error:
            return self._failed("node_died", f"{error.node}: {error}")
        except MalmmError as error:
            return self._failed("crashed", str(error))

    def _run(self) -> EpisodeResult:
        case = parse_case(self._task, world=self._config.world)
        client = self._client
        instruction = client.load_task(case.task, self._seed, _yaml(case.options))
        begin_s = client.ground_truth().stamp_s
        outcome = client.run(instruction)
        is_success, condition = self._judge()
        claim = bool(outcome.success)
        return EpisodeResult(
            task=self._task,
            index=self._index,
            seed=self._seed,
            instruction=instruction,
            is_success=is_success,
            claim=claim,
            reason=outcome.reason,
            category="" if is_success else categorize(outcome.reason, claim=claim),
            message=outcome.message,
            condition=condition,
            wall_s=round(time.monotonic() - self._started_s, 3),
            simulated_s=round(client.ground_truth().stamp_s - begin_s, 3),
            **self._spent(Path(outcome.transcript)),
        )

    def _judge(self) -> tuple[bool, str]:
        """The simulator's verdict, once things rest."""
        deadline_s, pause = time.monotonic() + _REST_S, threading.Event()
        while True:
            is_success, condition = self._client.check_success()
            if is_success or time.monotonic() > deadline_s:
                return is_success, condition
            pause.wait(_LOOK_S)

    def _spent(self, path: Path) -> dict[str, Any]:
        """What the team's own account says; the transcript gets the episode's name."""
        try:
            events = read_transcript(path)
        except TranscriptError:
            return {}
        name = f"{episode_name(self._task, self._index)}.jsonl"
        path.replace(path.with_name(name))
        data = events[-1].data if events[-1].kind == "result" else {}
        usage = data.get("usage", {})
        return {
            "turns": data.get("turns", 0),
            "steps": data.get("steps", 0),
            **{
                key: usage.get(key, 0)
                for key in ("calls", "input_tokens", "output_tokens", "cost", "estimated_calls")
            },
        }

    def _failed(self, reason: str, message: str) -> EpisodeResult:
        return EpisodeResult(
            task=self._task,
            index=self._index,
            seed=self._seed,
            reason=reason,
            category=categorize(reason, claim=False),
            message=message,
            wall_s=round(time.monotonic() - self._started_s, 3),
        )
