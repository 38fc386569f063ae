"""Another model for some roles, as written on a command line: ``coder=NAME`` or ``=NAME@URL``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast, get_args

from malmm_ros.agents.messages import AgentRole
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.errors import ConfigurationError, UnknownNameError


def read_role_models(words: Iterable[str], default: ModelConfig) -> dict[AgentRole, ModelConfig]:
    """Read choices of models for roles.

    Args:
        words: Each ``role=model``, or ``role=model@base URL``.
        default: Gives everything that a choice does not say; its endpoint, too, unless that or
            the choice is ``offline``.

    Raises:
        ConfigurationError: A choice has not this form, or names a role twice.
        UnknownNameError: There is no such role.
    """
    models: dict[AgentRole, ModelConfig] = {}
    for word in words:
        role, is_given, choice = word.strip().partition("=")
        name, _, url = choice.partition("@")
        if not is_given or not name:
            raise ConfigurationError("role model", f"must be ROLE=MODEL, got {word!r}")
        if role not in get_args(AgentRole):
            raise UnknownNameError("role model", role, get_args(AgentRole))
        if role in models:
            raise ConfigurationError("role model", f"{role} is given twice")
        base_url = url or ("" if name == "offline" else default.base_url)
        models[cast("AgentRole", role)] = replace(default, name=name, base_url=base_url)
    return models
