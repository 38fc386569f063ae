"""What any agent offers: it sees its own observations only and answers with one action each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

ObservationT_contra = TypeVar("ObservationT_contra", contravariant=True)
ActionT_co = TypeVar("ActionT_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUsage:
    """What an agent's model consumed so far; all zero without a model.

    Attributes:
        cost: In the currency of the model's prices; 0 where no price is known.
        parse_failures: Answers that could not be used, repaired ones included.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    parse_failures: int = 0

    def to_json(self) -> Mapping[str, float]:
        """As JSON values."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "parse_failures": self.parse_failures,
        }


class Agent(Protocol[ObservationT_contra, ActionT_co]):
    """One agent for one episode."""

    @property
    def usage(self) -> AgentUsage: ...

    def act(self, observation: ObservationT_contra) -> ActionT_co:
        """Decide what to do now; called once for every step of the environment."""
        ...
