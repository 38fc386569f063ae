"""Two reports on the same episodes, compared pair by pair."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.statistics import paired_interval

_Key = tuple[str, int]


def read_report(path: Path, command: str = "malmm evaluate") -> dict[str, Any]:
    """Read what a command's ``--json`` wrote.

    Raises:
        ConfigurationError: It is missing or something else.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ConfigurationError(str(path), f"is not JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("episodes"), list):
        raise ConfigurationError(str(path), f"is not a report of `{command} --json`")
    return report


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The difference first minus second, over the episodes that both ran.

    Returns:
        ``difference``, ``interval_95`` and the four counts of pairs, in all and by task.

    Raises:
        ConfigurationError: They share no episode, or an episode has another seed.
    """
    ours, theirs = _episodes(first), _episodes(second)
    shared = [key for key in ours if key in theirs]
    if not shared:
        raise ConfigurationError("comparison", "the two reports share no episode")
    for key in shared:
        if ours[key]["seed"] != theirs[key]["seed"]:
            raise ConfigurationError(
                "comparison",
                f"{key[0]} #{key[1]} has seed {ours[key]['seed']} in one report and "
                f"{theirs[key]['seed']} in the other; use the same --seed for both",
            )
    pairs = {key: (ours[key]["is_success"], theirs[key]["is_success"]) for key in shared}
    tasks = dict.fromkeys(task for task, _ in shared)
    return {
        "first": _describe(first),
        "second": _describe(second),
        **_difference(list(pairs.values())),
        "tasks": {
            name: _difference([pair for key, pair in pairs.items() if key[0] == name])
            for name in tasks
        },
    }


def _episodes(report: Mapping[str, Any]) -> dict[_Key, Mapping[str, Any]]:
    return {(item["task"], item["index"]): item for item in report["episodes"]}


def _describe(report: Mapping[str, Any]) -> str:
    config = report["config"]
    return f"team {config['team']}, model {config['model']['name']}"


def _difference(pairs: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    both = sum(a and b for a, b in pairs)
    first_only = sum(a and not b for a, b in pairs)
    second_only = sum(b and not a for a, b in pairs)
    neither = len(pairs) - both - first_only - second_only
    return {
        "difference": (first_only - second_only) / len(pairs),
        "interval_95": paired_interval(both, first_only, second_only, neither),
        "pairs": {
            "both": both,
            "first_only": first_only,
            "second_only": second_only,
            "neither": neither,
        },
    }
