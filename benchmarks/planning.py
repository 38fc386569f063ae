"""Time the motion planner on pick-and-place among eight boxes.

python benchmarks/planning.py [--queries 100] [--planner roboplan] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.planning_queries import PickAndPlace, pick_and_place_queries
from malmm_ros.backends import load_backend
from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.motion import PLANNERS, PlanningScene
from malmm_ros.trajectory import JointState, Trajectory


def measure(planner: Any, queries: list[PickAndPlace]) -> dict[str, Any]:
    """Plan all queries; times in milliseconds, medians over free moves unless named."""
    whole: dict[str, list[float]] = {"free": [], "straight": []}
    parts: dict[str, list[float]] = {"search": [], "ik": [], "timing": [], "line": []}
    durations: list[float] = []
    failures: Counter[str] = Counter()
    solved = lines = lines_asked = 0
    for query in queries:
        state = JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
        for name, goal, scene, asked in query.moves():
            begin = time.perf_counter()
            try:
                trajectory, straight = _plan(planner, state, goal, scene, asked)
            except MotionError as error:
                failures[f"{name}: {error.category}"] += 1
                print(f"{name}: {error}", file=sys.stderr)
                break
            lines_asked += asked
            lines += straight
            kind = "straight" if straight else "free"
            whole[kind].append(1e3 * (time.perf_counter() - begin))
            spent = planner.last_durations
            parts["timing"].append(1e3 * spent.timing_s)
            if straight:
                parts["line"].append(1e3 * spent.search_s)
            else:
                parts["search"].append(1e3 * spent.search_s)
                parts["ik"].append(1e3 * spent.ik_s / max(spent.ik_runs, 1))
            durations.append(trajectory.duration)
            state = trajectory.end
        else:
            solved += 1
    result: dict[str, Any] = {
        "queries": len(queries),
        "success_rate": solved / max(len(queries), 1),
        "failures": dict(failures),
        "straight_rate": lines / max(lines_asked, 1),
        "motion_s": float(np.sum(durations)) / max(len(queries), 1),
    }
    for name, values in (*whole.items(), *parts.items()):
        if values:
            result[f"{name}_median_ms"] = round(float(np.median(values)), 3)
            result[f"{name}_p95_ms"] = round(float(np.percentile(values, 95)), 3)
    return result


def _plan(
    planner: Any, state: JointState, goal: Pose, scene: PlanningScene, straight: bool
) -> tuple[Trajectory, bool]:
    """Plan as a robot does: a line that is not free is replaced by a free motion."""
    if straight:
        try:
            return planner.plan(state, goal, scene, straight=True), True
        except MotionError as error:
            if error.category != "no_path":
                raise
    return planner.plan(state, goal, scene), False


def main() -> int:
    """Print the figures; 0 when every query was solved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--planner", default="roboplan")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    planner = load_backend("motion planner", options.planner, PLANNERS)()
    result = measure(planner, pick_and_place_queries(options.queries, options.seed))
    text = json.dumps(result, indent=2)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0 if result["success_rate"] == 1.0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
