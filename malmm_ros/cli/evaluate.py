"""``malmm evaluate``: success rates over seeded episodes, with intervals."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malmm_ros.cli.model_arguments import add_model_arguments, read_model
from malmm_ros.cli.output_file import check_writable
from malmm_ros.cli.vision_arguments import add_vision_arguments, read_vision
from malmm_ros.cli.world_arguments import add_world_arguments, read_coppeliasim
from malmm_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from malmm_ros.agents import ModelConfig
    from malmm_ros.evaluation.configuration import EvaluationConfig

EXAMPLE = "malmm evaluate --tasks put_block,stack_blocks --episodes 20 --json report.json"


EPISODES = 25
# What an experiment says itself, with the values that stand for "not given".
_FIXED = {
    "tasks": "all",
    "team": "malmm",
    "observations": "state",
    "disturb": "",
    "inject": 0.0,
    "history": "role",
    "appearance": "default",
    "role_model": [],
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to evaluate, how, and what to write."""
    parser.add_argument(
        "--tasks",
        default="all",
        help="all, or names with commas between; options fixed as in stack_blocks:count=2",
    )
    parser.add_argument(
        "--episodes", type=int, help=f"for each task; {EPISODES}, or as the experiment says"
    )
    parser.add_argument("--team", default="malmm", help="the team of agents")
    add_model_arguments(parser)
    add_vision_arguments(parser)
    add_world_arguments(parser)
    parser.add_argument(
        "--appearance",
        default="default",
        help="table, light and clutter: default, or drawn for each episode from the set "
        "development or held_out",
    )
    parser.add_argument("--seed", type=int, default=0, help="every episode's seed derives from it")
    parser.add_argument(
        "--disturb", default="", help="NAME=P,… or all=P: probability at each opportunity"
    )
    parser.add_argument(
        "--inject",
        type=float,
        default=0.0,
        metavar="P",
        help="put errors of language models into answers: probability for each step and duty",
    )
    parser.add_argument("--experiment", default="", help="a named one: config/experiments")
    _add_running(parser)
    _add_outputs(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=int,
        help="processes; by default one for each core, at most 4, and 1 where the world is "
        "CoppeliaSim or with --through-ros",
    )
    parser.add_argument(
        "--through-ros",
        action="store_true",
        help="through the nodes, each in a process of its own, which this command starts",
    )
    parser.add_argument("--ray", default="", help="address of a Ray cluster; local: start one")
    parser.add_argument(
        "--fresh", action="store_true", help="begin anew, whatever a stopped run has left"
    )
    parser.add_argument(
        "--show", default="", help="TASK:INDEX: run this one episode and take pictures"
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--transcripts", type=Path, help="folder for the episodes' transcripts")
    parser.add_argument(
        "--json",
        type=Path,
        help="write the report here, and each episode at once beside it: a run that was stopped "
        "goes on there",
    )
    parser.add_argument(
        "--compare-with", type=Path, help="another report: the difference on the same episodes"
    )
    parser.add_argument("--markdown", type=Path, help="write a table beside the paper's here")
    parser.add_argument("--plot", type=Path, help="draw it here: PNG, SVG or PDF")
    parser.add_argument(
        "--images", type=Path, default=Path("episode.png"), help="of --show: PNG strip or GIF"
    )


def run(arguments: argparse.Namespace) -> int:
    """Evaluate; 0 when all episodes were run."""
    arguments.workers = _workers(arguments)
    if arguments.show:
        return _show(arguments)
    configs = _read_configs(arguments)
    for config in configs.values():
        config.make_team().close()
    other = _check_outputs(arguments)
    _announce(configs)
    reports = {name: _evaluate(name, config, arguments) for name, config in configs.items()}
    _write(arguments, reports, other)
    if any(_is_unanswered(report) for report in reports.values()):
        sys.stderr.write("malmm evaluate: the language model never answered; see the episodes\n")
        return 1
    return 0


def _workers(arguments: argparse.Namespace) -> int:
    """How many processes run episodes.

    Raises:
        ConfigurationError: Several are asked for where there is one simulator, or less than one.
    """
    is_alone = arguments.through_ros or arguments.world != "mujoco"
    if arguments.through_ros:
        for name in ("ray", "show", "experiment"):
            if getattr(arguments, name):
                raise ConfigurationError(f"--{name}", "does not go with --through-ros")
    if arguments.workers is None:
        return 1 if is_alone else min(4, os.cpu_count() or 1)
    if arguments.workers < 1:
        raise ConfigurationError("--workers", f"must be at least 1, got {arguments.workers}")
    if is_alone and (arguments.workers > 1 or arguments.ray):
        raise ConfigurationError("--workers", "must be 1: there is one simulator")
    return int(arguments.workers)


def _is_unanswered(report: Mapping[str, Any]) -> bool:
    """Whether every episode failed since the model did: no measure of a team."""
    tasks = report["tasks"].values()
    return all(task["failures"].get("model", 0) == task["episodes"] for task in tasks)


def _read_configs(arguments: argparse.Namespace) -> dict[str, EvaluationConfig]:
    """The runs asked for, by name; a single one has an empty name."""
    from malmm_ros.evaluation.experiments import load_experiment

    model = read_model(arguments)
    if arguments.experiment:
        for name, default in _FIXED.items():
            if getattr(arguments, name) != default:
                option = f"--{name.replace('_', '-')}"
                raise ConfigurationError(option, "the experiment says that itself")
        experiment = load_experiment(arguments.experiment)
        return experiment.configs(
            seed=arguments.seed,
            model=model,
            episodes=arguments.episodes,
            vision=read_vision(arguments, is_used=experiment.has_vision),
        )
    return {"": _read_config(arguments, model)}


def _read_config(arguments: argparse.Namespace, model: ModelConfig) -> EvaluationConfig:
    from malmm_ros.evaluation.configuration import EvaluationConfig

    names = [name.strip() for name in arguments.tasks.split(",")]
    return EvaluationConfig(
        tasks=_all_tasks(arguments) if names == ["all"] else tuple(filter(None, names)),
        episodes=EPISODES if arguments.episodes is None else arguments.episodes,
        seed=arguments.seed,
        team=arguments.team,
        model=model,
        observations=arguments.observations,
        disturb=read_disturb(arguments.disturb),
        inject=arguments.inject,
        history=arguments.history,
        role_models=tuple(arguments.role_model),
        vision=read_vision(arguments),
        world=arguments.world,
        appearance=arguments.appearance.replace("-", "_"),
        coppeliasim=read_coppeliasim(arguments),
        through_ros=arguments.through_ros,
    )


def _all_tasks(arguments: argparse.Namespace) -> tuple[str, ...]:
    from malmm_ros.simulation import TASKS
    from malmm_ros.simulation.coppeliasim.description import scene_folder

    if arguments.world != "coppeliasim":
        return tuple(TASKS)
    folder = scene_folder(arguments.coppeliasim_scenes)
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def read_disturb(text: str) -> dict[str, float]:
    """Read ``--disturb``: every kind with its probability, those of ``all`` spelt out.

    Raises:
        ConfigurationError: It is not of the form, or a kind or probability is wrong.
    """
    from malmm_ros.evaluation.disturbing import checked_probabilities

    given: dict[str, float] = {}
    for pair in filter(None, text.split(",")):
        name, separator, value = pair.partition("=")
        try:
            given[name.strip()] = float(value)
        except ValueError as error:
            problem = f"{pair!r} must be like knock=0.3 or all=0.3"
            raise ConfigurationError("--disturb", problem) from error
        if not separator:
            raise ConfigurationError("--disturb", f"{pair!r} must be like knock=0.3")
    return checked_probabilities(given) if given else {}


def _check_outputs(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Refuse what cannot be written before any work is done; the report to compare with."""
    from malmm_ros.evaluation.comparison import read_report
    from malmm_ros.evaluation.plot import check_plot

    for option in ("json", "markdown", "plot"):
        check_writable(getattr(arguments, option), f"--{option}")
    if arguments.plot is not None:
        check_plot(arguments.plot)
    if arguments.compare_with is None:
        return None
    if arguments.experiment:
        raise ConfigurationError("--compare-with", "an experiment compares its own runs")
    return read_report(arguments.compare_with)


def _announce(configs: Mapping[str, EvaluationConfig]) -> None:
    from malmm_ros.evaluation.expectation import expect, read_means

    sys.stdout.write(f"{expect(configs.values(), read_means())}\n")
    sys.stdout.flush()


def _evaluate(
    name: str, config: EvaluationConfig, arguments: argparse.Namespace
) -> dict[str, Any]:
    from malmm_ros.cli.evaluation_output import Progress, print_report
    from malmm_ros.evaluation.evaluate import evaluate
    from malmm_ros.evaluation.log import EpisodeLog, log_path

    log = None
    if arguments.json is not None:
        path = log_path(arguments.json)
        if name:
            path = path.with_name(path.name.replace(".episodes", f".{name}.episodes"))
        log = EpisodeLog(path, config, is_fresh=arguments.fresh)
    folder = arguments.transcripts
    try:
        with Progress(config, [] if log is None else log.results) as progress:
            report = evaluate(
                config,
                workers=arguments.workers,
                transcripts=folder / name if folder and name else folder,
                log=log,
                ray_address=arguments.ray,
                run_jobs=_ros_episodes(config, folder) if arguments.through_ros else None,
                on_result=progress.advance,
            )
    finally:
        if log is not None:
            log.close()
    print_report(report)
    return report


def _ros_episodes(config: EvaluationConfig, transcripts: Path | None) -> Any:
    from malmm_ros.cli.ros_episodes import run_through_ros

    return lambda jobs: run_through_ros(config, jobs, transcripts=transcripts)


def _write(
    arguments: argparse.Namespace,
    reports: dict[str, dict[str, Any]],
    other: Mapping[str, Any] | None,
) -> None:
    from malmm_ros.cli.evaluation_output import print_comparison
    from malmm_ros.evaluation.comparison import compare
    from malmm_ros.evaluation.markdown import render_table
    from malmm_ros.evaluation.plot import save_plot

    (first, *rest) = reports.values()
    result: dict[str, Any] = first
    if arguments.experiment:
        comparisons = [compare(first, report) for report in rest]
        result = {"experiment": arguments.experiment, "runs": reports, "comparisons": comparisons}
    else:
        comparisons = [] if other is None else [compare(first, other)]
        if comparisons:
            result = {**first, "comparison": comparisons[0]}
    for comparison in comparisons:
        print_comparison(comparison)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    if arguments.markdown is not None:
        text = "\n".join(render_table(report) for report in reports.values())
        arguments.markdown.write_text(text, encoding="utf-8")
    if arguments.plot is not None:
        save_plot({_legend(report): report for report in reports.values()}, arguments.plot)


def _legend(report: Mapping[str, Any]) -> str:
    model = "offline stand-in" if report["is_stand_in"] else report["config"]["model"]["name"]
    disturbed = ", disturbed" if report["config"]["disturb"] else ""
    return f"team {report['config']['team']}, {model}{disturbed}"


def _show(arguments: argparse.Namespace) -> int:
    """Run one episode of the evaluation that the other options name, and take pictures."""
    from malmm_ros.evaluation.episode import EpisodeRunner
    from malmm_ros.evaluation.film import FilmingRobot, check_film, save_film

    task, _, number = arguments.show.rpartition(":")
    if not task or not number.isdecimal():
        raise ConfigurationError("--show", f"must be TASK:INDEX, got {arguments.show!r}")
    arguments.tasks = task
    config = _read_config(arguments, read_model(arguments))
    config.make_team().close()
    check_film(arguments.images)
    check_writable(arguments.images, "--images")
    films: list[FilmingRobot] = []

    def film(robot: Any, world: Any) -> FilmingRobot:
        films.append(FilmingRobot(robot, world))
        return films[-1]

    runner = EpisodeRunner(config, transcripts=arguments.transcripts, around=film)
    result = runner.run(task, int(number))
    runner.close()
    if films:
        save_film(films[-1].pictures, arguments.images)
    words = "succeeded" if result.is_success else f"failed ({result.category}): {result.message}"
    sys.stdout.write(
        f"{result.instruction}\n{task} #{number} (seed {result.seed}) {words}\n"
        f"{result.condition}\npictures: {arguments.images}\n"
    )
    return 0 if result.is_success else 1
