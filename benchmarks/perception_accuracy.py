"""How well the embedded segmenter and estimator see: rendered scenes with sensor noise.

python benchmarks/perception_accuracy.py --scenes 200 --appearance held_out --json seeing.json

With --log FILE each scene's judgements are kept as they come (JSON lines), and a later run of the
same command takes up where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from malmm_ros.bench.perception_scores import Judgement, Scores, judge
from malmm_ros.perception.estimation import ObjectEstimator
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.segmentation.color import ColorSegmenter
from malmm_ros.perception.segmentation.simulator import SimulatorSegmenter
from malmm_ros.perception.tracking.visibility import View
from malmm_ros.scene import MAX_GRIPPER_WIDTH
from malmm_ros.simulation.appearance import draw_appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife
from malmm_ros.simulation.tasks import list_tasks

# Scenes of the two sets differ in their seeds too.
_FIRST_SEED = {"development": 1000, "held_out": 500_000}


def main() -> int:
    """Measure; 0 when the goals are met."""
    arguments = _parse()
    console = Console(stderr=True)
    tasks = list_tasks() if arguments.tasks == "all" else tuple(arguments.tasks.split(","))
    scores, by_task = Scores(), defaultdict(Scores)
    known = _read_log(arguments)
    numbers = range(arguments.first, arguments.first + arguments.scenes)
    for index in track(numbers, description="scenes", console=console):
        task = tasks[index % len(tasks)]
        judgements = known.get(index)
        if judgements is None:
            judgements = _scene(task, index, arguments)
            _write_log(arguments, index, judgements)
        scores.add(judgements)
        by_task[task].add(judgements)
        if arguments.verbose:
            _print_wrong(console, index, task, judgements)
    report = scores.summary() | {
        "appearance": arguments.appearance,
        "camera": arguments.camera,
        "segmenter": arguments.segmenter,
        "noise": asdict(SensorNoiseConfig()),
        "tasks": {name: item.summary()["wrong_rate"] for name, item in by_task.items()},
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    _print(report)
    return 0 if _is_good(report) else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--appearance", choices=tuple(_FIRST_SEED), default="development")
    parser.add_argument("--camera", default="front")
    parser.add_argument("--tasks", default="all", help="all, or names with commas between")
    parser.add_argument("--segmenter", choices=("color", "simulator"), default="color")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--log", type=Path, help="keep and take up judgements here")
    parser.add_argument("--verbose", action="store_true", help="tell what was wrong")
    return parser.parse_args()


def _read_log(arguments: argparse.Namespace) -> dict[int, list[Judgement]]:
    """Judgements of scenes that an earlier run of the same kind made, by number."""
    if arguments.log is None or not arguments.log.exists():
        return {}
    rows = [json.loads(line) for line in arguments.log.read_text(encoding="utf-8").splitlines()]
    return {
        row["scene"]: [Judgement(**item) for item in row["judgements"]]
        for row in rows
        if row["of"] == _kind(arguments)
    }


def _write_log(arguments: argparse.Namespace, index: int, judgements: list[Judgement]) -> None:
    if arguments.log is None:
        return
    row = {
        "scene": index,
        "of": _kind(arguments),
        "judgements": [asdict(item) for item in judgements],
    }
    with arguments.log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def _kind(arguments: argparse.Namespace) -> list[str]:
    """What must be equal for judgements to be comparable."""
    return [arguments.appearance, arguments.camera, arguments.tasks, arguments.segmenter]


def _scene(task: str, index: int, arguments: argparse.Namespace) -> list[Judgement]:
    seed = _FIRST_SEED[arguments.appearance] + index
    rng = np.random.default_rng(seed)
    scene = StillLife(task, seed, draw_appearance(arguments.appearance, rng))
    try:
        true = scene.render(arguments.camera)
        image = SensorNoise(SensorNoiseConfig(), rng).apply(true)
        robot = RobotMask().pixels(image, scene.arm.joint_state, MAX_GRIPPER_WIDTH)
        segmenter = ColorSegmenter() if arguments.segmenter == "color" else SimulatorSegmenter()
        estimator = ObjectEstimator()
        view = View(image=image, robot=robot)
        found = [
            estimator.estimate(view, mask) for mask in segmenter.segment(image, (), ignore=robot)
        ]
        detections = [item for item in found if item is not None]
        return judge(scene.objects, detections, true, hidden=robot)
    finally:
        scene.close()


def _print_wrong(console: Console, index: int, task: str, judgements: list[Judgement]) -> None:
    for item in judgements:
        is_far = item.error_m > 0.012
        if item.verdict != "right" or is_far:
            console.print(
                f"scene {index} {task}: {item.name} {item.verdict} "
                f"(said {item.said or 'nothing'}, {1e3 * item.error_m:.1f} mm)",
                highlight=False,
            )


def _is_good(report: dict[str, Any]) -> bool:
    pose, yaw = report["pose_error_mm"], report["yaw_error_deg"]
    return bool(
        pose["median"] <= 5.0
        and pose["p95"] <= 12.0
        and yaw["median"] <= 4.0
        and report["separable_wrong_rate"] <= 0.02
        and report["wrong_rate"] <= 0.06
    )


def _print(report: dict[str, Any]) -> None:
    table = Table(title=f"{report['scenes']} scenes, {report['objects']} things seen")
    for column in ("kind", "things", "wrong", "pose mm", "p95", "yaw °", "p95"):
        table.add_column(column, justify="right")
    for name, item in report["categories"].items():
        table.add_row(name, str(item["objects"]), *_row(item))
    table.add_section()
    table.add_row("all", str(report["objects"]), *_row(report))
    Console().print(table)
    Console().print(
        f"wrong {report['wrong_rate']:.2%}, of separable colours "
        f"{report['separable_wrong_rate']:.2%}; {report['verdicts']}"
    )


def _row(item: dict[str, Any]) -> list[str]:
    pose, yaw = item["pose_error_mm"], item["yaw_error_deg"]
    values = [pose.get("median"), pose.get("p95"), yaw.get("median"), yaw.get("p95")]
    return [f"{item['wrong_rate']:.1%}", *("" if v is None else f"{v:.1f}" for v in values)]


if __name__ == "__main__":
    sys.exit(main())
