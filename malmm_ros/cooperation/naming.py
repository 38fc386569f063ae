"""What agents may be called where each of them has a place of its own, as nodes have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from malmm_ros.errors import ConfigurationError

MOST_AGENTS = 4
_FORM = r"[A-Za-z][A-Za-z0-9_]*"
# What stands beside the agents' places.
_TAKEN = ("world", "communication", "rviz")


def namespace_of(name: str) -> str:
    """An agent's place: its name in small letters, ``alice``."""
    return name.lower()


def check_names(names: Sequence[str]) -> None:
    """See that each agent gets a place of its own.

    Raises:
        ConfigurationError: There are too few or too many, or a name does not do.
    """
    if not 1 <= len(names) <= MOST_AGENTS:
        raise ConfigurationError("names", f"1 to {MOST_AGENTS} agents take part, got {len(names)}")
    for name in names:
        if not re.fullmatch(_FORM, name):
            raise ConfigurationError(
                "names", f"{name!r} must be a letter, then letters, digits and underscores"
            )
        if namespace_of(name) in _TAKEN:
            raise ConfigurationError("names", f"{name!r} is what another node is called")
    if len({namespace_of(name) for name in names}) < len(names):
        raise ConfigurationError(
            "names", f"must differ in more than capitals, got {', '.join(names)}"
        )
