"""A report as a picture: success by task, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.evaluation import published

FORMATS = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """See that a plot can be made.

    Raises:
        ConfigurationError: Not a format that we write.
        MissingDependencyError: matplotlib is not installed.
    """
    if path.suffix not in FORMATS:
        raise ConfigurationError("--plot", f"{path} must end with {', '.join(FORMATS)}")
    try:
        import matplotlib as _  # noqa: F401  # only whether it is there
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "matplotlib", needed_for="--plot", install="pip install matplotlib"
        ) from error


def save_plot(reports: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Draw one bar a task and report, with 95 % intervals, and the paper's MALMM as marks.

    Args:
        reports: By what the legend calls them.
        path: PNG, SVG or PDF.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    tasks = list(dict.fromkeys(name for report in reports.values() for name in report["tasks"]))
    figure = Figure(figsize=(8.0, 1.2 + 0.3 * len(tasks) * (len(reports) + 1)))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    height = 0.8 / len(reports)
    places = np.arange(len(tasks))[::-1]
    for number, (label, report) in enumerate(reports.items()):
        offset = 0.4 - height * (number + 0.5)
        _draw_bars(axes, report, [(tasks.index(n), n) for n in report["tasks"]],
                   places=places + offset, height=height, label=label)  # fmt: skip
    _draw_published(axes, tasks, places)
    axes.set_yticks(places, tasks)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("success rate, 95 % Wilson interval")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2 - 0.3 / len(tasks)), fontsize=8)
    figure.savefig(path, bbox_inches="tight", dpi=120)


def _draw_bars(
    axes: Any,
    report: Mapping[str, Any],
    rows: list[tuple[int, str]],
    *,
    places: Any,
    height: float,
    label: str,
) -> None:
    rates = np.array([report["tasks"][name]["success_rate"] for _, name in rows])
    intervals = np.array([report["tasks"][name]["interval_95"] for _, name in rows])
    errors = np.abs(intervals.T - rates)
    axes.barh(
        [places[index] for index, _ in rows], rates, height, xerr=errors, label=label, capsize=2
    )


def _draw_published(axes: Any, tasks: list[str], places: Any) -> None:
    known = published.STATE["MALMM"]
    marks = [
        (known[name] / 100.0, place)
        for name, place in zip(tasks, places, strict=True)
        if name in known
    ]
    if marks:
        x, y = zip(*marks, strict=True)
        axes.plot(x, y, "k|", markersize=14, label=f"MALMM ({published.LABEL})")
