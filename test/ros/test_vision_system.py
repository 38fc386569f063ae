"""A whole task through ROS where agents and planner know only what a noisy camera sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.nodes.task_client import NODES, TaskClient


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_block_is_put_where_it_belongs_by_sight(
    ros_environment: dict[str, str], tmp_path: Path
) -> None:
    values = {"observations": "vision", "task": "put_block", "seed": 3, "speed": 0.0}
    with ProcessGroup() as group:
        for node in SIM.resolve(values | {"rviz": "false"}):
            command = node_command(node)
            if node.name == "agents":
                command += ["-p", f"transcripts:={tmp_path}"]
            group.start(node.name, command, environment=ros_environment)
        with TaskClient("test_vision_system") as client:
            client.wait_for_nodes(timeout_s=60.0, names=NODES)
            results = []
            # In another world the objects of the first one must be forgotten.
            for seed in (3, 4):
                instruction = client.load_task("put_block", seed)
                result = client.run(instruction, timeout_s=240.0)
                results.append((result.success, client.check_success()[0], result.message))
    assert all(success and is_done for success, is_done, _ in results), results
