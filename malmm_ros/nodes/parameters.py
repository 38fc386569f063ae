"""Configuration dataclasses as ROS parameters: declared, checked, given back."""

from __future__ import annotations

import array
import dataclasses
import math
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from malmm_ros.configuration import describe_range, from_mapping
from malmm_ros.errors import ConfigurationError, MalmmError, UnknownNameError

ConfigT = TypeVar("ConfigT")

# Not ours and accepted on any node: overrides of quality of service, and a switch of rclpy's.
_FOREIGN_PREFIXES = ("qos_overrides.",)
_FOREIGN_NAMES = ("use_sim_time", "start_type_description_service")
_LARGEST = 2**63 - 1
_ARRAY_TYPES = {
    str: Parameter.Type.STRING_ARRAY,
    float: Parameter.Type.DOUBLE_ARRAY,
    int: Parameter.Type.INTEGER_ARRAY,
    bool: Parameter.Type.BOOL_ARRAY,
}


def declare_configuration(
    node: Node, cls: type[ConfigT], *, on_change: Callable[[ConfigT], None] | None = None
) -> ConfigT:
    """Declare one parameter per field and give the configuration back.

    Nested dataclasses become dotted names. A parameter is read-only unless its field's metadata
    says ``{"live": True}``; a range (:func:`malmm_ros.configuration.within` and its kin) goes into
    its descriptor. Its description is the field's entry under ``Attributes:`` in the docstring of
    its class. Whole numbers are taken for floats; an empty text or list stands for ``None`` where
    a field may be ``None``.

    Args:
        node: Its overrides (``--ros-args -p``, parameter files) are read.
        cls: A frozen dataclass whose ``__post_init__`` checks ranges.
        on_change: Called with the new configuration after a live parameter was set.

    Raises:
        UnknownNameError: An override is not a parameter of the node; rclpy itself would ignore
            it without a word.
        ConfigurationError: A value has the wrong type or is out of range.
    """
    where = f"node {node.get_name()!r}"
    fields = dict(_walk(cls))
    overrides = _overrides(node)
    _refuse_unknown(overrides, fields, where=where)
    state = nest({name: _plain(value) for name, value in overrides.items() if name in fields})
    config = from_mapping(cls, _fill(cls, state), where=f"{where}: parameters")
    for name, item in fields.items():
        _declare(node, name, item, _get(config, name))
    if any(item.is_live for item in fields.values()):
        _follow_changes(node, cls, config, fields, on_change)
    return config


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    hint: Any
    description: str
    is_live: bool
    range: tuple[float, float] | None
    range_words: str
    is_unbounded: bool


def parameter_descriptions(cls: type[Any]) -> dict[str, str]:
    """Names of the parameters that a configuration dataclass declares, and what they mean."""
    return {name: item.description for name, item in _walk(cls)}


def parameter_ranges(cls: type[Any]) -> dict[str, tuple[float, float] | None]:
    """Numbers that a configuration dataclass declares, and their ranges.

    Returns:
        Lowest and highest value, infinity where there is no limit; ``None`` where the field says
        nothing.
    """
    anything = (-math.inf, math.inf)
    return {
        name: anything if item.is_unbounded else item.range
        for name, item in _walk(cls)
        if item.hint in (int, float)
    }


def _walk(cls: type[Any], prefix: str = "") -> Iterable[tuple[str, _Field]]:
    hints = typing.get_type_hints(cls)
    descriptions = _attribute_docs(cls)
    for item in dataclasses.fields(cls):
        hint = hints[item.name]
        name = prefix + item.name
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            yield from _walk(hint, name + ".")
            continue
        yield (
            name,
            _Field(
                hint=hint,
                description=item.metadata.get("doc", descriptions.get(item.name, "")),
                is_live=bool(item.metadata.get("live", False)),
                range=item.metadata.get("range"),
                range_words=describe_range(item.metadata),
                is_unbounded=bool(item.metadata.get("is_unbounded", False)),
            ),
        )


def _attribute_docs(cls: type[Any]) -> dict[str, str]:
    """Read the ``Attributes:`` section of a docstring; lines that go on are joined."""
    _, _, section = (cls.__doc__ or "").partition("Attributes:\n")
    docs: dict[str, str] = {}
    indent = -1
    for line in section.splitlines():
        match = re.match(r"^( +)(\w+): (.*)$", line)
        if match and indent in (-1, len(match[1])):
            indent, name = len(match[1]), match[2]
            docs[name] = match[3].strip()
        elif docs and line.strip() and len(line) - len(line.lstrip()) > indent:
            docs[name] += " " + line.strip()
        elif docs:
            break
    return docs


