"""Language-model agents: models, prompts, teams, code runner, transcript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic_ai.models import Model

from malmm_ros.agents.injection import FAULT_KINDS, Injection, InjectionConfig
from malmm_ros.agents.messages import AgentRole, ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.agents.operator import Desk, Operator
from malmm_ros.agents.prompting import PromptConfig
from malmm_ros.agents.sandbox import CodeLimits
from malmm_ros.agents.team import TaskResult, Team, TeamConfig
from malmm_ros.agents.transcript import AgentEvent, read_transcript, strip_clock
from malmm_ros.agents.usage import Budget, Usage
from malmm_ros.backends import load_backend
from malmm_ros.errors import UnknownNameError

TEAMS = {
    "malmm": "malmm_ros.agents.malmm:MalmmTeam",
    "multi": "malmm_ros.agents.multi:MultiTeam",
    "single": "malmm_ros.agents.single:SingleTeam",
    "single-open-loop": "malmm_ros.agents.single:SingleOpenLoopTeam",
}

__all__ = [
    "FAULT_KINDS",
    "TEAMS",
    "AgentEvent",
    "Budget",
    "ChatMessage",
    "CodeLimits",
    "Desk",
    "Injection",
    "InjectionConfig",
    "ModelConfig",
    "Operator",
    "PromptConfig",
    "TaskResult",
    "Team",
    "TeamConfig",
    "Usage",
    "build_team",
    "read_transcript",
    "strip_clock",
]


def build_team(
    name: str,
    model: ModelConfig | Model,
    *,
    config: TeamConfig | None = None,
    role_models: Mapping[AgentRole, ModelConfig | Model] | None = None,
    inject: InjectionConfig | None = None,
) -> Team:
    """Make a team; nothing is sent yet.

    Args:
        name: Key of :data:`TEAMS`.
        model: A configuration, or any pydantic-ai model (doubles in tests).
        config: Settings of prompts, history and code.
        role_models: Other models for some roles.
        inject: Errors to put into the models' answers.

    Raises:
        UnknownNameError: There is no such team, or no such role in it.
        ModelError: A key is missing (``no_key``).
    """
    make = load_backend("team", name, TEAMS)
    for role in role_models or {}:
        if role not in make.roles:
            raise UnknownNameError(f"role of team {name!r}", role, make.roles)
    default = ModelClient(model)
    clients = {
        role: ModelClient(role_models[role]) if role_models and role in role_models else default
        for role in make.roles
    }
    return cast("Team", make(clients, config or TeamConfig(), inject))
