"""How many of the chosen grasps lift their thing: the antipodal proposer, physics as the judge.

python benchmarks/grasp_lifts.py --seeds 10 --clouds shape,front --json lifts.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from malmm_ros.errors import PerceptionError
from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import Grasp, choose_grasp, completed_cloud
from malmm_ros.perception.grasping.antipodal import AntipodalProposer
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld

TASKS = (
    "put_block",
    "close_jar",
    "put_rubbish_in_bin",
    "stack_blocks",
    "insert_onto_square_peg",
    "empty_container",
)
_LIFT = 0.1
# What need not be lifted: more of one kind in a world says nothing new.
_PER_WORLD = 3


def main() -> int:
    """Measure; 0 when every thing was lifted by the cloud of its shape."""
    arguments = _parse()
    kinds = arguments.clouds.split(",")
    console = Console(stderr=True)
    counts: dict[str, dict[str, list[str]]] = {kind: defaultdict(list) for kind in kinds}
    jobs = [(task, seed) for task in TASKS for seed in range(arguments.seeds)]
    for task, seed in track(jobs, description="worlds", console=console):
        for kind in kinds:
            _world(task, seed, kind, counts[kind][task])
    report = {
        kind: {
            task: {
                "lifted": outcomes.count("lifted"),
                "of": len(outcomes),
                "else": _others(outcomes),
            }
            for task, outcomes in tasks.items()
        }
        for kind, tasks in counts.items()
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    table = Table("cloud", "task", "lifted", "else")
    for kind, tasks in report.items():
        for task, row in tasks.items():
            table.add_row(kind, task, f"{row['lifted']} of {row['of']}", str(row["else"] or ""))
    Console().print(table)
    shapes = report.get("shape", {}).values()
    return 0 if all(row["lifted"] == row["of"] for row in shapes) else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="worlds of each task")
    parser.add_argument(
        "--clouds",
        default="shape",
        help="shape: filled in from the true shape; front: what the front camera sees",
    )
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _others(outcomes: list[str]) -> dict[str, int]:
    return {text: outcomes.count(text) for text in sorted(set(outcomes) - {"lifted"})}


def _world(task: str, seed: int, kind: str, outcomes: list[str]) -> None:
    """Try some things of one world, each from the world's beginning."""
    world = MujocoWorld()
    world.reset(task, seed)
    world.settle()
    movable = [item.name for item in world.ground_truth().objects if not item.is_fixed]
    world.close()
    for name in movable[:_PER_WORLD]:
        world.reset(task, seed)
        world.settle()
        outcomes.append(_try(world, name, kind))
        world.close()


def _try(world: MujocoWorld, name: str, kind: str) -> str:
    objects = world.ground_truth().objects
    item = next(item for item in objects if item.name == name)
    around = PointCloud.joined([_shape(other) for other in objects if other.name != name])
    cloud = _shape(item) if kind == "shape" else _seen(world, name)
    try:
        grasp = choose_grasp(AntipodalProposer().propose(cloud, around))
    except PerceptionError:
        return "too few points"
    return "no grasp" if grasp is None else _lift(world, item, grasp)


def _shape(item: SceneObject) -> PointCloud:
    return completed_cloud(
        Detection(
            category=item.category,
            pose=item.pose,
            size=item.size,
            solids=item.solids,
            cloud=PointCloud.empty(),
        )
    )


def _seen(world: MujocoWorld, name: str) -> PointCloud:
    image = world.render("front", with_labels=True)
    if image.labels is None or name not in image.label_names:
        return PointCloud.empty()
    return deproject(image, image.labels == image.label_names.index(name))


def _lift(world: MujocoWorld, item: SceneObject, grasp: Grasp) -> str:
    robot = simulated_robot(world)
    position = np.asarray(grasp.tcp.position)
    up = position + np.array([0.0, 0.0, _LIFT])
    robot.open_gripper()
    for yaw in (grasp.tcp.yaw, grasp.tcp.yaw + np.pi):
        moved = robot.execute_trajectory(up, yaw)
        if moved.is_success:
            moved = robot.execute_trajectory(position, yaw)
        if moved.is_success:
            break
    if not moved.is_success:
        return moved.reason
    robot.close_gripper(item.name)
    robot.execute_trajectory(up, yaw)
    raised = world.pose(item.name).position[2] - item.pose.position[2]
    return "lifted" if raised > 0.8 * _LIFT else "slipped or missed"


if __name__ == "__main__":
    sys.exit(main())
