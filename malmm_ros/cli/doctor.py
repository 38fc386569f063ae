"""``malmm doctor``: what is installed, what works and what is missing."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from malmm_ros.cli.argument_types import output_file

EXAMPLE = "malmm doctor --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How to print."""
    parser.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        type=_file_or_dash,
        help="write JSON; without FILE, print it",
    )


def _file_or_dash(text: str) -> str:
    return text if text == "-" else str(output_file(text))


def run(arguments: argparse.Namespace) -> int:
    """Examine and print; 0 when the demo has all that it needs, else 1."""
    from malmm_ros.doctor import examine

    findings = examine()
    is_fit = all(finding.is_ok for finding in findings if finding.is_needed)
    if arguments.json is not None:
        report = {"is_fit": is_fit, "findings": [dataclasses.asdict(item) for item in findings]}
        text = json.dumps(report, indent=2) + "\n"
        if arguments.json == "-":
            sys.stdout.write(text)
        else:
            Path(arguments.json).write_text(text, encoding="utf-8")
        return 0 if is_fit else 1
    for finding in findings:
        mark = "ok" if finding.is_ok else "MISSING" if finding.is_needed else "-"
        sys.stdout.write(f"{mark:>7}  {finding.name:<18} {finding.detail}\n")
    sys.stdout.write(
        "all that the demo needs is here\n" if is_fit else "something that is needed is missing\n"
    )
    return 0 if is_fit else 1
