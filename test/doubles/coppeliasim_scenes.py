"""Descriptions of the stand-in's scenes, made from our own tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from coppeliasim_server import path_of

from malmm_ros.scene import Solid
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.tasks.close_jar import JAR_HEIGHT, LID_HEIGHT, TOP_BOX
from malmm_ros.simulation.tasks.put_rubbish_in_bin import BIN_HEIGHT, FLOOR_HEIGHT, FLOOR_RADIUS

NOTHING_GRASPED = {"kind": "nothing_grasped"}
# The sensor that RLBench's scene of this task has, as the stand-in is told of it.
BIN_SENSORS = {
    "/success": (
        "bin",
        [0.0, 0.0, 0.5 * (FLOOR_HEIGHT - BIN_HEIGHT)],
        [FLOOR_RADIUS, FLOOR_RADIUS, 0.5 * FLOOR_HEIGHT],
    )
}


def write_description(
    folder: Path,
    task: str,
    seed: int = 0,
    *,
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Write what the stand-in's scene of a task holds; ``changes`` replace top-level keys."""
    world = MujocoWorld()
    world.reset(task, seed, options=options)
    content = {
        "objects": [_object(prop.item) for prop in world.task.props],
        "instructions": list(world.task.instructions),
        "success": _success(world),
        **(changes or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{task}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


def _object(item: Any) -> dict[str, Any]:
    return {
        "path": path_of(item.name),
        "name": item.name,
        "category": item.category,
        "color": item.color,
        "yaw_symmetry": item.yaw_symmetry,
        "is_fixed": item.is_fixed,
        "solids": [_solid(part) for part in item.solids],
    }


def _solid(part: Solid) -> dict[str, Any]:
    pose = {
        "position": [float(value) for value in part.pose.position],
        "orientation": [float(value) for value in part.pose.orientation],
    }
    return {"shape": part.shape, "size": [float(value) for value in part.size], "pose": pose}


def _success(world: MujocoWorld) -> list[dict[str, Any]]:
    task: Any = world.task
    if task.name == "put_block":
        edge, area = task.block.item.size[2], task.area.item.size
        place = {
            "kind": "within",
            "objects": [task.block.name],
            "of": task.area.name,
            "center": [0.0, 0.0, 0.5 * edge],
            "half": [0.5 * area[0], 0.5 * area[1], 0.01],
        }
        return [place, NOTHING_GRASPED]
    if task.name == "stack_blocks":
        blocks = [item.name for item in task.blocks if item.item.color == task.color]
        tower = {"kind": "stacked", "objects": blocks, "of": task.area.name, "count": task.count}
        return [tower, NOTHING_GRASPED]
    if task.name == "close_jar":
        lid = {
            "kind": "within",
            "objects": [task.lid.name],
            "of": task.jar.name,
            "center": [0.0, 0.0, 0.5 * (JAR_HEIGHT + LID_HEIGHT)],
            "half": list(TOP_BOX),
        }
        return [lid, NOTHING_GRASPED]
    return [{"kind": "detected", "objects": ["rubbish"], "sensor": "/success"}]
