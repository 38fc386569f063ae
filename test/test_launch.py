"""The launch file, loaded with the real launch packages or with stand-ins that refuse what the
real ones would refuse, starts what the bring-up table says.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.bringup import SIM, ResolvedNode

LAUNCH_FILE = Path(__file__).parents[1] / "launch" / "sim.launch.py"


class Context:
    """What `launch.LaunchContext` is to substitutions."""

    def __init__(self, **configurations: str) -> None:
        self.launch_configurations = configurations


class Substitution:
    def perform(self, context: Context) -> str:
        raise NotImplementedError


class LaunchConfiguration(Substitution):
    def __init__(self, variable_name: str, *, default: str | None = None) -> None:
        self.variable_name = variable_name

    def perform(self, context: Context) -> str:
        return context.launch_configurations[self.variable_name]


class EnvironmentVariable(Substitution):
    def __init__(self, name: str, *, default_value: str | None = None) -> None:
        self.name, self.default_value = name, default_value

    def perform(self, context: Context) -> str:
        value = os.environ.get(self.name, self.default_value)
        assert value is not None
        return value


class FindPackageShare(Substitution):
    def __init__(self, package: str) -> None:
        self.package = package

    def perform(self, context: Context) -> str:
        return f"/share/{self.package}"


class DeclareLaunchArgument:
    def __init__(
        self,
        name: str,
        *,
        default_value: str | None = None,
        description: str | None = None,
        choices: list[str] | None = None,
    ) -> None:
        assert isinstance(default_value, str)
        assert choices is None or default_value in choices
        self.name, self.default_value = name, default_value
        self.description, self.choices = description, choices


class SetEnvironmentVariable:
    def __init__(self, name: str, value: Substitution | str) -> None:
        self.name, self.value = name, value


class OpaqueFunction:
    def __init__(self, *, function: Callable[..., list[Any]]) -> None:
        self.function = function


class LaunchDescription:
    def __init__(self, initial_entities: list[Any] | None = None) -> None:
        self.entities = initial_entities or []


class ParameterValue:
    def __init__(self, value: Any, *, value_type: type | None = None) -> None:
        assert value_type in (str, int, float, bool, typing.List[str])  # noqa: UP006
        self.value, self.value_type = value, value_type


class NodeAction:
    def __init__(
        self,
        *,
        executable: str,
        package: str | None = None,
        name: str | None = None,
        namespace: str | None = None,
        parameters: list[Any] | None = None,
        remappings: list[tuple[str, str]] | None = None,
        ros_arguments: list[str] | None = None,
        arguments: list[str] | None = None,
        output: str = "log",
        emulate_tty: bool = False,
    ) -> None:
        self.executable, self.package, self.name = executable, package, name
        self.namespace, self.parameters = namespace, parameters or []
        self.remappings, self.arguments = remappings or [], arguments or []


MODULES = {
    "launch": {"LaunchDescription": LaunchDescription},
    "launch.actions": {
        "DeclareLaunchArgument": DeclareLaunchArgument,
        "OpaqueFunction": OpaqueFunction,
        "SetEnvironmentVariable": SetEnvironmentVariable,
    },
    "launch.substitutions": {
        "EnvironmentVariable": EnvironmentVariable,
        "LaunchConfiguration": LaunchConfiguration,
    },
    "launch_ros": {},
    "launch_ros.actions": {"Node": NodeAction},
    "launch_ros.parameter_descriptions": {"ParameterValue": ParameterValue},
    "launch_ros.substitutions": {"FindPackageShare": FindPackageShare},
}


@pytest.fixture
def description(monkeypatch: pytest.MonkeyPatch) -> LaunchDescription:
    for name, members in MODULES.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return load().generate_launch_description()


def load() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("sim_launch", LAUNCH_FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nodes(description: LaunchDescription, **given: str) -> list[NodeAction]:
    """Do what `ros2 launch` does: set the defaults, then call the function."""
    configurations = {
        entity.name: entity.default_value
        for entity in description.entities
        if isinstance(entity, DeclareLaunchArgument)
    }
    context = Context(**{**configurations, **given})
    (setup,) = [item for item in description.entities if isinstance(item, OpaqueFunction)]
    return setup.function(context)


def as_resolved(node: NodeAction) -> dict[str, Any]:
    parameters, *files = node.parameters
    for item in parameters.values():
        assert isinstance(item.value, typing.get_origin(item.value_type) or item.value_type)
    return {
        "name": node.name,
        "namespace": node.namespace,
        "package": node.package,
        "executable": node.executable,
        "parameters": {
            name: tuple(item.value) if isinstance(item.value, list) else item.value
            for name, item in parameters.items()
        },
        "files": tuple(files),
        "remappings": tuple(node.remappings),
    }


def expected(node: ResolvedNode) -> dict[str, Any]:
    return {
        "name": node.name,
        "namespace": node.namespace,
        "package": node.package,
        "executable": node.executable,
        "parameters": dict(node.parameters),
        "files": node.parameter_files,
        "remappings": node.remappings,
    }


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"task": "put_block", "seed": "4", "speed": "0", "rviz": "true", "namespace": "left"},
        {"observations": "vision", "cameras": "front,wrist"},
        {"task": "1", "config": "my.yaml", "base_url": "http://localhost:8000/v1"},
    ],
)
def test_the_launch_file_starts_what_the_table_says(
    description: LaunchDescription, given: dict[str, str]
) -> None:
    launched = [as_resolved(node) for node in nodes(description, **given)]
    assert launched == [expected(node) for node in SIM.resolve(given)]


def test_every_argument_is_declared_with_its_words_and_choices(
    description: LaunchDescription,
) -> None:
    declared = {
        item.name: item for item in description.entities if isinstance(item, DeclareLaunchArgument)
    }
    assert list(declared) == [argument.name for argument in SIM.arguments]
    for argument in SIM.arguments:
        assert declared[argument.name].description == argument.doc
        assert declared[argument.name].choices == (list(argument.choices) or None)


def test_every_executable_of_ours_is_installed_by_the_build() -> None:
    scripts = LAUNCH_FILE.parents[1] / "scripts"
    for node in SIM.resolve({"rviz": "true"}):
        if node.package == "malmm_ros":
            assert os.access(scripts / node.executable, os.X_OK)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"motion": "robplan"}, r"sim\.launch\.py: .*'robplan' is unknown; .*'roboplan'\?"),
        ({"speed": "fast"}, r"sim\.launch\.py: argument speed: 'fast' is not a number"),
    ],
)
def test_a_wrong_argument_is_refused_in_words_alone(
    description: LaunchDescription, given: dict[str, str], words: str
) -> None:
    with pytest.raises(RuntimeError, match=words) as caught:
        nodes(description, **given)
    # launch shows the text; a cause behind it would be shown as a second traceback.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_rviz_gets_its_configuration_from_the_share_folder(
    description: LaunchDescription,
) -> None:
    rviz = nodes(description, rviz="true")[-1]
    assert rviz.arguments == ["-d", "/share/malmm_ros/config/malmm.rviz"]


def test_discovery_stays_here_unless_the_environment_says_otherwise(
    description: LaunchDescription, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        item.name: item.value
        for item in description.entities
        if isinstance(item, SetEnvironmentVariable)
    }
    discovery = settings["ROS_AUTOMATIC_DISCOVERY_RANGE"]
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    assert discovery.perform(Context()) == "LOCALHOST"
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    assert discovery.perform(Context()) == "SUBNET"


@pytest.mark.skipif(
    importlib.util.find_spec("launch_ros") is None, reason="needs the real launch packages"
)
def test_the_real_launch_packages_take_the_file() -> None:
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    from launch import LaunchContext

    source = PythonLaunchDescriptionSource(str(LAUNCH_FILE))
    described = source.get_launch_description(LaunchContext())
    assert {item.name for item in described.get_launch_arguments()} == {
        argument.name for argument in SIM.arguments
    }
