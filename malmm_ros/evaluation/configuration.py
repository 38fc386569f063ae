"""What is evaluated: everything that a result depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import yaml

from malmm_ros import __version__
from malmm_ros.agents import Budget, InjectionConfig, ModelConfig, Team, TeamConfig, build_team
from malmm_ros.agents.history import HistoryMode
from malmm_ros.agents.role_models import read_role_models
from malmm_ros.configuration import plain
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.disturbing import checked_probabilities
from malmm_ros.robots.vision import VisionConfig
from malmm_ros.simulation import APPEARANCES, TASKS, WORLDS, CoppeliasimConfig

OBSERVATIONS = ("state", "vision")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A row of the table: a task, with some of its options fixed.

    Attributes:
        name: As the user wrote it, e.g. ``stack_blocks:count=2``.
    """

    name: str
    task: str
    options: Mapping[str, Any] = field(default_factory=dict)


def parse_case(text: str, *, world: str = "mujoco") -> Case:
    """Read ``TASK`` or ``TASK:option=value:…``; values are YAML.

    Args:
        text: As the user wrote it.
        world: Only tasks of our own world are known before it is loaded.

    Raises:
        UnknownNameError: No such task or option.
        ConfigurationError: It is not of that form, or a value is wrong.
    """
    task, *pairs = text.split(":")
    if world == "mujoco" and task not in TASKS:
        raise UnknownNameError("tasks", task, TASKS)
    options: dict[str, Any] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise ConfigurationError("tasks", f"{text!r} must be like stack_blocks:count=2")
        try:
            options[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ConfigurationError(f"tasks: {text}", f"{value!r} is no value") from error
    if world == "mujoco":
        TASKS[task](options)  # checks them
    return Case(name=text, task=task, options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """What is evaluated; everything that a result depends on.

    Attributes:
        tasks: Names of tasks, with fixed options where wanted: see :func:`parse_case`.
        episodes: For each task.
        seed: Every episode's own seed derives from it, the task's name and the index.
        observations: Where scenes come from.
        disturb: Probabilities by kind of disturbance; empty: nothing disturbs.
        inject: Probability of an injected error, for each step of the plan and each duty.
        budget: Of each episode.
        history: What Planner and Coder read of it: see :class:`malmm_ros.agents.TeamConfig`.
        role_models: Other models for some roles: ``("coder=small-model",)``.
        vision: Cameras, noise and perception; without effect on observations from state.
        world: Which simulator, one of ``WORLDS``.
        appearance: From which set each episode draws table, light and clutter, one of
            ``APPEARANCES``.
        coppeliasim: Where CoppeliaSim is; without effect on other worlds.
        through_ros: Whether the episodes run through nodes in processes of their own.
    """

    tasks: tuple[str, ...]
    episodes: int = 25
    seed: int = 0
    team: str = "malmm"
    model: ModelConfig = field(default_factory=ModelConfig)
    motion: str = "roboplan"
    observations: str = "state"
    disturb: Mapping[str, float] = field(default_factory=dict)
    inject: float = 0.0
    budget: Budget = field(default_factory=Budget)
    history: HistoryMode = "role"
    role_models: tuple[str, ...] = ()
    vision: VisionConfig = field(default_factory=VisionConfig)
    world: str = "mujoco"
    appearance: str = "default"
    coppeliasim: CoppeliasimConfig = field(default_factory=CoppeliasimConfig)
    through_ros: bool = False

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ConfigurationError("tasks", "names no task")
        if self.world not in WORLDS:
            raise UnknownNameError("world", self.world, WORLDS)
        for name in self.tasks:
            parse_case(name, world=self.world)
        twice = sorted({name for name in self.tasks if self.tasks.count(name) > 1})
        if twice:
            raise ConfigurationError("tasks", f"names twice: {', '.join(twice)}")
        if self.episodes < 1:
            raise ConfigurationError("episodes", f"must be at least 1, got {self.episodes}")
        if self.seed < 0:
            raise ConfigurationError("seed", f"must be 0 or more, got {self.seed}")
        if self.observations not in OBSERVATIONS:
            raise UnknownNameError("observations", self.observations, OBSERVATIONS)
        if self.disturb:
            checked_probabilities(self.disturb)
        self._check_setting()
        InjectionConfig(probability=self.inject)  # checks it
        TeamConfig(history=self.history)  # checks it
        read_role_models(self.role_models, self.model)  # checks them

    def _check_setting(self) -> None:
        """Refuse what only our own world, or only this process, can do."""
        if self.appearance not in APPEARANCES:
            raise UnknownNameError("appearance", self.appearance, APPEARANCES)
        if self.world != "mujoco" and self.disturb:
            raise ConfigurationError("disturb", f"the world {self.world!r} cannot be disturbed")
        if self.world != "mujoco" and self.appearance != "default":
            raise ConfigurationError("appearance", f"the world {self.world!r} has its own looks")
        unknown = [
            name
            for name, value in (
                ("disturb", self.disturb),
                ("inject", self.inject),
                ("history", self.history != "role"),
                ("appearance", self.appearance != "default"),
            )
            if value
        ]
        if self.through_ros and unknown:
            raise ConfigurationError(unknown[0], "cannot be had through ROS")

    def make_team(self, *, injection_seed: int | None = None) -> Team:
        """Make the team; nothing is sent yet.

        Args:
            injection_seed: Errors are injected as this seed draws them; ``None``: none are.

        Raises:
            UnknownNameError: There is no such team, or no such role in it.
            ModelError: A key is missing.
        """
        inject = None
        if injection_seed is not None:
            inject = InjectionConfig(probability=self.inject, seed=injection_seed)
        return build_team(
            self.team,
            self.model,
            config=TeamConfig(history=self.history),
            role_models=read_role_models(self.role_models, self.model),
            inject=inject,
        )

    @property
    def is_stand_in(self) -> bool:
        """Whether the rule-based model plays any role: then it is no language model's figure."""
        others = read_role_models(self.role_models, self.model).values()
        return "offline" in {self.model.name, *(model.name for model in others)}

    def cases(self) -> tuple[Case, ...]:
        """The rows of the table."""
        return tuple(parse_case(name, world=self.world) for name in self.tasks)

    def jobs(self) -> list[tuple[str, int]]:
        """Every episode as the name of its case and its index.

        Task by task in turns, so that a run that was stopped says something of each.
        """
        return [(name, index) for index in range(self.episodes) for name in self.tasks]

    def episode_seed(self, task: str, index: int) -> int:
        """The seed of one episode; equal for equal configurations on every machine.

        Teams, models and disturbances are no part of it, so that they can be compared in pairs.
        """
        digest = hashlib.sha256(f"{self.seed}/{task}/{index}".encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def to_json(self) -> dict[str, Any]:
        """The configuration as JSON values, with the version that ran it."""
        values = {"version": __version__, **plain(asdict(self))}
        if self.observations != "vision":
            del values["vision"]  # nothing depends on it
        if self.world == "mujoco":
            del values["world"], values["coppeliasim"]
        if self.appearance == "default":
            del values["appearance"]
        if not self.through_ros:
            del values["through_ros"]
        return values

    def fingerprint(self) -> str:
        """A hash of all of it; results under different ones must not be mixed."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
