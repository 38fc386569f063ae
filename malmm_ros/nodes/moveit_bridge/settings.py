"""MoveIt's parameters from the folder config/moveit, for its Python library."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from malmm_ros.errors import ConfigurationError
from malmm_ros.models import panda_srdf, panda_urdf
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig

_FOLDER = "config/moveit"


def library_settings(
    config: MoveItConfig, model: RoboplanConfig, *, uses_simulated_time: bool
) -> dict[str, Any]:
    """All parameters of the library's node, nested.

    Raises:
        ConfigurationError: The folder has no parameters, or the robot has another name than they,
            or no pipeline is named.
    """
    if model.robot_name != "panda" and not config.config_folder:
        raise ConfigurationError(
            "moveit.config_folder",
            f"MoveIt's own parameters are for the robot name 'panda', not {model.robot_name!r}: "
            "name a folder with parameters for it",
        )
    if not config.pipeline:
        raise ConfigurationError(
            "moveit.pipeline", "must name a pipeline with moveit_py, e.g. 'ompl'"
        )
    folder = Path(config.config_folder) if config.config_folder else default_folder()
    settings: dict[str, Any] = {}
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise ConfigurationError("moveit.config_folder", f"{folder} holds no YAML files")
    for file in files:
        _merge(settings, _parameters(file))
    # move_group lists its pipelines at the top; the library wants them one level down.
    pipelines = settings.pop("planning_pipelines", [config.pipeline])
    settings["planning_pipelines"] = {"pipeline_names": pipelines}
    settings["robot_description"] = panda_urdf(
        robot_name=model.robot_name, base=model.base, arm=model.arm
    )
    settings["robot_description_semantic"] = panda_srdf(robot_name=model.robot_name)
    settings["use_sim_time"] = uses_simulated_time
    return settings


def write_settings(settings: Mapping[str, Any], folder: Path) -> Path:
    """A file of parameters for whatever node reads it, in whatever namespace."""
    file = folder / "parameters.yaml"
    content = {"/**": {"ros__parameters": dict(settings)}}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def default_folder() -> Path:
    """config/moveit of the source tree, or of the installed package."""
    source = Path(__file__).parents[3] / _FOLDER
    if source.is_dir():
        return source
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("malmm_ros")) / _FOLDER


def _parameters(file: Path) -> dict[str, Any]:
    """What a file of parameters sets, for whatever node."""
    content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    parameters: dict[str, Any] = {}
    for section in content.values():
        _merge(parameters, section["ros__parameters"])
    return parameters


def _merge(target: dict[str, Any], source: dict[str, Any]) -> None:
    for key, value in source.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value
