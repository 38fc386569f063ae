"""How tests start move_group: its stand-in, or the real one where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from malmm_ros.bringup.processes import ProcessGroup

STAND_IN = [
    *(sys.executable, str(Path(__file__).with_name("move_group_node.py"))),
    *("--ros-args", "-p", "use_sim_time:=true"),
]
is_real = importlib.util.find_spec("moveit_configs_utils") is not None


def start_move_group(kind: str, group: ProcessGroup, environment: dict[str, str]) -> None:
    if kind == "stand-in":
        group.start("move_group", STAND_IN, environment=environment)
    else:
        command = ["ros2", "launch", "malmm_ros", "moveit.launch.py"]
        group.start("move_group", command, environment=environment)


KINDS = [
    "stand-in",
    pytest.param(
        "real",
        marks=[
            pytest.mark.moveit,
            pytest.mark.skipif(not is_real, reason="MoveIt 2 is not installed"),
        ],
    ),
]
