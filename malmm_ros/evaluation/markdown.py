"""A report as a Markdown table, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from malmm_ros.evaluation import published

_EMPTY = "–"


def render_table(report: Mapping[str, Any]) -> str:
    """One row a task: measured with interval, a language model's, and the published figures.

    Figures of the offline stand-in never stand in the language model's column, which is empty
    then.
    """
    config = report["config"]
    columns = published.VISION if config["observations"] == "vision" else published.STATE
    model, is_stand_in = config["model"]["name"], report["is_stand_in"]
    offline = f"team {config['team']}, offline stand-in (rule-based, no language model)"
    real = "a language model (not run)" if is_stand_in else f"team {config['team']}, {model}"
    header = ["task"]
    header += [offline, real] if is_stand_in else [real]
    header += [f"{name} ({_label(name)})" for name in columns]
    rows = [header, ["---"] + ["---:"] * (len(header) - 1)]
    for name, task in report["tasks"].items():
        theirs = [column.get(name.partition(":")[0]) for column in columns.values()]
        rows.append(_row(name, _rate(task), theirs, is_stand_in=is_stand_in))
    means = [sum(column.values()) / len(column) for column in columns.values()]
    rows.append(_row("mean", _rate(report), means, is_stand_in=is_stand_in))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{table}\n\n{_note(report)}\n"


def render_failures(report: Mapping[str, Any]) -> str:
    """Why episodes failed, task by task; empty when none did."""
    lines = [
        f"- {name}: " + ", ".join(f"{count} × {what}" for what, count in task["failures"].items())
        for name, task in report["tasks"].items()
        if task["failures"]
    ]
    return "\n".join(lines)


def _label(name: str) -> str:
    if "LLaMA" in name:
        return "published, another simulator"
    return published.LABEL


def _row(
    name: str, measured: str, theirs: Sequence[float | None], *, is_stand_in: bool
) -> list[str]:
    ours = [measured, ""] if is_stand_in else [measured]
    return [name, *ours, *(_EMPTY if value is None else f"{value:.0f}" for value in theirs)]


def _rate(values: Mapping[str, Any]) -> str:
    low, high = values["interval_95"]
    rate = values["success_rate"]
    return f"{100 * rate:.0f} ({100 * low:.0f}–{100 * high:.0f})"


def describe_eyes(config: Mapping[str, Any]) -> str:
    """Where scenes come from: ``state``, or vision with its cameras, segmenter and noise."""
    if config["observations"] != "vision":
        return str(config["observations"])
    vision = config["vision"]
    noise = "with sensor noise" if vision["noise"] else "without sensor noise"
    return (
        f"vision (cameras {', '.join(vision['cameras'])}; segmenter "
        f"{vision['pipeline']['segmenter']}; {noise})"
    )


def _note(report: Mapping[str, Any]) -> str:
    config = report["config"]
    disturbed = f", disturbances {config['disturb']}" if config["disturb"] else ""
    return (
        f"Success in per cent, 95 % Wilson interval in brackets (for the mean: of all episodes "
        f"pooled); {config['episodes']} episodes a task, seed {config['seed']}, observations "
        f"{describe_eyes(config)}{disturbed}, configuration {report['config_hash']}. The "
        "published figures come from another simulator, where grasped objects are attached, and "
        "their means are over the paper's tasks; they are no measure for ours."
    )
