"""Build configuration dataclasses from mappings and YAML, refusing what does not fit."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from malmm_ros.errors import ConfigurationError, UnknownNameError

ConfigT = TypeVar("ConfigT")


ANY_NUMBER: Mapping[str, Any] = types.MappingProxyType({"is_unbounded": True})
"""Metadata of a field that may be any number."""


def within(low: float, high: float = math.inf) -> dict[str, Any]:
    """Metadata of a field that is a number from ``low`` to ``high``, both included."""
    return {"range": (low, high)}


def above(low: float, high: float = math.inf) -> dict[str, Any]:
    """Metadata of a field that is a number above ``low`` and at most ``high``."""
    return {"range": (low, high), "is_open": True}


def describe_range(metadata: Mapping[str, Any]) -> str:
    """Word a field's range: ``"above 0 and at most 1"``; empty where it has none."""
    if "range" not in metadata:
        return ""
    low, high = metadata["range"]
    if metadata.get("is_open"):
        return f"above {low:g}" + (f" and at most {high:g}" if high < math.inf else "")
    return f"{low:g} to {high:g}" if high < math.inf else f"at least {low:g}"


def check_ranges(config: Any) -> None:
    """Check the fields of a dataclass against the ranges in their metadata.

    Raises:
        ConfigurationError: A number is out of its range; named.
    """
    for item in dataclasses.fields(config):
        if "range" not in item.metadata:
            continue
        value, (low, high) = getattr(config, item.name), item.metadata["range"]
        is_low = value <= low if item.metadata.get("is_open") else value < low
        if is_low or not value <= high:
            words = describe_range(item.metadata)
            raise ConfigurationError(item.name, f"must be {words}, got {value}")


def from_mapping(
    cls: type[ConfigT], values: Mapping[str, Any], *, where: str = "configuration"
) -> ConfigT:
    """Make a configuration dataclass; fields left out keep their defaults.

    Args:
        cls: A dataclass; its ``__post_init__`` checks ranges.
        values: Plain values as YAML gives them; nested mappings for nested dataclasses.
        where: Named in errors, e.g. the file.

    Raises:
        UnknownNameError: A key is not a field.
        ConfigurationError: A value has the wrong type or is out of range.
    """
    hints = typing.get_type_hints(cls)
    names = [item.name for item in dataclasses.fields(cls) if item.init]  # type: ignore[arg-type]  # any dataclass
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        if key not in names:
            raise UnknownNameError(f"{where}: setting", str(key), names)
        arguments[key] = _convert(hints[key], value, where=f"{where}: {key}")
    try:
        return cls(**arguments)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(where, str(error)) from error


def load_yaml(cls: type[ConfigT], path: Path) -> ConfigT:
    """Read a YAML file of overrides into a configuration dataclass.

    Raises:
        ConfigurationError: The file is missing, is not YAML, or does not fit.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ConfigurationError(str(path), f"cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(str(path), f"is not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise ConfigurationError(str(path), "must hold a mapping of settings")
    return from_mapping(cls, content, where=str(path))


def config_folder(part: str) -> Path:
    """A folder in ``config``: of the source tree, or of the installed share folder.

    Raises:
        ConfigurationError: It is in neither.
    """
    return _in_config(part, Path.is_dir, "folder")


def config_file(name: str) -> Path:
    """A file in ``config``; see :func:`config_folder`.

    Raises:
        ConfigurationError: It is in neither.
    """
    return _in_config(name, Path.is_file, "file")


def _in_config(part: str, is_there: Callable[[Path], bool], kind: str) -> Path:
    package = Path(__file__).parent
    places = [package.parent / "config"]
    places += [prefix / "share" / "malmm_ros" / "config" for prefix in package.parents]
    for place in places:
        if is_there(place / part):
            return place / part
    raise ConfigurationError(f"config/{part}", f"this {kind} is not installed")


def parse_mapping(
    text: str, *, where: str, example: str = "{color: red, count: 3}"
) -> dict[str, Any]:
    """Read a mapping written as YAML on one line; empty for an empty text.

    Raises:
        ConfigurationError: It is not a YAML mapping.
    """
    try:
        values = yaml.safe_load(text) if text.strip() else {}
    except yaml.YAMLError as error:
        raise ConfigurationError(where, f"is not valid YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigurationError(where, f"must be a mapping like {example}, got {text!r}")
    return values


def _convert(hint: Any, value: Any, *, where: str) -> Any:
    """Check one plain value against a type hint; lossless conversions only."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
        return from_mapping(hint, value, where=where)  # type: ignore[arg-type]  # a dataclass type
    if origin in (typing.Union, types.UnionType):
        return _convert_union(arguments, value, where=where)
    if origin is typing.Literal:
        if value not in arguments:
            raise UnknownNameError(where, str(value), [str(item) for item in arguments])
        return value
    if origin is tuple and isinstance(value, list | tuple):
        return _convert_tuple(arguments, value, where=where)
    if origin is Mapping and isinstance(value, Mapping):
        return {
            _convert(arguments[0], key, where=where): _convert(
                arguments[1], item, where=f"{where}: {key}"
            )
            for key, item in value.items()
        }
    return _convert_scalar(hint, value, where=where)


def _convert_union(options: tuple[Any, ...], value: Any, *, where: str) -> Any:
    if value is None and type(None) in options:
        return None
    failure: ConfigurationError | None = None
    for option in options:
        if option is type(None):
            continue
        try:
            return _convert(option, value, where=where)
        except ConfigurationError as error:
            failure = error
    assert failure is not None
    raise failure


def _convert_tuple(arguments: tuple[Any, ...], value: Any, *, where: str) -> tuple[Any, ...]:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_convert(arguments[0], item, where=where) for item in value)
    if len(arguments) != len(value):
        raise ConfigurationError(where, f"needs {len(arguments)} values, got {len(value)}")
    return tuple(
        _convert(kind, item, where=where) for kind, item in zip(arguments, value, strict=True)
    )


def _convert_scalar(hint: Any, value: Any, *, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if isinstance(hint, type) and isinstance(value, hint):
        if hint is int and isinstance(value, bool):
            raise ConfigurationError(where, f"must be int, got {value!r}")
        return value
    name = getattr(hint, "__name__", str(hint))
    raise ConfigurationError(where, f"must be {name}, got {value!r} ({type(value).__name__})")


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """Make a configuration writable as JSON: tuples become lists, infinities ``null``."""
    return {key: _plain(item) for key, item in value.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
