"""The simulated arm with its scene, motion and agents; ``ros2 launch malmm_ros sim.launch.py``.

The arguments and nodes are those of the table in malmm_ros/bringup, which `malmm up sim` uses too.
"""

from typing import List  # noqa: UP035

from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable, LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription
from malmm_ros.bringup import SIM
from malmm_ros.errors import MalmmError


def typed(value):
    """A parameter with its type, since launch would read a text like "1" as a number."""
    if isinstance(value, tuple):
        # launch takes typing's List only, not list.
        return ParameterValue(list(value), value_type=List[str])  # noqa: UP006
    return ParameterValue(value, value_type=type(value))


def start_nodes(context):
    values = {
        argument.name: LaunchConfiguration(argument.name).perform(context)
        for argument in SIM.arguments
    }
    try:
        nodes = SIM.resolve(values)
    except MalmmError as error:
        # launch prints the words of an exception that ends it, and exits with 1.
        raise RuntimeError(f"sim.launch.py: {error}") from None
    share = FindPackageShare("malmm_ros").perform(context)
    return [
        Node(
            package=node.package,
            executable=node.executable,
            name=node.name,
            namespace=node.namespace,
            parameters=[
                {name: typed(value) for name, value in node.parameters.items()},
                *node.parameter_files,
            ],
            remappings=list(node.remappings),
            arguments=[word.format(share=share) for word in node.arguments],
            output="screen",
            emulate_tty=True,
        )
        for node in nodes
    ]


def generate_launch_description():
    arguments = [
        DeclareLaunchArgument(
            argument.name,
            default_value=str(argument.default),
            description=argument.doc,
            **({"choices": list(argument.choices)} if argument.choices else {}),
        )
        for argument in SIM.arguments
    ]
    # Discovery stays on this machine unless the caller's environment says otherwise; a killed
    # process would leave shared-memory segments behind.
    environment = [
        SetEnvironmentVariable(name, EnvironmentVariable(name, default_value=value))
        for name, value in (
            ("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"),
            ("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4"),
        )
    ]
    return LaunchDescription([*arguments, *environment, OpaqueFunction(function=start_nodes)])
