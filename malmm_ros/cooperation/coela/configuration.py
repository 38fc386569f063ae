"""What an agent is made of, and what it may use."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from malmm_ros.agents import Budget, InjectionConfig, ModelConfig
from malmm_ros.errors import ConfigurationError, UnknownNameError

Module = Literal["perception", "memory", "communication", "planning", "execution"]
# What the reference does not have.
Extra = Literal["relevance", "plan_check", "replanning"]
Switch = Module | Extra
MODULES: tuple[Module, ...] = get_args(Module)
EXTRAS: tuple[Extra, ...] = get_args(Extra)
SWITCHES: tuple[Switch, ...] = (*MODULES, *EXTRAS)

# A model's answers end the episode, not the number of them.
EPISODE_BUDGET = Budget(turns=math.inf, model_calls=10_000, wall_s=math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoelaConfig:
    """Settings of an agent.

    Attributes:
        without: Modules and extras that are switched off, of :data:`SWITCHES`.
        actions: How many of its last actions stand in a prompt (the paper's K).
        dialogues: How many messages stand in a prompt (the paper's D).
        perception: What turns observations into things: of ``PERCEPTIONS``.
        model: Who answers.
        budget: Of all agents of an episode together.
        inject: Probability that a choice is spoilt, for each decision.
    """

    without: tuple[Switch, ...] = ()
    actions: int = 10
    dialogues: int = 3
    perception: str = "oracle"
    model: ModelConfig = field(default_factory=ModelConfig)
    budget: Budget = EPISODE_BUDGET
    inject: float = 0.0

    def __post_init__(self) -> None:
        for switch in self.without:
            if switch not in SWITCHES:
                raise UnknownNameError("without", switch, SWITCHES)
        if len(set(self.without)) < len(self.without):
            raise ConfigurationError("without", "names a switch twice")
        for name, value in (("actions", self.actions), ("dialogues", self.dialogues)):
            if value < 0:
                raise ConfigurationError(name, f"must be 0 or more, got {value}")
        InjectionConfig(probability=self.inject)  # checks it

    def has(self, switch: Switch) -> bool:
        """Whether a module or an extra is on."""
        return switch not in self.without
