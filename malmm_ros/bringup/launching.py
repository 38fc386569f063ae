"""A system of the bring-up table as a launch description; needs the launch packages."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, List  # noqa: UP035

from ament_index_python.packages import PackageNotFoundError
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription  # type: ignore[attr-defined]  # mypy takes our folder launch/
from malmm_ros.bringup.domain import dds_environment
from malmm_ros.bringup.table import Bringup, ResolvedInclude, ResolvedNode
from malmm_ros.errors import MalmmError

_SIMILAR = 0.75
# launch takes typing's List only, not list.
_LISTS = {str: List[str], float: List[float]}  # noqa: UP006


def describe(system: Bringup, *, file: str) -> Any:
    """What a launch file gives back.

    Args:
        system: Of the table.
        file: Name of the launch file, for its refusals.
    """

    def start(context: Any) -> list[Any]:
        values = {
            argument.name: LaunchConfiguration(argument.name).perform(context)
            for argument in system.arguments
        }
        try:
            nodes = system.resolve(values)
            includes = system.resolve_includes(values)
        except MalmmError as error:
            # launch prints the words of an exception that ends it, and exits with 1.
            raise RuntimeError(f"{file}: {error}") from None
        share = FindPackageShare("malmm_ros").perform(context)
        return [
            *_environment(system),
            *_hints(context.launch_configurations, list(values), file=file),
            *(_include(include, context, file=file) for include in includes),
            *(_node(node, share) for node in nodes),
        ]

    arguments = [
        DeclareLaunchArgument(
            argument.name,
            default_value=str(argument.default),
            description=argument.doc,
            **({"choices": list(argument.choices)} if argument.choices else {}),
        )
        for argument in system.arguments
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])


def _environment(system: Bringup) -> list[Any]:
    """What the environment lacks; of the launch process, where launch keeps it too."""
    wanted = dds_environment(beyond_this_machine=not system.stays_here)
    return [
        SetEnvironmentVariable(name, value)
        for name, value in wanted.items()
        if os.environ.get(name) != value
    ]


def _hints(given: Iterable[str], known: Sequence[str], *, file: str) -> list[Any]:
    """Say which arguments do nothing and look like misspelt ones; launch takes any name.

    Others stay unsaid: a launch file that includes this one may have them for itself.
    """
    near = {
        name: difflib.get_close_matches(name, known, n=1, cutoff=_SIMILAR)
        for name in given
        if name not in known
    }
    return [
        LogInfo(msg=f"{file}: there is no argument {name!r}. Did you mean {names[0]!r}?")
        for name, names in near.items()
        if names
    ]


def _node(node: ResolvedNode, share: str) -> Any:
    return Node(
        package=node.package,
        executable=node.executable,
        name=node.name,
        namespace=node.namespace,
        parameters=[
            _typed(node.parameters),
            *(file.replace("{share}", share) for file in node.parameter_files),
        ],
        remappings=list(node.remappings),
        arguments=[word.replace("{share}", share) for word in node.arguments],
        output="screen",
        emulate_tty=True,
    )


def _typed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with their types, since launch would read a text like "1" as a number."""
    return {
        name: ParameterValue(list(value), value_type=_LISTS[type(value[0])])
        if isinstance(value, tuple)
        else ParameterValue(value, value_type=type(value))
        for name, value in parameters.items()
    }


def _include(include: ResolvedInclude, context: Any, *, file: str) -> Any:
    try:
        share = FindPackageShare(include.package).perform(context)
    except PackageNotFoundError:
        raise RuntimeError(
            f"{file}: package {include.package!r} is not installed: {include.advice}"
        ) from None
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(PurePosixPath(share) / include.file)),
        launch_arguments=list(include.arguments.items()),
    )
