"""What every team is made of: its name, its roles, and one loop around a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from malmm_ros.agents.injection import InjectionConfig
from malmm_ros.agents.messages import AgentRole
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.operator import Operator
from malmm_ros.agents.task_run import TaskRun
from malmm_ros.agents.task_runner import TaskRunner
from malmm_ros.agents.team import TaskResult, TeamConfig
from malmm_ros.agents.transcript import AgentEvent
from malmm_ros.agents.usage import Budget
from malmm_ros.cancellation import CancelToken
from malmm_ros.robots.robot import Robot


class TaskTeam:
    """A team; a subclass says who speaks when.

    Args:
        clients: The model of each role.
        config: Settings.
        inject: Errors to put into the models' answers.
    """

    name: ClassVar[str]
    roles: ClassVar[tuple[AgentRole, ...]]

    def __init__(
        self,
        clients: Mapping[AgentRole, ModelClient],
        config: TeamConfig,
        inject: InjectionConfig | None = None,
    ) -> None:
        self._runner = TaskRunner(self.name, clients, self.adapt(config), inject)

    @classmethod
    def adapt(cls, config: TeamConfig) -> TeamConfig:
        """The settings as this team needs them."""
        return config

    def loop(self, run: TaskRun) -> None:
        """Work until the run ends by an exception."""
        raise NotImplementedError

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
        """Work until the task is done, or cannot be; see :class:`Team`."""
        return self._runner.run(
            self.loop,
            instruction,
            robot,
            budget=budget,
            on_event=on_event,
            cancel=cancel,
            transcript=transcript,
            task_id=task_id,
            operator=operator,
            world=world,
        )

    def close(self) -> None:
        """Close the connections to models."""
        self._runner.close()
