"""Two teams on the same episodes with the same seeds, compared pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.comparison import read_report
from malmm_ros.evaluation.statistics import mean_interval

# An episode (its name and seed) and a figure of it.
Figures = Mapping[tuple[str, int], float]

_COMMAND = "malmm cooperate"


def paired(ours: Figures, theirs: Figures) -> dict[str, Any]:
    """The difference ours minus theirs over what both ran.

    Intervals are Student's over episodes, each the mean of its seeds.

    Returns:
        ``difference``, ``interval_95``, how many ``episodes``, and in how many of them ours was
        ``better``, ``equal`` or ``worse``.

    Raises:
        ConfigurationError: They share no episode.
    """
    shared = [key for key in ours if key in theirs]
    if not shared:
        raise ConfigurationError("comparison", "the two share no episode with the same seed")
    gaps = [
        float(np.mean([ours[key] - theirs[key] for key in shared if key[0] == name]))
        for name in dict.fromkeys(name for name, _ in shared)
    ]
    return {
        "difference": float(np.mean(gaps)),
        "interval_95": list(mean_interval(gaps)),
        "episodes": len(gaps),
        "better": sum(gap > _SAME for gap in gaps),
        "equal": sum(abs(gap) <= _SAME for gap in gaps),
        "worse": sum(gap < -_SAME for gap in gaps),
    }


def read_cooperation_report(path: Path) -> dict[str, Any]:
    """Read what ``malmm cooperate --json`` wrote.

    Raises:
        ConfigurationError: It is missing or something else.
    """
    report = read_report(path, _COMMAND)
    if not report.get("config", {}).get("episode_hashes"):
        raise ConfigurationError(str(path), f"is not a report of `{_COMMAND} --json`")
    return report


def compare_reports(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The difference of two reports in transport rate and in efficiency improvement.

    Raises:
        ConfigurationError: An episode or the world's rules are not the same, or none is shared.
    """
    ours, theirs = first["config"]["episode_hashes"], second["config"]["episode_hashes"]
    changed = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    if changed or first["config"]["rules"] != second["config"]["rules"]:
        what = f"episode {changed[0]}" if changed else "the world"
        raise ConfigurationError("comparison", f"{what} is not the same in the two reports")
    figures = ("transport_rate", "efficiency_improvement")
    return {name: paired(_figures(first, name), _figures(second, name)) for name in figures}


# Rates are sums of tenths; what differs by less is a rounding.
_SAME = 1e-9


def _figures(report: Mapping[str, Any], name: str) -> dict[tuple[str, int], float]:
    return {(item["episode"], item["seed"]): item[name] for item in report["episodes"]}
