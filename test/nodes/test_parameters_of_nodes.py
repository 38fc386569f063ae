"""The bring-up table and the YAML files name only parameters that the nodes declare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from malmm_ros.bringup import SIM, SYSTEMS, ResolvedNode
from malmm_ros.configuration import from_mapping
from malmm_ros.errors import ConfigurationError
from malmm_ros.nodes.agents import AgentsNodeConfig
from malmm_ros.nodes.cooperation.agent import AgentConfig
from malmm_ros.nodes.cooperation.communication import CommunicationConfig
from malmm_ros.nodes.cooperation.world_configuration import WorldConfig
from malmm_ros.nodes.motion import MotionNodeConfig
from malmm_ros.nodes.parameters import nest, parameter_descriptions, parameter_ranges
from malmm_ros.nodes.scene import SceneConfig
from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.robots.planned import RobotConfig
from malmm_ros.robots.vision import VISION_ROBOT

CONFIGURATIONS: dict[str, type[Any]] = {
    "simulator": SimulatorConfig,
    "scene": SceneConfig,
    "motion": MotionNodeConfig,
    "agents": AgentsNodeConfig,
    "agent": AgentConfig,
    "communication": CommunicationConfig,
    "world": WorldConfig,
}
# Where a table means to differ: its reason stands beside it there.
DELIBERATE = {"heartbeat_release"}
FILES = sorted((Path(__file__).parents[2] / "config").glob("*.yaml"))


def ours(system: str) -> list[ResolvedNode]:
    """Nodes of this package."""
    return [node for node in SYSTEMS[system].resolve({"rviz": "false"}) if node.module]


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_the_table_sets_only_parameters_that_exist(system: str) -> None:
    for node in ours(system):
        declared = {*parameter_descriptions(CONFIGURATIONS[node.name]), "use_sim_time"}
        assert set(node.parameters) <= declared


@pytest.mark.parametrize("system", ["sim", "cooperation"])
def test_the_simulated_systems_defaults_are_the_nodes_own(system: str) -> None:
    for node in ours(system):
        given = {
            key: value
            for key, value in node.parameters.items()
            if key != "use_sim_time" and key not in DELIBERATE
        }
        config = CONFIGURATIONS[node.name]
        assert from_mapping(config, nest(given)) == config()


def test_a_real_systems_parameters_make_valid_configurations() -> None:
    for node in ours("real"):
        given = {key: value for key, value in node.parameters.items() if key != "use_sim_time"}
        from_mapping(CONFIGURATIONS[node.name], nest(given))


def test_with_real_cameras_motions_are_judged_as_with_simulated_ones() -> None:
    nodes = {node.name: node for node in ours("real")}
    robot = nest(nodes["motion"].parameters)["robot"]
    assert from_mapping(RobotConfig, robot) == VISION_ROBOT


def test_with_vision_motions_are_judged_as_in_one_process() -> None:
    nodes = {node.name: node for node in SIM.resolve({"observations": "vision", "rviz": "false"})}
    robot = nest(nodes["motion"].parameters)["robot"]
    assert from_mapping(RobotConfig, robot) == VISION_ROBOT


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_files_of_overrides_fit_their_nodes(file: Path) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    for pattern, section in content.items():
        node = pattern.rpartition("/")[2]
        from_mapping(CONFIGURATIONS[node], section["ros__parameters"], where=str(file))


@pytest.mark.parametrize("node", sorted(CONFIGURATIONS))
def test_every_parameter_is_described(node: str) -> None:
    descriptions = parameter_descriptions(CONFIGURATIONS[node])
    bare = [name for name, description in descriptions.items() if not description]
    assert not bare


@pytest.mark.parametrize("node", sorted(CONFIGURATIONS))
def test_every_number_has_a_range_or_is_said_to_have_none(node: str) -> None:
    ranges = parameter_ranges(CONFIGURATIONS[node])
    assert [name for name, limits in ranges.items() if limits is None] == []


@pytest.mark.parametrize("node", sorted(CONFIGURATIONS))
def test_what_is_beyond_a_declared_range_is_refused_by_the_configuration(node: str) -> None:
    config = CONFIGURATIONS[node]
    for name, limits in parameter_ranges(config).items():
        if limits is None:
            continue
        kind = int if isinstance(_default(config, name), int) else float
        for value in (limits[0] - 1, limits[1] + 1):
            if math.isfinite(value):
                with pytest.raises(ConfigurationError, match=name.rpartition(".")[2]):
                    from_mapping(config, nest({name: kind(value)}))


def _default(config: type[Any], name: str) -> Any:
    value = config()
    for part in name.split("."):
        value = getattr(value, part)
    return value
