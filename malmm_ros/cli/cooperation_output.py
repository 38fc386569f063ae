"""What ``malmm cooperate`` shows: a bar while it runs, tables at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from malmm_ros.cli.episode_bar import EpisodeBar
from malmm_ros.evaluation.cooperation import published
from malmm_ros.evaluation.cooperation.evaluate import list_jobs

if TYPE_CHECKING:
    from malmm_ros.evaluation.cooperation import CooperationConfig
    from malmm_ros.evaluation.cooperation.evaluate import CooperationResult


class Progress(EpisodeBar):
    """A bar with the running transport rate of the team."""

    def __init__(self, config: CooperationConfig) -> None:
        self._rates: list[float] = []
        super().__init__(self._text(), total=len(list_jobs(config)))

    def advance(self, result: CooperationResult) -> None:
        """Count an episode."""
        if result.job.part == "team":
            self._rates.append(result.record.transport_rate)
        self._count(self._text())

    def _text(self) -> str:
        if not self._rates:
            return "transport rate"
        return f"transport rate {sum(self._rates) / len(self._rates):.2f}"


def print_report(report: Mapping[str, Any]) -> None:
    """Print the figures of a run, and the published ones beside them."""
    config, console = report["config"], Console()
    table = Table(box=SIMPLE)
    columns = ("", "transport rate, 95 %", "alone", "EI, 95 %", "frames", "steps")
    for column in columns:
        table.add_column(column, no_wrap=True)
    for name, row in {**report["tasks"], "all": report}.items():
        alone = f"{report['alone']['transport_rate']:.2f}" if name == "all" else ""
        table.add_row(
            name,
            f"{row['transport_rate']:.2f} {_range(row['transport_rate_interval_95'])}",
            alone,
            f"{row['efficiency_improvement']:.2f} {_range(row['interval_95'])}",
            f"{row['frames']:.0f}",
            f"{row['steps']:.0f}",
        )
    console.print(
        f"{' + '.join(config['agents'])} against {config['alone']} alone, world "
        f"{config['world']}, observations {config['observations']}",
        highlight=False,
    )
    console.print(table)
    messages, tokens = report["messages"], report["tokens"]
    console.print(
        f"messages {messages['count']} ({messages['characters']} characters, "
        f"{messages['frames']} frames), model calls {report['calls']}, tokens {tokens['input']} "
        f"in and {tokens['output']} out, {_cost(report['cost'])}, parse failures "
        f"{report['parse_failures']}",
        highlight=False,
    )
    if report["is_stand_in"]:
        console.print(
            "coela's answers are those of `offline`, a rule-based stand-in: no figures of a "
            "language model",
            highlight=False,
        )
    _print_detection(console, report)
    _print_comparisons(console, report)
    console.print(_beside_the_published(report))
    console.print(
        f"{len(report['episodes'])} episodes of the team, {report['cpu_s_per_episode']:.1f} s of "
        f"processor each, {report['wall_s']:.0f} s of wall time",
        highlight=False,
    )


def _print_detection(console: Console, report: Mapping[str, Any]) -> None:
    """How good the eyes were that the figures come from."""
    found = report.get("detection")
    if not found or found["map_50"] is None:
        return
    things, error = found["map_50_things"], found["calibration_error"]
    console.print(
        f"detection: mAP@50 {found['map_50']:.3f}"
        + (f", of what can be carried {things:.3f}" if things is not None else "")
        + (f", calibration error {error:.3f}" if error is not None else "")
        + f", {found['objects']} boxes in {found['images']} images",
        highlight=False,
    )


def _cost(cost: float | None) -> str:
    return "cost unknown (--prices)" if cost is None else f"cost {cost:.2f}"


def _print_comparisons(console: Console, report: Mapping[str, Any]) -> None:
    """Differences in pairs to another team, and to another report."""
    found = []
    if "against" in report:
        other = report["against"]
        name = f"{' + '.join(other['agents'])} ({other['transport_rate']:.2f})"
        found.append((name, other["paired"]))
    if "compared_with" in report:
        found.append(("the other report", report["compared_with"]))
    for name, pairs in found:
        for figure, row in pairs.items():
            console.print(
                f"{figure.replace('_', ' ')} against {name}: {row['difference']:+.3f}, 95 % "
                f"{_range(row['interval_95'])}; better in {row['better']}, equal in "
                f"{row['equal']}, worse in {row['worse']} of {row['episodes']} episodes",
                highlight=False,
            )


def _range(interval: list[float]) -> str:
    low, high = interval
    if math.isinf(low):
        return "(–)"  # one episode bounds nothing
    return f"({low:.2f} to {high:.2f})"


def _beside_the_published(report: Mapping[str, Any]) -> Table:
    table = Table(box=SIMPLE, title="worlds differ: the published figures are no measure for ours")
    for column in ("team", "transport rate", "EI", "where"):
        table.add_column(column)
    config, alone = report["config"], report["alone"]
    table.add_row(f"{config['alone']} alone", f"{alone['transport_rate']:.2f}", "–", "here")
    table.add_row(
        " + ".join(config["agents"]),
        f"{report['transport_rate']:.2f}",
        f"{report['efficiency_improvement']:.2f}",
        "here",
    )
    is_oracle = config["observations"] == "oracle"
    beside = published.ORACLE if is_oracle else published.DETECTED
    for name, (rate, gain) in beside.items():
        text = "–" if gain is None else f"{gain:.2f}"
        table.add_row(name, f"{rate:.2f}", text, published.LABEL)
    return table
