"""How the two readings of the history rule follow a block: rendered images with sensor noise.

python benchmarks/history_rule.py --seeds 16 --json history.json
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from malmm_ros.bench.seen_moves import BlockStage, BlockWatcher, Place
from malmm_ros.perception.tracking import HistoryConfig
from malmm_ros.perception.tracking.history import HistoryMode

_REST: Place = (0.0, 0.0)
_TURN = math.radians(45.0)
_FIRST_SEED = 20
# The errors after the last three frames of each are reported.
_MOVES: dict[str, tuple[Place, ...]] = {
    "rest": (_REST,) * 6,
    "an outlier of 7.5 mm": ((0.0075, 0.0), *(_REST,) * 3),
    "9 mm": ((0.009, 0.0),) * 3,
    "five of 4 mm": (*((0.004 * count, 0.0) for count in range(1, 6)), *((0.02, 0.0),) * 2),
    "2 cm, no turn": ((0.02, 0.0),) * 3,
    "45 degrees in place": ((0.0, _TURN),) * 3,
    "2 cm and 45 degrees": ((0.02, _TURN),) * 3,
}
_MODES: tuple[HistoryMode, ...] = ("and", "or")


def main() -> int:
    """Measure; 0 when a still block rests and small moves are followed within three frames."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    stage = BlockStage()
    try:
        cases = [(mode, name) for name in _MOVES for mode in _MODES]
        seeds = range(_FIRST_SEED, _FIRST_SEED + arguments.seeds)
        rows = [
            _measure(stage, mode, name, seeds)
            for mode, name in track(cases, console=Console(stderr=True))
        ]
    finally:
        stage.close()
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    _print(rows)
    return 0 if all(_is_good(row) for row in rows) else 1


def _measure(stage: BlockStage, mode: HistoryMode, name: str, seeds: range) -> dict[str, Any]:
    errors, yaw_errors, steps = [], [], []
    for seed in seeds:
        watcher = BlockWatcher(stage, seed=seed, history=HistoryConfig(mode=mode))
        run = []
        for place in _MOVES[name]:
            steps += watcher.look(place)
            run.append((watcher.error(place), watcher.yaw_error(place)))
        errors.append([1e3 * error for error, _ in run[-3:]])
        yaw_errors.append([math.degrees(error) for _, error in run[-3:]])
    return {
        "move": name,
        "mode": mode,
        "error_mm": _summary(errors),
        "yaw_error_deg": _summary(yaw_errors),
        "largest_step_mm": round(1e3 * max(steps), 2),
    }


def _summary(runs: list[list[float]]) -> list[dict[str, float]]:
    """Median and largest over the seeds, frame by frame."""
    return [
        {"median": round(float(np.median(frame)), 1), "largest": round(max(frame), 1)}
        for frame in zip(*runs, strict=True)
    ]


def _is_good(row: dict[str, Any]) -> bool:
    is_still = row["move"] in ("rest", "an outlier of 7.5 mm")
    last = row["error_mm"][-1]["largest"]
    return bool(last <= 5.0 and (row["largest_step_mm"] < 1.0 or not is_still))


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table(title="median / largest after each of the last three frames")
    for column in ("move", "rule", "error, mm", "yaw error, degrees", "largest step, mm"):
        table.add_column(column)
    for row in rows:
        cells = [
            ", ".join(f"{item['median']} / {item['largest']}" for item in row[key])
            for key in ("error_mm", "yaw_error_deg")
        ]
        table.add_row(row["move"], row["mode"], *cells, str(row["largest_step_mm"]))
    Console(width=120).print(table)


if __name__ == "__main__":
    sys.exit(main())
