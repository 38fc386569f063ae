"""``malmm cooperate``: teams of agents on the frozen episodes of a cooperation world."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malmm_ros.cli.argument_types import natural
from malmm_ros.cli.coela_arguments import add_coela_arguments, read_coela, words
from malmm_ros.cli.output_file import check_writable
from malmm_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from malmm_ros.evaluation.cooperation import CooperationConfig

EXAMPLE = (
    "malmm cooperate --world transport --agents rhp,rhp --observations oracle --episodes test "
    "--seeds 3 --json report.json"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Who, where, how often, and what to write."""
    parser.add_argument("--world", default="transport", help="transport")
    parser.add_argument(
        "--agents",
        default="rhp,rhp",
        help="1 to 4 with commas between: coela (asks a language model), rhp, random, mat, "
        "central (sees everything)",
    )
    parser.add_argument(
        "--alone",
        default="",
        help="the one agent that the team is compared with; by default the team's first",
    )
    parser.add_argument("--against", default="", help="another team, compared in pairs: rhp,rhp")
    parser.add_argument(
        "--compare-with", type=Path, help="another report: the difference on the same episodes"
    )
    add_coela_arguments(parser)
    parser.add_argument(
        "--observations",
        default="oracle",
        help="oracle: told by the world; detected: from rendered colour and depth alone",
    )
    parser.add_argument(
        "--episodes",
        default="",
        help="test, training, or names: test/03,training/11; empty: test, or with --ros the one "
        "that the world node was started with",
    )
    parser.add_argument("--seeds", type=int, default=1, help="runs of each episode")
    parser.add_argument(
        "--workers", type=int, default=min(4, os.cpu_count() or 1), help="processes"
    )
    parser.add_argument("--json", type=Path, help="write the report here")
    parser.add_argument(
        "--ros",
        action="store_true",
        help="through running nodes (malmm up cooperation), with the agents that are there",
    )
    parser.add_argument(
        "--horizon", type=natural, default=0, help="with --ros: frames of an episode; 0: 3000"
    )
    parser.add_argument(
        "--film",
        type=Path,
        help="draw the first episode from above: PNG strip or GIF; nothing else is run",
    )


def run(arguments: argparse.Namespace) -> int:
    """Evaluate a team; 0 when all episodes were run."""
    if arguments.ros:
        return _through_ros(arguments)
    if arguments.horizon:
        raise ConfigurationError("--horizon", "is an option of episodes with --ros only")
    from malmm_ros.cli.cooperation_output import Progress, print_report
    from malmm_ros.evaluation.cooperation import CooperationConfig, evaluate_cooperation
    from malmm_ros.evaluation.cooperation.comparison import (
        compare_reports,
        read_cooperation_report,
    )

    if arguments.workers < 1:
        raise ConfigurationError("--workers", f"must be at least 1, got {arguments.workers}")
    other = None
    if arguments.compare_with is not None:
        other = read_cooperation_report(arguments.compare_with)
    config = CooperationConfig(
        world=arguments.world,
        agents=words(arguments.agents),
        alone=arguments.alone,
        against=words(arguments.against),
        coela=read_coela(arguments),
        observations=arguments.observations,
        episodes=arguments.episodes or "test",
        seeds=arguments.seeds,
    )
    check_writable(arguments.json, "--json")
    if arguments.film is not None:
        return _film(config, arguments.film)
    with Progress(config) as progress:
        report = evaluate_cooperation(
            config,
            workers=arguments.workers,
            transcripts=arguments.transcripts,
            on_result=progress.advance,
        )
    if other is not None:
        report["compared_with"] = compare_reports(report, other)
    print_report(report)
    if arguments.json is not None:
        _write(report, arguments.json)
    return 0


def _through_ros(arguments: argparse.Namespace) -> int:
    """Refuse what only the nodes can be told, rather than ignore it; then run.

    Raises:
        ConfigurationError: Such an option was given.
    """
    from malmm_ros.cli.ros_cooperation import OPTIONS, run_through_nodes

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for name, value in vars(arguments).items():
        if name not in OPTIONS and value != parser.get_default(name):
            raise ConfigurationError(
                f"--{name.replace('_', '-')}",
                "is the nodes' own setting, or has no effect with --ros; "
                "give it to `malmm up cooperation` or `ros2 launch` if they have it",
            )
    check_writable(arguments.json, "--json")
    report = run_through_nodes(arguments)
    if arguments.json is not None:
        _write(report, arguments.json)
    return 0 if report["success"] else 1


def _write(report: dict[str, Any], path: Path) -> None:
    text = json.dumps(_finite(report), indent=2, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _finite(value: Any) -> Any:
    """JSON knows no infinity: an interval without bounds is null."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    is_infinite = isinstance(value, float) and value in (float("inf"), float("-inf"))
    return None if is_infinite else value


def _film(config: CooperationConfig, path: Path) -> int:
    from malmm_ros.cooperation.coela.session import Session
    from malmm_ros.cooperation.transport.film import Film, check_film
    from malmm_ros.cooperation.transport.runner import run_episode
    from malmm_ros.cooperation.transport.team import build_team
    from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld

    check_film(path)
    if config.observations != "oracle":
        raise ConfigurationError("--film", "is drawn with oracle observations only")
    check_writable(path, "--film")
    names = AGENT_NAMES[: len(config.agents)]
    world = TransportWorld(config.selected()[0], agents=names, rules=config.rules)
    with Session(config.coela) if config.has_coela else nullcontext() as session:
        own = {"coela": {"config": config.coela, "session": session}}
        team = build_team(config.agents, world, seed=0, options={**config.options, **own})
        film = Film(world, team, is_dense=path.suffix != ".png")
        record = run_episode(world, team, on_step=film.take)
    film.take(world, {})
    film.save(path)
    print(
        f"{world.episode.name}, {', '.join(config.agents)}: transport rate "
        f"{record.transport_rate:.2f} after {record.frames} frames; pictures in {path}"
    )
    return 0
