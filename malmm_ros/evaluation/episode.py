"""One episode: a seeded world, one instruction, one team, judged by physics."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from malmm_ros.agents import Budget, ModelConfig, build_team
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import TASKS, MujocoWorld


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """What is evaluated; everything that a result depends on.

    Attributes:
        tasks: Names of tasks.
        episodes: For each task.
        seed: Every episode's own seed derives from it, the task's name and the index.
        observations: Where scenes come from.
        budget: Of each episode.
    """

    tasks: tuple[str, ...]
    episodes: int = 25
    seed: int = 0
    team: str = "malmm"
    model: ModelConfig = field(default_factory=ModelConfig)
    motion: str = "roboplan"
    observations: str = "state"
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        for name in self.tasks:
            if name not in TASKS:
                raise UnknownNameError("tasks", name, TASKS)
        if not self.tasks:
            raise ConfigurationError("tasks", "names no task")
        if self.episodes < 1:
            raise ConfigurationError("episodes", f"must be at least 1, got {self.episodes}")
        if self.seed < 0:
            raise ConfigurationError("seed", f"must be 0 or more, got {self.seed}")
        if self.observations != "state":
            raise UnknownNameError("observations", self.observations, ["state"])

    def episode_seed(self, task: str, index: int) -> int:
        """The seed of one episode; equal for equal configurations on every machine."""
        digest = hashlib.sha256(f"{self.seed}/{task}/{index}".encode()).digest()
        return int.from_bytes(digest[:4], "big")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeResult:
    """How an episode ended.

    Attributes:
        is_success: By the task's own condition on the physical state.
        claim: Whether the team believed so.
        reason: The team's reason for ending.
        wall_s: Wall time.
        simulated_s: Of the world's clock.
    """

    task: str
    index: int
    seed: int
    instruction: str
    is_success: bool
    claim: bool
    reason: str
    message: str
    condition: str
    turns: int
    steps: int
    calls: int
    tokens: int
    cost: float
    wall_s: float
    simulated_s: float


def run_episode(
    config: EvaluationConfig, task: str, index: int, *, transcripts: Path | None = None
) -> EpisodeResult:
    """Run one episode in this process.

    Args:
        config: What is evaluated.
        task: One of its tasks.
        index: Of the episode, from 0.
        transcripts: Folder; the file is named after task and index.
    """
    started = time.monotonic()
    seed = config.episode_seed(task, index)
    team = build_team(config.team, config.model)
    world = MujocoWorld()
    world.reset(task, seed)
    robot = simulated_robot(world, planner=config.motion)
    outcome = team.run(
        world.instruction,
        robot,
        budget=config.budget,
        transcript=None if transcripts is None else transcripts / f"{task}-{index:03d}.jsonl",
        task_id=f"{task}-{index:03d}",
    )
    world.settle()
    is_success, condition = world.success()
    result = EpisodeResult(
        task=task,
        index=index,
        seed=seed,
        instruction=world.instruction,
        is_success=is_success,
        claim=outcome.is_success,
        reason=outcome.reason,
        message=outcome.message,
        condition=condition,
        turns=outcome.turns,
        steps=outcome.steps,
        calls=outcome.usage.calls,
        tokens=outcome.usage.tokens,
        cost=outcome.usage.cost,
        wall_s=time.monotonic() - started,
        simulated_s=world.time_s,
    )
    world.close()
    team.close()
    return result


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """Make a configuration writable as JSON: infinities become ``null``."""
    return {
        key: plain(item) if isinstance(item, Mapping) else (None if item == float("inf") else item)
        for key, item in value.items()
    }