def _overrides(node: Node) -> dict[str, Any]:
    # rclpy has no public way to ask for overrides that nobody has declared.
    overrides: Mapping[str, Parameter] = node._parameter_overrides
    return {name: parameter.value for name, parameter in overrides.items()}


def _refuse_unknown(
    overrides: Mapping[str, Any], fields: Mapping[str, _Field], *, where: str
) -> None:
    for name in overrides:
        if name not in fields and name not in _FOREIGN_NAMES:
            if name.startswith(_FOREIGN_PREFIXES):
                continue
            raise UnknownNameError(f"{where}: parameter", name, fields)


def _plain(value: Any) -> Any:
    """Undo rclpy's arrays: ``array.array`` for numbers, a byte array for an empty list."""
    if isinstance(value, array.array):
        return value.tolist()
    if isinstance(value, list | tuple | bytes):
        return [item for item in value if item != b""]
    return value


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted parameter names as nested mappings."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        *parents, last = name.split(".")
        place = nested
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return nested


def _fill(cls: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """Put back what parameters cannot hold: no value at all."""
    hints = typing.get_type_hints(cls)
    filled = dict(values)
    for name, value in values.items():
        hint = hints[name]
        if isinstance(value, dict) and dataclasses.is_dataclass(hint):
            filled[name] = _fill(typing.cast("type[Any]", hint), value)
        elif value in (None, "", []) and type(None) in typing.get_args(hint):
            filled[name] = None
        elif value is None and typing.get_origin(hint) is tuple:
            filled[name] = []  # an empty list on a command line arrives as nothing
    return filled


def _get(config: Any, name: str) -> Any:
    for part in name.split("."):
        config = getattr(config, part)
    return config


def _declare(node: Node, name: str, item: _Field, value: Any) -> None:
    """Declare with the value already converted, so that rclpy's own checks agree with it."""
    descriptor = ParameterDescriptor(
        name=name,
        description=item.description,
        read_only=not item.is_live,
        additional_constraints=_constraints(item.hint) or item.range_words,
    )
    if item.range is not None:
        _set_range(descriptor, value, item.range)
    ros_value = _to_ros(value)
    if isinstance(ros_value, list) and not ros_value:
        # An empty list would be declared as a byte array.
        node.declare_parameter(name, _array_type(item.hint), descriptor, ignore_override=True)
        return
    # A live float must take `ros2 param set … 2`; a missing value has no type.
    descriptor.dynamic_typing = item.is_live or ros_value is None
    node.declare_parameter(name, ros_value, descriptor, ignore_override=True)


def _to_ros(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _array_type(hint: Any) -> Parameter.Type:
    arguments = [item for item in typing.get_args(hint) if item is not Ellipsis]
    return _ARRAY_TYPES.get(arguments[0] if arguments else str, Parameter.Type.STRING_ARRAY)


def _constraints(hint: Any) -> str:
    if typing.get_origin(hint) is typing.Literal:
        return "one of: " + ", ".join(str(item) for item in typing.get_args(hint))
    return ""


def _set_range(descriptor: ParameterDescriptor, value: Any, limits: tuple[float, float]) -> None:
    low, high = limits
    if isinstance(value, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high), step=0.0)
        ]
    elif isinstance(value, int):
        highest = int(min(high, _LARGEST))
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=highest, step=1)]


def _follow_changes(
    node: Node,
    cls: type[ConfigT],
    config: ConfigT,
    fields: Mapping[str, _Field],
    on_change: Callable[[ConfigT], None] | None,
) -> None:
    """Check live parameters against the dataclass before rclpy takes them over."""
    values: dict[str, Any] = {name: _to_ros(_get(config, name)) for name in fields}

    def build(changes: Mapping[str, Any]) -> ConfigT:
        merged = {**values, **changes}
        present = {name: value for name, value in merged.items() if value is not None}
        return from_mapping(cls, _fill(cls, nest(present)), where="parameters")

    def check(parameters: list[Parameter]) -> SetParametersResult:
        changes = {item.name: _plain(item.value) for item in parameters if item.name in fields}
        try:
            build(changes)
        except (ConfigurationError, MalmmError) as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def take_over(parameters: list[Parameter]) -> None:
        changes = {item.name: _plain(item.value) for item in parameters if item.name in fields}
        if not changes:
            return
        updated = build(changes)
        values.update({name: _to_ros(_get(updated, name)) for name in changes})
        if on_change is not None:
            on_change(updated)

    node.add_on_set_parameters_callback(check)
    node.add_post_set_parameters_callback(take_over)
