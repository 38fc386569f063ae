"""What a system of nodes is made of, and how its arguments become parameters of nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from malmm_ros.errors import ConfigurationError, UnknownNameError

Value = str | int | float | bool
# What a parameter of a node may be; only arguments are single values.
ParameterValue = Value | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a launch file and of ``malmm up``.

    Attributes:
        default: Its type is the argument's type.
        choices: Valid texts; empty: any.
        pattern: Regular expression that the whole text must match; empty: any.
        form: What the pattern asks for, in words.
        must_exist: Whether it names a file or folder that has to be there, unless it is empty.
    """

    name: str
    default: Value
    doc: str
    choices: tuple[str, ...] = ()
    pattern: str = ""
    form: str = ""
    must_exist: bool = False

    def parse(self, text: Value) -> Value:
        """Turn a text of a command line into the argument's type.

        Raises:
            ConfigurationError: It is not a value of the type, or not one of the choices.
        """
        kind = type(self.default)
        if isinstance(text, kind) and not isinstance(text, str):
            return text
        words = str(text).strip()
        if kind is bool:
            if words.lower() in ("true", "1", "yes", "false", "0", "no"):
                return words.lower() in ("true", "1", "yes")
            raise ConfigurationError(
                f"argument {self.name}", f"{words!r} is neither true nor false"
            )
        if self.choices and words not in self.choices:
            raise UnknownNameError(f"argument {self.name}", words, self.choices)
        if self.pattern and not re.fullmatch(self.pattern, words):
            raise ConfigurationError(f"argument {self.name}", f"{words!r} must be {self.form}")
        if self.must_exist and words and not Path(words).exists():
            raise ConfigurationError(f"argument {self.name}", f"there is no {words!r}")
        try:
            return kind(words)
        except ValueError as error:
            raise ConfigurationError(
                f"argument {self.name}", f"{words!r} is not a number ({kind.__name__})"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The value of an argument, as a node's parameter.

    Attributes:
        form: What to make of it, a text with ``{}`` in the value's place; empty: the value itself.
        choices: The parameter for each value of the argument; empty: by ``form``.
        is_list: The value is words with commas between, and the parameter a list of them.
    """

    argument: str
    form: str = ""
    choices: Mapping[str, Value] = field(default_factory=dict)
    is_list: bool = False

    def of(self, values: Mapping[str, Value]) -> ParameterValue:
        """The parameter for the arguments' values."""
        value = values[self.argument]
        if self.choices:
            return self.choices[str(value)]
        if self.is_list:
            return tuple(word.strip() for word in str(value).split(",") if word.strip())
        return self.form.format(value) if self.form else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """A parameter, or a word of a command line, that is computed from the arguments' values."""

    of: Callable[[Mapping[str, Value]], ParameterValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludeEntry:
    """Another package's launch file, which only ``ros2 launch`` starts.

    Attributes:
        package: Its name, or :class:`Use` for an argument's value.
        advice: What to do where the package is not installed.
        file: Relative to the share folder of ``package``.
        arguments: Plain texts, or :class:`Use` for an argument's value.
        is_wanted: Decides by the arguments whether it starts at all.
    """

    package: str | Use
    advice: str = ""
    file: str
    arguments: Mapping[str, str | Use] = field(default_factory=dict)
    is_wanted: Callable[[Mapping[str, Value]], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedInclude:
    """One launch file to include, with every value known."""

    package: str
    advice: str = ""
    file: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEntry:
    """One node of a system.

    Attributes:
        name: Of the node, relative to the namespace.
        within: A namespace of its own inside the system's, by the arguments; empty: none.
        module: Started as ``python -m`` where there is no ROS installation.
        executable: Started by ``ros2 run`` and ``ros2 launch``; of ``package``.
        package: Of the executable.
        parameters: Plain values, :class:`Use` for an argument's value, or :class:`Make`.
        parameter_files: Of our own; ``{share}`` is the package's share folder.
        remappings: From and to.
        arguments: Command line before ``--ros-args``; ``{share}`` is the package's share folder,
            and ``{NAME}`` the value of an argument. Or :class:`Make`.
        is_wanted: Decides by the arguments whether it starts at all.
    """

    name: str
    within: Callable[[Mapping[str, Value]], str] = lambda _: ""
    module: str = ""
    executable: str
    package: str = "malmm_ros"
    parameters: Mapping[str, Value | tuple[str, ...] | Use | Make] = field(default_factory=dict)
    parameter_files: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str | Make, ...] = ()
    is_wanted: Callable[[Mapping[str, Value]], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedNode:
    """One node to start, with every value known.

    Attributes:
        within: The last part of its namespace, where it is the node's own.
    """

    name: str
    within: str = ""
    namespace: str
    module: str
    executable: str
    package: str
    parameters: Mapping[str, ParameterValue]
    parameter_files: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What tells it from the other nodes of the system: ``alice/agent``."""
        return f"{self.within}/{self.name}" if self.within else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Bringup:
    """A system: its arguments and its nodes.

    Attributes:
        doc: One line for ``malmm up --help``.
        includes: Launch files of others.
        complete: Fills in arguments that were left empty and follow from others.
        stays_here: Whether its nodes are found on this machine only, unless the environment or
            the caller says otherwise.
    """

    name: str
    doc: str
    arguments: tuple[Argument, ...]
    nodes: tuple[NodeEntry, ...]
    includes: tuple[IncludeEntry, ...] = ()
    complete: Callable[[dict[str, Value]], dict[str, Value]] = lambda values: values
    stays_here: bool = True

    def values(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Every argument's value: what was given, checked, else the default.

        Raises:
            UnknownNameError: An argument does not exist, or a value is not one of the choices.
            ConfigurationError: A value has the wrong type.
        """
        known = {argument.name: argument for argument in self.arguments}
        for name in given:
            if name not in known:
                raise UnknownNameError(f"{self.name}: argument", name, known)
        return self.complete(
            {
                name: argument.parse(given.get(name, argument.default))
                for name, argument in known.items()
            }
        )

    def resolve(self, given: Mapping[str, Value]) -> tuple[ResolvedNode, ...]:
        """The nodes to start for some arguments.

        Raises:
            UnknownNameError: As in :meth:`values`.
            ConfigurationError: As in :meth:`values`.
        """
        values = self.values(given)
        config = str(values.get("config", ""))
        return tuple(
            ResolvedNode(
                name=entry.name,
                within=entry.within(values),
                namespace=_join(str(values.get("namespace", "")), entry.within(values)),
                module=entry.module,
                executable=entry.executable,
                package=entry.package,
                parameters={
                    name: value.of(values) if isinstance(value, Use | Make) else value
                    for name, value in entry.parameters.items()
                },
                parameter_files=(*entry.parameter_files, *((config,) if config else ())),
                remappings=entry.remappings,
                arguments=tuple(_word(word, values) for word in entry.arguments),
            )
            for entry in self.nodes
            if entry.is_wanted(values)
        )

    def resolve_includes(self, given: Mapping[str, Value]) -> tuple[ResolvedInclude, ...]:
        """The launch files to include for some arguments; see :meth:`resolve`."""
        values = self.values(given)
        return tuple(
            ResolvedInclude(
                package=str(
                    entry.package.of(values) if isinstance(entry.package, Use) else entry.package
                ),
                advice=entry.advice,
                file=entry.file,
                arguments={
                    name: str(value.of(values)) if isinstance(value, Use) else value
                    for name, value in entry.arguments.items()
                },
            )
            for entry in self.includes
            if entry.is_wanted(values)
        )


def _join(namespace: str, within: str) -> str:
    return "/".join(filter(None, (namespace.rstrip("/"), within))) if within else namespace


def _word(word: str | Make, values: Mapping[str, Value]) -> str:
    """Put arguments' values into a word of a command line."""
    if isinstance(word, Make):
        return str(word.of(values))
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", str(value))
    return word
