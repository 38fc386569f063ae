"""The launch file, loaded with the real launch packages or with stand-ins that refuse what the
real ones would refuse, starts what the bring-up table says.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ament_index_python.packages import PackageNotFoundError

from malmm_ros.bringup import (
    COOPERATION,
    MOVEIT,
    REAL,
    SIM,
    Bringup,
    ResolvedInclude,
    ResolvedNode,
)

LAUNCH_FOLDER = Path(__file__).parents[1] / "launch"
CONFIG = str(LAUNCH_FOLDER.parent / "config/sim.yaml")
FILES = {"sim": SIM, "real": REAL, "moveit": MOVEIT, "cooperation": COOPERATION}
# Where our own launching code is kept; it must be loaded anew with the stand-ins.
LAUNCHING = "malmm_ros.bringup.launching"


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


class LogInfo:
    def __init__(self, *, msg: str) -> None:
        self.msg = msg


class PythonLaunchDescriptionSource:
    def __init__(self, launch_file_path: str) -> None:
        self.path = launch_file_path


class IncludeLaunchDescription:
    def __init__(
        self,
        launch_description_source: PythonLaunchDescriptionSource,
        *,
        launch_arguments: list[tuple[str, str]] | None = None,
    ) -> None:
        self.source, self.arguments = launch_description_source, launch_arguments or []


class LaunchDescription:
    def __init__(self, initial_entities: list[Any] | None = None) -> None:
        self.entities = initial_entities or []


class ParameterValue:
    def __init__(self, value: Any, *, value_type: type | None = None) -> None:
        lists = (typing.List[str], typing.List[float])  # noqa: UP006
        assert value_type in (str, int, float, bool, *lists)
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
        "IncludeLaunchDescription": IncludeLaunchDescription,
        "LogInfo": LogInfo,
        "OpaqueFunction": OpaqueFunction,
        "SetEnvironmentVariable": SetEnvironmentVariable,
    },
    "launch.launch_description_sources": {
        "PythonLaunchDescriptionSource": PythonLaunchDescriptionSource
    },
    "launch.substitutions": {
        "LaunchConfiguration": LaunchConfiguration,
    },
    "launch_ros": {},
    "launch_ros.actions": {"Node": NodeAction},
    "launch_ros.parameter_descriptions": {"ParameterValue": ParameterValue},
    "launch_ros.substitutions": {"FindPackageShare": FindPackageShare},
}


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, members in MODULES.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, LAUNCHING, raising=False)


@pytest.fixture
def description(stand_ins: None) -> Iterator[LaunchDescription]:
    yield describe("sim")
    sys.modules.pop(LAUNCHING, None)


@pytest.fixture(params=sorted(FILES))
def file(request: pytest.FixtureRequest, stand_ins: None) -> Iterator[str]:
    yield request.param
    sys.modules.pop(LAUNCHING, None)


def describe(name: str) -> LaunchDescription:
    path = LAUNCH_FOLDER / f"{name}.launch.py"
    spec = importlib.util.spec_from_file_location(f"{name}_launch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def actions(description: LaunchDescription, **given: str) -> list[Any]:
    """Do what `ros2 launch` does: set the defaults, then call the function."""
    configurations = {
        entity.name: entity.default_value
        for entity in description.entities
        if isinstance(entity, DeclareLaunchArgument)
    }
    context = Context(**{**configurations, **given})
    (setup,) = [item for item in description.entities if isinstance(item, OpaqueFunction)]
    return setup.function(context)


def nodes(description: LaunchDescription, **given: str) -> list[NodeAction]:
    return [item for item in actions(description, **given) if isinstance(item, NodeAction)]


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
        "files": tuple(
            file.replace("{share}", "/share/malmm_ros") for file in node.parameter_files
        ),
        "remappings": node.remappings,
    }


def launched(name: str, given: dict[str, str]) -> None:
    """Compare what a launch file starts with what its table says."""
    system, description = FILES[name], describe(name)
    started = [as_resolved(node) for node in nodes(description, **given)]
    assert started == [expected(node) for node in system.resolve(given)]
    included = [
        item
        for item in actions(description, **given)
        if isinstance(item, IncludeLaunchDescription)
    ]
    wanted = [without_advice(item) for item in system.resolve_includes(given)]
    assert [as_include(item) for item in included] == wanted


def as_include(item: IncludeLaunchDescription) -> ResolvedInclude:
    package, _, file = item.source.path.removeprefix("/share/").partition("/")
    return ResolvedInclude(package=package, file=file, arguments=dict(item.arguments))


def without_advice(item: ResolvedInclude) -> ResolvedInclude:
    """It shows only where the package is missing."""
    return replace(item, advice="")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"task": "put_block", "seed": "4", "speed": "0", "rviz": "true", "namespace": "left"},
        {"observations": "vision", "cameras": "front,wrist"},
        {"task": "1", "config": CONFIG, "base_url": "http://localhost:8000/v1"},
        {"motion": "moveit"},
    ],
)
def test_the_launch_file_starts_what_the_table_says(
    stand_ins: None, given: dict[str, str]
) -> None:
    launched("sim", given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"robot_ip": "172.16.0.2", "approve": "false", "cameras": "front,overhead"},
        {"robot_ip": "172.16.0.2", "arm": "fr3", "base_pose": "0,0.1,0.7,0,0,1.5"},
        {"arm": "fr3", "robot_name": "left", "namespace": "lab", "base_transform": "false"},
        {"gripper_interface": "parallel_gripper_command", "gripper_action": "hand/grip"},
        {"calibration": CONFIG, "speed_scale": "0.5", "motion": "moveit"},
    ],
)
def test_the_launch_file_for_a_real_arm_starts_what_the_table_says(
    stand_ins: None, given: dict[str, str]
) -> None:
    launched("real", given)


@pytest.mark.parametrize("given", [{}, {"simulated_time": "false", "config": CONFIG}])
def test_the_launch_file_of_moveit_starts_what_the_table_says(
    stand_ins: None, given: dict[str, str]
) -> None:
    launched("moveit", given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"agents": "rhp", "episode": "training/11", "rviz": "true", "drop": "0.2"},
        {"agents": "rhp, random ,rhp", "names": "Eve,Ann,Joe", "namespace": "/lab/"},
        {"agents": "coela,coela", "model": "gpt-x", "speed": "2", "config": CONFIG},
    ],
)
def test_the_launch_file_of_the_cooperation_world_starts_what_the_table_says(
    stand_ins: None, given: dict[str, str]
) -> None:
    given = {key: value.rstrip("/") for key, value in given.items()}
    launched("cooperation", given)


def test_every_argument_is_declared_with_its_words_and_choices(file: str) -> None:
    system: Bringup = FILES[file]
    declared = {
        item.name: item
        for item in describe(file).entities
        if isinstance(item, DeclareLaunchArgument)
    }
    assert list(declared) == [argument.name for argument in system.arguments]
    for argument in system.arguments:
        assert declared[argument.name].description == argument.doc
        assert declared[argument.name].choices == (list(argument.choices) or None)


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_executable_of_ours_is_installed_by_the_build(name: str) -> None:
    scripts = LAUNCH_FOLDER.parent / "scripts"
    for node in FILES[name].resolve({}):
        if node.package == "malmm_ros":
            assert os.access(scripts / node.executable, os.X_OK)


def test_a_real_arm_is_slow_and_asks_before_it_moves_unless_told_otherwise() -> None:
    by_name = {node.name: node for node in REAL.resolve({"rviz": "false"})}
    assert by_name["motion"].parameters["speed_scale"] == 0.2
    assert by_name["motion"].parameters["heartbeat_release"] == "service"
    assert by_name["agents"].parameters["approve"] is True
    assert not REAL.resolve_includes({})


@pytest.mark.parametrize(
    ("arm", "package"), [("panda", "franka_moveit_config"), ("fr3", "franka_fr3_moveit_config")]
)
def test_an_address_starts_the_driver_of_the_arm_in_its_namespace(arm: str, package: str) -> None:
    given = {"arm": arm, "robot_ip": "172.16.0.2", "namespace": "left"}
    (driver,) = REAL.resolve_includes(given)
    assert (driver.package, driver.file) == (package, "launch/moveit.launch.py")
    assert driver.arguments == {"robot_ip": "172.16.0.2", "namespace": "left"}
    (other,) = REAL.resolve_includes({**given, "driver_package": "my_driver"})
    assert other.package == "my_driver"


def test_a_missing_driver_package_is_one_readable_error(
    stand_ins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(self: FindPackageShare, context: Context) -> str:
        if self.package.startswith("franka"):
            raise PackageNotFoundError(self.package)
        return f"/share/{self.package}"

    monkeypatch.setattr(FindPackageShare, "perform", find)
    words = (
        r"real\.launch\.py: package 'franka_fr3_moveit_config' is not installed: .*franka_ros2"
        r".*driver_package:=.*leave robot_ip out"
    )
    with pytest.raises(RuntimeError, match=words) as caught:
        actions(describe("real"), arm="fr3", robot_ip="172.16.0.2")
    assert caught.value.__suppress_context__
    sys.modules.pop(LAUNCHING, None)


def test_the_parameters_of_move_group_are_files_of_ours_and_one_description() -> None:
    (node,) = MOVEIT.resolve({})
    for file in node.parameter_files:
        assert (LAUNCH_FOLDER.parent / file.removeprefix("{share}/")).is_file()
    for name in ("robot_description", "robot_description_semantic"):
        assert "panda" in str(node.parameters[name])
    assert {path.stem for path in (LAUNCH_FOLDER.parent / "config/moveit").glob("*.yaml")} == {
        Path(file).stem for file in node.parameter_files
    }


def test_a_misspelt_argument_is_told_and_a_foreign_one_is_not(
    description: LaunchDescription,
) -> None:
    hints = [
        item.msg
        for item in actions(description, modle="gpt-4o", use_sim_time="true")
        if isinstance(item, LogInfo)
    ]
    assert hints == ["sim.launch.py: there is no argument 'modle'. Did you mean 'model'?"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"config": "nowhere.yaml"}, r"sim\.launch\.py: argument config: there is no 'nowhere"),
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


def test_agents_that_share_one_mind_are_refused_at_launch(stand_ins: None) -> None:
    words = r"cooperation\.launch\.py: agents: 'central' is one mind for all its agents"
    with pytest.raises(RuntimeError, match=words):
        nodes(describe("cooperation"), agents="rhp,central")
    sys.modules.pop(LAUNCHING, None)


def test_rviz_gets_its_configuration_from_the_share_folder(
    description: LaunchDescription,
) -> None:
    rviz = nodes(description, rviz="true")[-1]
    assert rviz.arguments == ["-d", "/share/malmm_ros/config/malmm.rviz"]


def settings(description: LaunchDescription) -> dict[str, Any]:
    return {
        item.name: item.value
        for item in actions(description)
        if isinstance(item, SetEnvironmentVariable)
    }


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that says nothing of DDS."""
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "RMW_IMPLEMENTATION", "ROS_DISTRO"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith(("FASTDDS_", "FASTRTPS_"))]:
        monkeypatch.delenv(name)


def test_a_real_arms_nodes_are_found_from_other_machines(stand_ins: None, bare: None) -> None:
    assert settings(describe("real")) == {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}
    sys.modules.pop(LAUNCHING, None)


def test_discovery_stays_here_unless_the_environment_says_otherwise(
    description: LaunchDescription, bare: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(settings(description)) == {
        "ROS_AUTOMATIC_DISCOVERY_RANGE",
        "FASTDDS_BUILTIN_TRANSPORTS",
        "FASTDDS_DEFAULT_PROFILES_FILE",
    }
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    assert set(settings(description)) == {"FASTDDS_BUILTIN_TRANSPORTS"}


@pytest.mark.skipif(
    importlib.util.find_spec("launch_ros") is None, reason="needs the real launch packages"
)
@pytest.mark.parametrize("name", sorted(FILES))
def test_the_real_launch_packages_take_the_file(name: str) -> None:
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    from launch import LaunchContext

    source = PythonLaunchDescriptionSource(str(LAUNCH_FOLDER / f"{name}.launch.py"))
    described = source.get_launch_description(LaunchContext())
    assert {item.name for item in described.get_launch_arguments()} == {
        argument.name for argument in FILES[name].arguments
    }
