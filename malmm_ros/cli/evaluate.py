"""``malmm evaluate``: success rates over seeded episodes, with intervals."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from malmm_ros.errors import ConfigurationError

EXAMPLE = "malmm evaluate --tasks put_block,stack_blocks --episodes 20 --json report.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to evaluate."""
    parser.add_argument("--tasks", default="all", help="all, or names with commas between")
    parser.add_argument("--episodes", type=int, default=25, help="for each task")
    parser.add_argument("--team", default="malmm", help="the team of agents")
    parser.add_argument("--model", default="offline", help="the language model's name")
    parser.add_argument("--base-url", default="", help="of an OpenAI-compatible endpoint")
    parser.add_argument("--observations", default="state", help="where scenes come from")
    parser.add_argument("--seed", type=int, default=0, help="every episode's seed derives from it")
    parser.add_argument(
        "--workers", type=int, default=min(4, os.cpu_count() or 1), help="processes"
    )
    parser.add_argument("--transcripts", type=Path, help="folder for the episodes' transcripts")
    parser.add_argument("--json", type=Path, help="write the report here")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate; 0 when all episodes were run."""
    from malmm_ros.agents import ModelConfig, build_team
    from malmm_ros.evaluation.episode import EvaluationConfig
    from malmm_ros.simulation import TASKS

    if arguments.workers < 1:
        raise ConfigurationError("--workers", f"must be at least 1, got {arguments.workers}")
    names = tuple(TASKS) if arguments.tasks == "all" else tuple(arguments.tasks.split(","))
    config = EvaluationConfig(
        tasks=names,
        episodes=arguments.episodes,
        seed=arguments.seed,
        team=arguments.team,
        model=ModelConfig(name=arguments.model, base_url=arguments.base_url),
        observations=arguments.observations,
    )
    build_team(config.team, config.model).close()
    _check_writable(arguments.json)
    report = _evaluate(config, arguments)
    _print(report)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0


def _check_writable(path: Path | None) -> None:
    """Refuse an unwritable file before any work is done."""
    if path is None:
        return
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise ConfigurationError("--json", f"{path} cannot be written: {error}") from error


def _evaluate(config: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from malmm_ros.evaluation.evaluate import evaluate

    successes = done = 0
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
    ) as bar:
        total = len(config.tasks) * config.episodes
        progress = bar.add_task("episodes", total=total)

        def advance(result: Any) -> None:
            nonlocal successes, done
            successes, done = successes + result.is_success, done + 1
            bar.update(progress, advance=1, description=f"success {successes}/{done}")
            if not result.is_success:
                bar.console.print(
                    f"{result.task} #{result.index} (seed {result.seed}) failed: "
                    f"{result.reason}; {result.condition}",
                    highlight=False,
                )

        return evaluate(
            config, workers=arguments.workers, transcripts=arguments.transcripts, on_result=advance
        )


def _print(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    model = report["config"]["model"]["name"]
    note = " (rule-based stand-in, not a language model)" if report["is_stand_in"] else ""
    table = Table(title=f"team {report['config']['team']}, model {model}{note}")
    for column in ("task", "success", "95 % interval", "steps", "calls", "s an episode"):
        table.add_column(column)
    for name, task in report["tasks"].items():
        low, high = task["interval_95"]
        table.add_row(
            name,
            f"{task['success_rate']:.2f}",
            f"{low:.2f} to {high:.2f}",
            f"{task['mean_steps']:.1f}",
            f"{task['mean_calls']:.1f}",
            f"{task['mean_wall_s']:.1f}",
        )
    Console().print(table)
    sys.stdout.write(
        f"success rate {report['success_rate']:.3f}, {report['wall_s']:.0f} s of wall time\n"
    )
