"""One episode: a seeded world, one instruction, one team, judged by physics."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from malmm_ros.agents import TaskResult, Team
from malmm_ros.backends import load_backend
from malmm_ros.configuration import plain
from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.evaluation.configuration import Case, EvaluationConfig, parse_case
from malmm_ros.evaluation.disturbing import DisturbedRobot
from malmm_ros.evaluation.result import EpisodeEvent, EpisodeResult, categorize
from malmm_ros.evaluation.witness import Witness
from malmm_ros.motion import PLANNERS, MotionPlanner
from malmm_ros.robots import PlannedRobot, Robot
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.robots.vision import VisionScenes, robot_config
from malmm_ros.simulation import MujocoWorld, World, make_world

# Beside the episode's seed, so that disturbances do not repeat the world's own draws.
_DISTURBANCE_STREAM = 1


class EpisodeRunner:
    """Runs episodes of one configuration in this process; keeps what is slow to make.

    The planner is kept: equal queries give equal plans whatever was asked before.

    Args:
        config: What is evaluated.
        transcripts: Folder; files are named after case and index. ``None`` writes none.
        around: Put around the robot of every episode, e.g. to take pictures.
    """

    def __init__(
        self,
        config: EvaluationConfig,
        *,
        transcripts: Path | None = None,
        around: Callable[[Robot, World], Robot] = lambda robot, _world: robot,
    ) -> None:
        self.config = config
        self._transcripts = transcripts
        self._around = around
        self._team = config.make_team()
        self._planner: MotionPlanner | None = None

    def run(self, task: str, index: int) -> EpisodeResult:
        """Run one episode; an error of ours is a failed episode, a wrong setting is raised.

        Args:
            task: One of the configuration's cases.
            index: Of the episode, from 0.

        Raises:
            ConfigurationError: A setting is wrong.
            MissingDependencyError: An optional package is needed.
        """
        started = time.monotonic()
        seed = self.config.episode_seed(task, index)
        try:
            return self._run(task, index, seed, started)
        except (ConfigurationError, MissingDependencyError):
            raise
        except Exception as error:  # noqa: BLE001  # one episode must not end all the others
            return EpisodeResult(
                task=task,
                index=index,
                seed=seed,
                reason="crashed",
                category="crashed",
                message=f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}",
                wall_s=time.monotonic() - started,
            )

    def close(self) -> None:
        """Close the connections to models."""
        self._team.close()

    def _run(self, task: str, index: int, seed: int, started: float) -> EpisodeResult:
        case = parse_case(task, world=self.config.world)
        world = make_world(
            self.config.world,
            coppeliasim=self.config.coppeliasim,
            appearance=self.config.appearance,
        )
        try:
            world.reset(case.task, seed, options=case.options)
            robot, events = self._make_robot(world, seed)
            outcome = self._team_for(seed).run(
                world.instruction,
                self._around(robot, world),
                budget=self.config.budget,
                transcript=self._transcript(task, index),
                task_id=episode_name(task, index),
                world=self._world_facts(case, seed),
            )
            world.settle()
            is_success, condition = world.success()
            return _result(
                outcome,
                task=task,
                index=index,
                seed=seed,
                instruction=world.instruction,
                is_success=is_success,
                condition=condition,
                events=events(),
                wall_s=time.monotonic() - started,
                simulated_s=world.time_s,
            )
        finally:
            world.close()

    def _team_for(self, seed: int) -> Team:
        """The team; where errors are injected, one whose draws are the episode's own."""
        if not self.config.inject:
            return self._team
        self._team.close()
        self._team = self.config.make_team(injection_seed=seed)
        return self._team

    def _world_facts(self, case: Case, seed: int) -> Mapping[str, Any]:
        """By which ``malmm replay`` makes the world again."""
        return {
            "task": case.task,
            **({} if self.config.world == "mujoco" else {"simulator": self.config.world}),
            **(
                {}
                if self.config.appearance == "default"
                else {"appearance": self.config.appearance}
            ),
            "seed": seed,
            "options": dict(case.options),
            "motion": self.config.motion,
            "observations": self.config.observations,
            "disturb": dict(self.config.disturb),
            **(
                {"vision": plain(asdict(self.config.vision))}
                if self.config.observations == "vision"
                else {}
            ),
        }

    def _make_robot(
        self, world: World, seed: int
    ) -> tuple[Robot, Callable[[], tuple[EpisodeEvent, ...]]]:
        """The robot that the team gets, and what will have happened to it."""
        if self._planner is None:
            make = load_backend("motion planner", self.config.motion, PLANNERS)
            self._planner = make()
        robot = self._planned_robot(self._planner, world, seed)
        if not self.config.disturb:
            return robot, tuple
        assert isinstance(world, MujocoWorld)  # as the configuration has checked
        disturbed = DisturbedRobot(
            robot,
            world,
            probabilities=self.config.disturb,
            rng=np.random.default_rng([seed, _DISTURBANCE_STREAM]),
        )
        witness = Witness(disturbed, world)
        return witness, witness.events

    def _planned_robot(self, planner: MotionPlanner, world: World, seed: int) -> PlannedRobot:
        driver = SimulationDriver(world)
        if self.config.observations == "state":
            return PlannedRobot(planner, driver, StateScenes(world))
        scenes = VisionScenes(world, self.config.vision, seed=seed)
        return PlannedRobot(planner, driver, scenes, config=robot_config(self.config.vision))

    def _transcript(self, task: str, index: int) -> Path | None:
        if self._transcripts is None:
            return None
        return self._transcripts / f"{episode_name(task, index)}.jsonl"


def episode_name(task: str, index: int) -> str:
    """What an episode's files are called."""
    return f"{task.replace(':', '-').replace('=', '-')}-{index:03d}"


def run_episode(
    config: EvaluationConfig, task: str, index: int, *, transcripts: Path | None = None
) -> EpisodeResult:
    """Run one episode in this process; see :class:`EpisodeRunner`."""
    runner = EpisodeRunner(config, transcripts=transcripts)
    try:
        return runner.run(task, index)
    finally:
        runner.close()


def _result(
    outcome: TaskResult,
    *,
    task: str,
    index: int,
    seed: int,
    instruction: str,
    is_success: bool,
    condition: str,
    events: tuple[EpisodeEvent, ...],
    wall_s: float,
    simulated_s: float,
) -> EpisodeResult:
    claim = outcome.is_success
    return EpisodeResult(
        task=task,
        index=index,
        seed=seed,
        instruction=instruction,
        is_success=is_success,
        claim=claim,
        reason=outcome.reason,
        category="" if is_success else categorize(outcome.reason, claim=claim),
        message=outcome.message,
        condition=condition,
        turns=outcome.turns,
        steps=outcome.steps,
        calls=outcome.usage.calls,
        input_tokens=outcome.usage.input_tokens,
        output_tokens=outcome.usage.output_tokens,
        cost=outcome.usage.cost,
        estimated_calls=outcome.usage.estimated_calls,
        events=events,
        injections=tuple(replace(item, is_recovered=is_success) for item in outcome.injections),
        wall_s=round(wall_s, 3),
        simulated_s=round(simulated_s, 3),
    )
