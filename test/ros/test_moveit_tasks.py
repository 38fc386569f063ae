"""Whole tasks with MoveIt as the planner; in a file of their own, since nodes of one name and
domain must not meet those of the other tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from move_group import KINDS, start_move_group

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.nodes.task_client import TaskClient


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("task", "options", "instruction"),
    [
        (
            "stack_blocks",
            "{color: red, other_color: blue, count: 2}",
            "stack 2 red blocks on the green target area",
        ),
        ("put_block", "", ""),
        ("close_jar", "", ""),
    ],
)
def test_a_task_succeeds_with_moveit(
    kind: str,
    task: str,
    options: str,
    instruction: str,
    ros_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    values: dict[str, Any] = {"speed": 0.0, "task": task, "seed": 3, "options": options}
    with ProcessGroup() as group:
        for node in SIM.resolve(values | {"rviz": "false", "motion": "moveit"}):
            command = node_command(node)
            if node.name == "agents":
                command += ["-p", f"transcripts:={tmp_path}"]
            if node.name == "motion":
                command += ["-p", "moveit.interface:=move_group"]
            group.start(node.name, command, environment=ros_environment)
        start_move_group(kind, group, ros_environment)
        with TaskClient(f"moveit_task_{task}") as client:
            client.wait_for_nodes(timeout_s=60.0)
            told = client.load_task(task, 3, options)
            result = client.run(instruction or told, timeout_s=300.0)
            assert result.success, result.message
            assert client.check_success()[0]
