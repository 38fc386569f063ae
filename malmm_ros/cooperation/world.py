"""What any cooperation world offers: a decentralised, partly observed task with messages.

The formal model is a DEC-POMDP with communication: agents, actions that include messages, partial
observations, a joint transition, sub-goals with counts, a team reward of goal completion minus
the costs of actions and messages, a discount and a horizon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

ObservationT = TypeVar("ObservationT")
ActionT = TypeVar("ActionT")
ActionT_contra = TypeVar("ActionT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the team is: known to the judge, not to the agents.

    Attributes:
        goal: The sub-goals: how many of each kind are wanted.
        done: How many of each are in place.
    """

    goal: Mapping[str, int]
    done: Mapping[str, int]

    @property
    def rate(self) -> float:
        """Share of the wanted things that are in place, 0 to 1."""
        return sum(self.done.values()) / sum(self.goal.values())

    @property
    def is_complete(self) -> bool:
        """Whether every sub-goal is met."""
        return all(self.done.get(kind, 0) >= count for kind, count in self.goal.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[ObservationT]):
    """What came of one step of the environment.

    Attributes:
        observations: By agent; each agent gets its own only.
        reward: The team's, since the step before.
        is_over: Whether the goal or the horizon is reached.
        frames: How much time passed.
    """

    observations: Mapping[str, ObservationT]
    reward: float
    is_over: bool
    frames: int


class CooperationWorld(Protocol[ObservationT, ActionT_contra]):
    """A shared task.

    Attributes:
        agents: Names, in their order.
        horizon: Time at which it ends at the latest, in the world's unit of time.
        discount: Of the reward, for one unit of time.
    """

    @property
    def agents(self) -> tuple[str, ...]: ...
    @property
    def horizon(self) -> int: ...
    @property
    def discount(self) -> float: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def is_over(self) -> bool: ...

    def observe(self) -> Mapping[str, ObservationT]:
        """What every agent gets at first."""
        ...

    def step(self, actions: Mapping[str, ActionT_contra]) -> Step[ObservationT]:
        """Let time pass until any agent's action ends.

        Raises:
            SimulationError: An agent's action is missing, or the episode is over.
        """
        ...
