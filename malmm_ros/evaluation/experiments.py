"""Named experiments: several runs that belong to one table of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from malmm_ros.agents import TEAMS, ModelConfig
from malmm_ros.configuration import config_folder, load_yaml
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.evaluation.configuration import OBSERVATIONS, EvaluationConfig
from malmm_ros.evaluation.disturbing import DISTURBANCE_KINDS
from malmm_ros.robots.vision import VisionConfig
from malmm_ros.simulation import TASKS


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRun:
    """One run of an experiment: a column of its table.

    Attributes:
        name: In the report and in file names.
        disturb: The same probability for every kind of disturbance.
    """

    name: str
    team: str = "malmm"
    observations: str = "state"
    disturb: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What a table needs.

    Attributes:
        title: For people.
        tasks: As ``malmm evaluate --tasks`` takes them.
        episodes: For each task and run.
        runs: With equal seeds, so that they can be compared in pairs.
    """

    title: str = ""
    tasks: tuple[str, ...] = ()
    episodes: int = 25
    runs: tuple[ExperimentRun, ...] = field(default_factory=tuple)

    def missing(self) -> list[str]:
        """What it needs and does not exist here, for people; empty when it can be run."""
        needs: list[tuple[str, list[str], Iterable[str]]] = [
            ("task", [name.partition(":")[0] for name in self.tasks], TASKS),
            ("team", [run.team for run in self.runs], TEAMS),
            ("observations", [run.observations for run in self.runs], OBSERVATIONS),
        ]
        return [
            f"{what} {name!r}"
            for what, names, valid in needs
            for name in dict.fromkeys(names)
            if name not in set(valid)
        ]

    @property
    def has_vision(self) -> bool:
        """Whether any of its runs sees with cameras."""
        return any(run.observations == "vision" for run in self.runs)

    def configs(
        self,
        *,
        seed: int,
        model: ModelConfig,
        episodes: int | None = None,
        vision: VisionConfig | None = None,
    ) -> dict[str, EvaluationConfig]:
        """The evaluations, by the name of the run.

        Args:
            seed: Of all runs.
            model: Of all runs.
            episodes: Other than its own, for a try.
            vision: Eyes of the runs that see with cameras.
        """
        return {
            run.name: EvaluationConfig(
                tasks=self.tasks,
                episodes=self.episodes if episodes is None else episodes,
                seed=seed,
                team=run.team,
                model=model,
                observations=run.observations,
                disturb=dict.fromkeys(DISTURBANCE_KINDS, run.disturb) if run.disturb else {},
                vision=vision or VisionConfig(),
            )
            for run in self.runs
        }


def experiment_names() -> list[str]:
    """What ``--experiment`` takes."""
    return sorted(path.stem for path in config_folder("experiments").glob("*.yaml"))


def load_experiment(name: str) -> Experiment:
    """Read an experiment.

    Raises:
        UnknownNameError: There is none of that name.
        ConfigurationError: Its file is wrong, or it needs what does not exist.
    """
    if name not in experiment_names():
        raise UnknownNameError("--experiment", name, experiment_names())
    experiment = load_yaml(Experiment, config_folder("experiments") / f"{name}.yaml")
    missing = experiment.missing()
    if missing:
        raise ConfigurationError(
            f"experiment {name}",
            f"cannot be run yet, since there is no {', no '.join(missing)}; {experiment.title}",
        )
    return experiment
