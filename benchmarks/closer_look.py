"""What the wrist camera's look from above is worth: error of the pose, and things lifted.

The same worlds with the front camera alone and with the wrist camera too, noise on; physics is
the judge of a grasp.

    python benchmarks/closer_look.py --seeds 5 --json closer_look.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from malmm_ros.robots.vision import VisionConfig, seeing_robot
from malmm_ros.scene import Scene, SceneObject
from malmm_ros.simulation import MujocoWorld

TASKS = (
    "put_block",
    "close_jar",
    "put_rubbish_in_bin",
    "stack_blocks",
    "insert_onto_square_peg",
    "empty_container",
    "meat_off_grill",
)
EYES = {"front": ("front",), "front and wrist": ("front", "wrist")}
_HOVER, _LIFT, _NEAR = 0.1, 0.1, 0.05


def main() -> int:
    """Measure; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="worlds of each task")
    parser.add_argument("--first", type=int, default=100, help="seed of the first one")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    errors: dict[str, list[float]] = defaultdict(list)
    lifted: dict[str, list[bool]] = defaultdict(list)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    jobs = [(task, seed) for task in TASKS for seed in seeds]
    for task, seed in track(jobs, description="worlds", console=Console(stderr=True)):
        for name, cameras in EYES.items():
            error_mm, is_lifted = _try(task, seed, cameras)
            lifted[name].append(is_lifted)
            if error_mm is not None:
                errors[name].append(error_mm)
    report = {
        name: {
            "position_error_mm": np.percentile(errors[name], (50, 95)).round(2).tolist(),
            "lifted": sum(lifted[name]),
            "of": len(lifted[name]),
        }
        for name in EYES
    }
    result = json.dumps({**report, "load": os.getloadavg()[0]}, indent=2) + "\n"
    sys.stdout.write(result)
    if arguments.json:
        arguments.json.write_text(result, encoding="utf-8")
    return 0


def _try(task: str, seed: int, cameras: tuple[str, ...]) -> tuple[float | None, bool]:
    """Error in the plane when the hand is above the first thing, and whether it is lifted."""
    world = MujocoWorld()
    world.reset(task, seed)
    try:
        robot = seeing_robot(world, VisionConfig(cameras=cameras), seed=seed)
        item = next((item for item in robot.observe().objects if item.grasp is not None), None)
        if item is None or item.grasp is None:
            return None, False
        truth = min(world.ground_truth().objects, key=lambda other: _gap(other, item))
        x, y, z = item.grasp.position
        robot.open_gripper()
        for height in (_HOVER, 0.0):
            if not robot.execute_trajectory((x, y, z + height), item.grasp.yaw).is_success:
                return None, False
            if height:
                error_mm = _error_mm(robot._sense(), item.name, truth)
        robot.close_gripper(item.name)
        robot.execute_trajectory((x, y, z + _LIFT), item.grasp.yaw)
        raised = world.pose(truth.name).position[2] - truth.pose.position[2]
        return error_mm, bool(raised > 0.8 * _LIFT)
    finally:
        world.close()


def _error_mm(scene: Scene, name: str, truth: SceneObject) -> float | None:
    seen = scene.find(name)
    return None if seen is None or _gap(seen, truth) > _NEAR else 1e3 * _gap(seen, truth)


def _gap(first: SceneObject, second: SceneObject) -> float:
    """Between two things' middles in the plane, metres."""
    return float(np.hypot(*np.subtract(first.pose.position, second.pose.position)[:2]))


if __name__ == "__main__":
    sys.exit(main())
