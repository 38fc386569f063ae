"""What ``malmm evaluate`` shows: a bar while it runs, tables at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from malmm_ros.cli.conversation import printable
from malmm_ros.cli.episode_bar import EpisodeBar
from malmm_ros.evaluation.markdown import describe_eyes
from malmm_ros.evaluation.result import CATEGORIES

if TYPE_CHECKING:
    from malmm_ros.evaluation.configuration import EvaluationConfig
    from malmm_ros.evaluation.result import EpisodeResult


class Progress(EpisodeBar):
    """A bar with the running success rate; failures are printed above it."""

    def __init__(self, config: EvaluationConfig, results: Sequence[EpisodeResult]) -> None:
        self._done = len(results)
        self._successes = sum(item.is_success for item in results)
        super().__init__(self._text(), total=len(config.jobs()), done=self._done)
        if results:
            self._bar.console.print(f"{len(results)} episodes are done already")

    def advance(self, result: EpisodeResult) -> None:
        """Count an episode."""
        self._done += 1
        self._successes += result.is_success
        self._count(self._text())
        if not result.is_success:
            self._bar.console.print(
                f"{result.task} #{result.index} (seed {result.seed}) failed, {result.category}: "
                f"{printable(result.condition or result.message)}",
                highlight=False,
                markup=False,
            )

    def _text(self) -> str:
        rate = f" ({self._successes / self._done:.2f})" if self._done else ""
        return f"success {self._successes}/{self._done}{rate}"


def _note(report: Mapping[str, Any]) -> str:
    """What is special about a run, for its title."""
    config = report["config"]
    note = " (rule-based stand-in, not a language model)" if report["is_stand_in"] else ""
    if config["inject"]:
        note += f", errors injected with probability {config['inject']:g}"
    if config["observations"] != "state":
        note += f", observations from {describe_eyes(config)}"
    if config.get("through_ros"):
        note += ", through ROS"
    if "world" in config:
        note += f", in {config['world']}"
    return note


def print_report(report: Mapping[str, Any]) -> None:
    """Print the table of a run."""
    config = report["config"]
    console = Console()
    # Not the table's title, which would break where the table is narrow.
    console.print(
        f"team {config['team']}, model {config['model']['name']}{_note(report)}", highlight=False
    )
    table = Table(box=SIMPLE)
    has_cost = any(task["cost"] for task in report["tasks"].values())
    columns = ["task", "success, 95 %", "s", "steps", "calls", "tokens"]
    for column in [*columns, "cost"] if has_cost else columns:
        table.add_column(column, no_wrap=True)
    for name, task in report["tasks"].items():
        low, high = task["interval_95"]
        cells = [
            name,
            f"{task['success_rate']:.2f} ({low:.2f}–{high:.2f})",
            f"{task['mean_wall_s']:.1f}",
            f"{task['mean_steps']:.1f}",
            f"{task['mean_calls']:.0f}",
            f"{task['mean_tokens']:.0f}",
        ]
        table.add_row(*cells, *([f"{task['cost']:.2f}"] if has_cost else []))
    console.print(table)
    if report["totals"]["estimated_calls"]:
        console.print(
            f"tokens are estimated for {report['totals']['estimated_calls']} of "
            f"{report['totals']['calls']} calls: the endpoint does not count them",
            highlight=False,
        )
    for name, task in report["tasks"].items():
        for what, count in task["failures"].items():
            console.print(f"{name}: {count} × {what}: {CATEGORIES[what]}", highlight=False)
    for kind, counts in report["events"].items():
        noticed = "" if counts["noticed"] is None else f", noticed {counts['noticed']}"
        console.print(
            f"disturbance {kind}: fired {counts['fired']}{noticed}, "
            f"recovered {counts['recovered']}",
            highlight=False,
        )
    for kind, counts in report["injected_errors"].items():
        console.print(
            f"injected error {kind}: {counts['injected']}, detected {counts['detected']}, "
            f"recovered {counts['recovered']}",
            highlight=False,
        )
    low, high = report["interval_95"]
    console.print(
        f"success rate {report['success_rate']:.3f} ({low:.2f}–{high:.2f}), "
        f"{report['wall_s']:.0f} s of wall time",
        highlight=False,
    )


def print_comparison(comparison: Mapping[str, Any]) -> None:
    """Print the difference of two runs."""
    table = Table(
        box=SIMPLE, title=f"{comparison['first']} minus {comparison['second']}, same episodes"
    )
    for column in ("task", "difference", "95 %", "only the first", "only the second"):
        table.add_column(column)
    for name, row in {**comparison["tasks"], "all": comparison}.items():
        low, high = row["interval_95"]
        pairs = row["pairs"]
        table.add_row(
            name,
            f"{row['difference']:+.2f}",
            f"{low:+.2f} to {high:+.2f}",
            str(pairs["first_only"]),
            str(pairs["second_only"]),
        )
    Console().print(table)
