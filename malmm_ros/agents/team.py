"""The contract of a team, and what a run of it came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from malmm_ros.agents.history import HistoryMode
from malmm_ros.agents.injection import Injection
from malmm_ros.agents.operator import Operator
from malmm_ros.agents.prompting import PromptConfig
from malmm_ros.agents.sandbox import CodeLimits
from malmm_ros.agents.transcript import AgentEvent
from malmm_ros.agents.usage import Budget, Usage
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import ConfigurationError
from malmm_ros.robots.robot import Robot


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamConfig:
    """Settings shared by all teams.

    Attributes:
        history: ``role``: Planner and Coder read what concerns them; ``shared``: everything.
            The Supervisor always reads everything.
        history_chars: Longest history that a role reads; older entries are left out by the rule
            of :class:`malmm_ros.agents.history.History`.
    """

    prompts: PromptConfig = field(default_factory=PromptConfig)
    history: HistoryMode = "role"
    history_chars: int = 60_000
    code: CodeLimits = field(default_factory=CodeLimits)

    def __post_init__(self) -> None:
        if self.history not in ("role", "shared"):
            raise ConfigurationError("history", f"must be role or shared, got {self.history!r}")
        if self.history_chars < 1000:
            raise ConfigurationError(
                "history_chars", f"must be at least 1000, got {self.history_chars}"
            )
        if self.prompts.max_calls != self.code.calls:
            raise ConfigurationError(
                "code.calls", f"must equal prompts.max_calls ({self.prompts.max_calls})"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """How a task ended.

    Attributes:
        is_success: What the team believes, checked against a fresh observation.
        reason: ``completed``, ``not_understood``, ``impossible``, ``too_many_errors``,
            ``budget_`` + which, ``model_`` + the category of the model error, ``cancelled``,
            ``node_died``, ``robot_failed`` or, where nothing may be corrected,
            ``program_failed`` and ``not_completed``.
        message: For people.
        turns: Of the team.
        steps: Programs that were run on the robot.
        repairs: Answers that had to be asked for again.
        routing_faults: Choices of the next speaker that could not be followed.
        injections: Errors that were put into the models' answers, in their order.
        unpriced_models: Models whose price nobody knows; their cost is counted as 0.
        transcript: Where it was written; ``None`` when nowhere.
    """

    is_success: bool
    reason: str
    message: str
    task_id: str
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    steps: int = 0
    repairs: int = 0
    routing_faults: int = 0
    injections: tuple[Injection, ...] = ()
    unpriced_models: tuple[str, ...] = ()
    transcript: Path | None = None


class Team(Protocol):
    """Carries out instructions with a robot."""

    def run(
        self,
        instruction: str,
        robot: Robot,
        *,
        budget: Budget | None = None,
        on_event: Callable[[AgentEvent], None] | None = None,
        cancel: CancelToken | None = None,
        transcript: Path | None = None,
        task_id: str = "",
        operator: Operator | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> TaskResult:
        """Work until the task is done, or cannot be.

        Args:
            instruction: In plain words.
            robot: Commanded from this thread; stopped from another when cancelled.
            budget: What the run may use.
            on_event: Gets the transcript's events as they happen.
            cancel: Ends the run, and the motion under way, at once.
            transcript: File to write; a directory gets ``<task_id>.jsonl``.
            task_id: Names the task; empty: a fresh one.
            operator: The person who watches; ``None``: nobody, and all steps are approved.
            world: Facts by which the world can be made again (task, seed, options ...), for
                the transcript's header.

        Raises:
            ConfigurationError: The instruction is empty, or the transcript cannot be written.
        """
        ...

    def close(self) -> None:
        """Close the connections to models; a later run opens them again."""
        ...
