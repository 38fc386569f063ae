"""How long it takes from one thing's cloud to the grasp that is used."""

from __future__ import annotations

import time

from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import choose_grasp, completed_cloud
from malmm_ros.perception.grasping.antipodal import AntipodalProposer
from malmm_ros.scene import SceneObject
from malmm_ros.simulation import MujocoWorld

TASKS = ("put_block", "close_jar", "put_rubbish_in_bin", "stack_blocks")
_RUNS = 7


def measure(progress: Progress) -> Measurement:
    """Time the embedded proposer on every thing that may be grasped; clouds from their shapes."""
    proposer = AntipodalProposer()
    times: list[float] = []
    things = found = 0
    for task in TASKS:
        progress(task)
        for cloud, surroundings in _clouds(task):
            choose_grasp(proposer.propose(cloud, surroundings))  # imports what it needs
            for _ in range(_RUNS):
                started = time.perf_counter()
                grasp = choose_grasp(proposer.propose(cloud, surroundings))
                times.append(1e3 * (time.perf_counter() - started))
            things += 1
            found += grasp is not None
    return Measurement(
        values={
            "perception.grasp_ms": median(times),
            "perception.grasp_p95_ms": percentile_95(times),
            "perception.grasp_objects": things,
        },
        is_success=found == things,
    )


def _clouds(task: str) -> list[tuple[PointCloud, PointCloud]]:
    """Cloud and surroundings of each thing that moves."""
    world = MujocoWorld()
    world.reset(task, 0)
    objects = world.ground_truth().objects
    world.close()
    clouds = {item.name: completed_cloud(_detection(item)) for item in objects}
    return [
        (
            clouds[item.name],
            PointCloud.joined([cloud for name, cloud in clouds.items() if name != item.name]),
        )
        for item in objects
        if not item.is_fixed
    ]


def _detection(item: SceneObject) -> Detection:
    return Detection(
        category=item.category,
        pose=item.pose,
        size=item.size,
        solids=item.solids,
        cloud=PointCloud.empty(),
    )
