"""Load replaceable parts by name, importing them only when chosen."""

from __future__ import annotations

import importlib
import typing
from collections.abc import Mapping
from typing import Any

from malmm_ros.configuration import from_mapping
from malmm_ros.errors import ConfigurationError, MissingDependencyError, UnknownNameError


def load_backend(
    role: str, name: str, table: Mapping[str, str], *, install: Mapping[str, str] | None = None
) -> Any:
    """Import the class or function that a table names.

    Args:
        role: What it is for, as the user sets it: ``"motion planner"``.
        name: Key of the table.
        table: Names to ``"package.module:attribute"``.
        install: For optional ones, name to the command that installs what it needs.

    Returns:
        The attribute, not called.

    Raises:
        UnknownNameError: The name is not in the table.
        MissingDependencyError: A third-party package is not installed.
    """
    if name not in table:
        raise UnknownNameError(role, name, table)
    module_name, separator, attribute = table[name].partition(":")
    if not separator:
        raise ConfigurationError(role, f"table entry {table[name]!r} lacks ':attribute'")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "malmm_ros"):
            raise  # a broken import of our own is a bug, not a missing extra
        command = (install or {}).get(name, f"pip install {missing}")
        instead = ", ".join(key for key in table if key != name)
        raise MissingDependencyError(
            missing, needed_for=f"{role} {name!r}", install=command, instead=instead
        ) from error
    return getattr(module, attribute)


def make_backend(
    role: str,
    name: str,
    table: Mapping[str, str],
    options: Mapping[str, Any],
    *,
    install: Mapping[str, str] | None = None,
) -> Any:
    """Make the part that a table names, with settings of its own.

    Args:
        role: As in :func:`load_backend`.
        name: Key of the table.
        table: Names to classes whose constructor takes one dataclass, ``config``.
        options: Fields of that dataclass; those left out keep their defaults.
        install: As in :func:`load_backend`.

    Raises:
        UnknownNameError: The name is not in the table, or an option is no field.
        ConfigurationError: An option does not fit, or one without a default is missing.
        MissingDependencyError: A third-party package is not installed.
    """
    backend = load_backend(role, name, table, install=install)
    hint = typing.get_type_hints(backend.__init__)["config"]
    kinds = [kind for kind in (typing.get_args(hint) or (hint,)) if kind is not type(None)]
    return backend(from_mapping(kinds[0], options, where=f"{role} {name!r}"))
