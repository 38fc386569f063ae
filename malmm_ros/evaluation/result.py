"""How an episode ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from malmm_ros.agents import Injection

# Why an episode failed, in the order of the report; the team's own reasons are folded into them.
CATEGORIES = {
    "false_claim": "the team believed it was done, physics disagrees",
    "not_understood": "the instruction was not understood",
    "impossible": "the team held it for impossible",
    "too_many_errors": "too many errors in a row",
    "program_failed": "a program stopped, and the team may not correct it",
    "not_completed": "the team saw that it was not done, and may not correct it",
    "budget": "turns, calls, tokens, cost or time were used up",
    "model": "the language model failed",
    "robot": "robot or node failed",
    "crashed": "the program itself failed",
    "worker_died": "the process died, twice",
    "other": "anything else",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEvent:
    """A disturbance that happened.

    Attributes:
        step: Observations made before it.
        is_noticed: Whether the arm later went to where the object then lay (in the plane, within
            3 cm or half the object's smaller side); ``None`` where that says nothing (noise and
            missed objects).
    """

    kind: str
    step: int
    object: str
    text: str
    is_noticed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeResult:
    """How an episode ended.

    Attributes:
        task: The case: a task's name, with its fixed options.
        is_success: By the task's own condition on the physical state.
        claim: Whether the team believed so.
        reason: The team's reason for ending.
        category: Why it failed, one of :data:`CATEGORIES`; empty when it succeeded.
        condition: The task's condition in words.
        estimated_calls: Those whose tokens the endpoint did not count.
        events: Disturbances that happened.
        injections: Errors that were put into the models' answers; recovered where physics agrees
            that the task succeeded.
        attempts: 2 when a worker died and it was run again.
        wall_s: Wall time.
        simulated_s: Of the world's clock.
    """

    task: str
    index: int
    seed: int
    instruction: str = ""
    is_success: bool = False
    claim: bool = False
    reason: str = ""
    category: str = ""
    message: str = ""
    condition: str = ""
    turns: int = 0
    steps: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    estimated_calls: int = 0
    events: tuple[EpisodeEvent, ...] = ()
    injections: tuple[Injection, ...] = ()
    attempts: int = 1
    wall_s: float = 0.0
    simulated_s: float = 0.0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> EpisodeResult:
        """Read what ``dataclasses.asdict`` made.

        Raises:
            TypeError: It is something else.
        """
        names = {item.name for item in fields(cls)}
        if set(values) != names:
            raise TypeError("is not a result of this version")
        events = tuple(EpisodeEvent(**item) for item in values["events"])
        injections = tuple(Injection(**item) for item in values["injections"])
        return cls(**{**values, "events": events, "injections": injections})


def categorize(reason: str, *, claim: bool) -> str:
    """Fold a team's reason for ending into a category of failure."""
    if claim:
        return "false_claim"
    if reason.startswith("budget_"):
        return "budget"
    if reason.startswith("model_"):
        return "model"
    if reason in ("robot_failed", "node_died"):
        return "robot"
    return reason if reason in CATEGORIES else "other"
