"""``malmm bench``: how fast each part is on this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from malmm_ros.cli.output_file import check_writable
from malmm_ros.errors import ConfigurationError, UnknownNameError

EXAMPLE = "malmm bench --parts planning,simulator --json bench.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to measure."""
    parser.add_argument("--parts", default="all", help="all, or names with commas between")
    parser.add_argument("--json", type=Path, help="write the figures here")


def run(arguments: argparse.Namespace) -> int:
    """Measure; 0 when every part did what it had to."""
    from rich.console import Console

    from malmm_ros.bench import PARTS, measure_parts

    names = choose_parts(arguments.parts, PARTS)
    check_writable(arguments.json, "--json")
    console = Console(stderr=True)
    with console.status("measuring") as status:
        report = measure_parts(
            names, PARTS, progress=lambda text: status.update(f"measuring {text}")
        )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    _print(report)
    return 1 if report["failed_parts"] else 0


def choose_parts(text: str, table: Mapping[str, str]) -> list[str]:
    """Read ``--parts``.

    Raises:
        UnknownNameError: One is none of the parts.
        ConfigurationError: There is none at all.
    """
    if text == "all":
        return list(table)
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in table:
            raise UnknownNameError("--parts", name, table)
    if not names:
        raise ConfigurationError("--parts", "names no part")
    return list(dict.fromkeys(names))


def _print(report: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from malmm_ros.bench.measurement import NOT_ASKED

    table = Table(title=f"malmm bench, {report['wall_s']:.0f} s, load {report['machine']['load']}")
    table.add_column("what")
    table.add_column("figure", justify="right")
    places = ("planning", "simulator", "code_runner", "team", "motion", "ros", "perception")
    for place in places:
        for key, value in _flat(report.get(place, {}), place):
            reason = report["missing"].get(key, "")
            if value is not None:
                table.add_row(key, _figure(value))
            elif reason != NOT_ASKED:
                table.add_row(key, reason, style="dim")
    Console().print(table)


def _flat(values: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in values.items():
        name = f"{prefix}.{key}"
        rows += _flat(value, name) if isinstance(value, Mapping) else [(name, value)]
    return rows


def _figure(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
