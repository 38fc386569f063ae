"""Figures with their names, and the report they make."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from malmm_ros.backends import load_backend
from malmm_ros.errors import MalmmError, MissingDependencyError

# By part; always in the report, null where they were not measured.
KEYS = {
    "planning": (
        "planning.median_ms",
        "planning.p95_ms",
        "planning.ik_ms",
        "planning.timing_ms",
        "planning.success_rate",
        "planning.path_length",
        "planning.clearance_mm",
        "planning.peers.ompl.median_ms",
        "planning.peers.ompl.p95_ms",
        "planning.peers.ompl.path_length",
        "planning.peers.ompl.clearance_mm",
    ),
    "simulator": ("simulator.real_time_factor",),
    "code_runner": ("code_runner.call_ms",),
    "team": ("team.turn_ms", "team.coder_turn_ms"),
    "ros": ("motion.stop_ms", "ros.service_round_trip_ms"),
    "perception": ("perception.frame_ms",),
    "grasping": ("perception.grasp_ms",),
}
NOT_ASKED = "not among the parts that were asked for"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Figures of one part.

    Attributes:
        values: By dotted key.
        missing: Why a key has no value, by dotted key.
        is_success: Whether the part did what it had to, apart from how fast.
    """

    values: Mapping[str, Any]
    missing: Mapping[str, str] = field(default_factory=dict)
    is_success: bool = True


def median(values: ArrayLike) -> float:
    """Rounded to what a report needs."""
    return round(float(np.median(np.asarray(values))), 4)


def percentile_95(values: ArrayLike) -> float:
    """Rounded to what a report needs."""
    return round(float(np.percentile(np.asarray(values), 95)), 4)


def measure_parts(
    names: Sequence[str], table: Mapping[str, str], *, progress: Progress
) -> dict[str, Any]:
    """Measure parts one after the other; one that cannot be measured says why and others go on.

    Args:
        names: Keys of ``table``.
        table: Parts, as for :func:`malmm_ros.backends.load_backend`.
        progress: Told what is being measured.

    Returns:
        The report: nested by the dots of the keys, with ``missing`` (reasons for nulls),
        ``failed_parts``, ``machine`` and ``wall_s``.
    """
    started = time.monotonic()
    values: dict[str, Any] = {key: None for keys in KEYS.values() for key in keys}
    missing = dict.fromkeys(values, NOT_ASKED)
    failed: list[str] = []
    for name in names:
        progress(name)
        measure = load_backend("part", name, table)
        try:
            result = measure(_named(progress, name))
        except MalmmError as error:
            missing.update(dict.fromkeys(KEYS.get(name, ()), str(error)))
            failed += [] if isinstance(error, MissingDependencyError) else [name]
            continue
        values.update(result.values)
        missing.update(result.missing)
        failed += [] if result.is_success else [name]
    return {
        **nested(values),
        "missing": {key: missing[key] for key, value in values.items() if value is None},
        "failed_parts": failed,
        "parts": list(names),
        "machine": {"cores": os.cpu_count(), "load": _load(), "python": platform.python_version()},
        "wall_s": round(time.monotonic() - started, 1),
    }


def _named(progress: Progress, name: str) -> Progress:
    return lambda text: progress(f"{name}: {text}")


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn dotted keys into nested mappings."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        place = result
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return result


def _load() -> float | None:
    """How busy the machine was in the last minute; figures of a busy one are worse."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None
