"""``malmm up``: start the nodes of a system and end them together."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import signal
import sys
import threading
from collections.abc import Mapping
from types import FrameType

from malmm_ros.bringup import SYSTEMS, Argument, Bringup, ResolvedNode
from malmm_ros.bringup.domain import dds_environment
from malmm_ros.bringup.processes import ProcessGroup, describe_end, node_command
from malmm_ros.bringup.table import Value
from malmm_ros.errors import ConfigurationError, MissingDependencyError, UnknownNameError

_WRONG_CONFIGURATION = 2

EXAMPLE = "malmm up sim --task stack_blocks --seed 3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One option per argument of the systems' tables."""
    parser.add_argument("system", choices=sorted(SYSTEMS), help="what to start")
    for name, owners in _owners().items():
        # Where two systems have it, the first one's words; its default is the system's own.
        argument = next(iter(owners.values()))
        only = "" if len(owners) == len(SYSTEMS) else f"{', '.join(owners)} only: "
        parser.add_argument(
            _option(name),
            dest=name,
            default=argparse.SUPPRESS,
            choices=argument.choices or None,
            help=f"{only}{argument.doc} (default: {_defaults(owners)})".replace("%", "%%"),
        )
    parser.add_argument(
        "--only",
        metavar="NODE,…",
        default="",
        help="start these nodes only, e.g. to restart one that died",
    )
    parser.add_argument(
        "--beyond-this-machine",
        action="store_true",
        help="let nodes on other machines discover these; those of a real arm always do",
    )


def run(arguments: argparse.Namespace) -> int:
    """Start them; wait for Ctrl-C or SIGTERM, or until all are gone."""
    system = SYSTEMS[arguments.system]
    nodes = _choose(system, arguments)
    _check_importable("rclpy")
    environment = dds_environment(
        beyond_this_machine=arguments.beyond_this_machine or not system.stays_here
    )
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    deaths = _Deaths(arguments, stop)
    with ProcessGroup() as group:
        for node in nodes:
            group.start(node.label, node_command(node), environment=environment)
        group.watch(stop, on_death=deaths.report)
    sys.stdout.write(f"{system.name}: all nodes have ended\n")
    return deaths.exit_code


def _owners() -> dict[str, dict[str, Argument]]:
    """Names of arguments, and the systems that have them."""
    owners: dict[str, dict[str, Argument]] = {}
    for system in SYSTEMS.values():
        for argument in system.arguments:
            owners.setdefault(argument.name, {})[system.name] = argument
    return owners


def _defaults(owners: Mapping[str, Argument]) -> str:
    """One default for all systems, or each one's own."""
    texts = {system: str(argument.default) or "empty" for system, argument in owners.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{text} with {system}" for system, text in texts.items())


def _given(system: Bringup, arguments: argparse.Namespace) -> dict[str, Value]:
    """What the command line says.

    Raises:
        UnknownNameError: It names an argument of another system.
    """
    given = {name: getattr(arguments, name) for name in _owners() if hasattr(arguments, name)}
    known = {argument.name for argument in system.arguments}
    for name in given:
        if name not in known:
            raise UnknownNameError(
                f"{system.name}: option", _option(name), [_option(item) for item in known]
            )
    return given


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class _Deaths:
    """Reports nodes that end by themselves; the others go on, so that it can be started again.

    Attributes:
        exit_code: 0, or 2 after a wrong configuration, or 1 after another death.
    """

    def __init__(self, arguments: argparse.Namespace, stop: threading.Event) -> None:
        self._command = _command(arguments)
        self._stop = stop
        self.exit_code = 0

    def report(self, name: str, code: int) -> None:
        """Say who died, and how to go on."""
        sys.stderr.write(f"malmm up: node {name!r} {describe_end(code)}\n")
        if code == _WRONG_CONFIGURATION:
            self.exit_code = code
            self._stop.set()
            return
        self.exit_code = self.exit_code or 1
        sys.stderr.write(f"the others go on; start it again with: {self._command} --only {name}\n")


def _command(arguments: argparse.Namespace) -> str:
    """The command line that started these nodes, but for ``--only``."""
    words = ["malmm", "up", arguments.system]
    for argument in SYSTEMS[arguments.system].arguments:
        value = getattr(arguments, argument.name, argument.default)
        if str(value) != str(argument.default):
            words += [_option(argument.name), str(value)]
    if arguments.beyond_this_machine:
        words.append("--beyond-this-machine")
    return shlex.join(words)


def _choose(system: Bringup, arguments: argparse.Namespace) -> list[ResolvedNode]:
    given = _given(system, arguments)
    for include in system.resolve_includes(given):
        raise ConfigurationError(
            system.name,
            f"{include.file} of {include.package} is started by `ros2 launch malmm_ros "
            f"{system.name}.launch.py` only: start the robot's own driver first, and leave "
            f"{', '.join(include.arguments)} out here",
        )
    # RViz comes with a ROS installation, and that has `ros2 launch`.
    nodes = [node for node in system.resolve({**given, "rviz": "false"}) if node.module]
    wanted = [name for name in arguments.only.split(",") if name]
    names = [node.label for node in nodes]
    for name in wanted:
        if name not in names:
            raise UnknownNameError("--only", name, names)
    return [node for node in nodes if not wanted or node.label in wanted]


def _check_importable(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingDependencyError(
            package,
            needed_for="malmm up",
            install="make install",
            instead="a sourced ROS 2 installation",
        )
