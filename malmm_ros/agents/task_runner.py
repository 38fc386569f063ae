"""Start a run, carry it to its end whatever happens, and say how it ended."""

from __future__ import annotations

import contextlib
import math
import platform
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import malmm_ros
from malmm_ros.agents.code_runner import CodeRunner
from malmm_ros.agents.guarded_robot import GuardedRobot
from malmm_ros.agents.history import History
from malmm_ros.agents.injection import InjectionConfig, Injector
from malmm_ros.agents.interruption import TaskCancelledError, braking
from malmm_ros.agents.messages import AgentRole, clean_text
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.operator import Desk, Operator
from malmm_ros.agents.prompting import Prompts, prompt_hash
from malmm_ros.agents.task_run import TaskEnd, TaskRun
from malmm_ros.agents.team import TaskResult, TeamConfig
from malmm_ros.agents.transcript import AgentEvent, Transcript
from malmm_ros.agents.usage import Budget, Spending
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import (
    BudgetError,
    ConfigurationError,
    MalmmError,
    ModelError,
    NodeDiedError,
)
from malmm_ros.robots.robot import Robot


class TaskRunner:
    """What all teams share around their loop.

    Args:
        team: The team's name, for the transcript.
        clients: The model of each role.
        config: Settings.
        inject: Errors to put into the models' answers.
    """

    def __init__(
        self,
        team: str,
        clients: Mapping[AgentRole, ModelClient],
        config: TeamConfig,
        inject: InjectionConfig | None = None,
    ) -> None:
        self._team = team
        self._clients = clients
        self._config = config
        self._inject = inject or InjectionConfig()
        self._prompts = Prompts(config.prompts, team=team)

    def run(
        self,
        loop: Callable[[TaskRun], None],
        instruction: str,
        robot: Robot,
        *,
        budget: Budget | None,
        on_event: Callable[[AgentEvent], None] | None,
        cancel: CancelToken | None,
        transcript: Path | None,
        task_id: str,
        operator: Operator | None,
        world: Mapping[str, Any] | None,
    ) -> TaskResult:
        """Run a team's loop; see :class:`Team`. The loop ends by :class:`TaskEnd` only.

        Raises:
            ConfigurationError: The instruction is empty, or the transcript cannot be written.
        """
        if not instruction.strip():
            raise ConfigurationError("instruction", "is empty; say what the robot is to do")
        self._check_cost(budget or Budget())
        instruction = clean_text(instruction)
        task_id = task_id or uuid.uuid4().hex[:12]
        if transcript is not None and transcript.is_dir():
            transcript = transcript / f"{task_id}.jsonl"
        cancel = cancel or CancelToken()
        robot = GuardedRobot(robot)
        injector = Injector(self._inject)
        spending = Spending(budget or Budget())
        with Transcript(transcript, on_event=on_event) as record:
            run = TaskRun(
                instruction,
                robot,
                prompts=self._prompts,
                clients=self._clients,
                history=History(mode=self._config.history, max_chars=self._config.history_chars),
                runner=CodeRunner(self._config.code),
                spending=spending,
                transcript=record,
                cancel=cancel,
                operator=operator or Desk(),
                injector=injector,
            )
            self._write_start(record, task_id, instruction, spending.budget, world or {})
            try:
                end = _carry_out(loop, run, robot, cancel)
            except BaseException as error:
                # A bug, or Ctrl-C: the file says so, whatever the caller's callback does now.
                with contextlib.suppress(Exception):
                    record.add(
                        "result", "team", f"crashed: {error!r}"[:500], {"reason": "crashed"}
                    )
                raise
            result = _result(end, run, spending, task_id=task_id, transcript=transcript)
            result = replace(
                result,
                injections=injector.outcomes(result.is_success),
                unpriced_models=self._unpriced(),
            )
            _write_result(record, result)
        return result

    def close(self) -> None:
        """Close the connections to models."""
        for client in set(self._clients.values()):
            client.close()

    def _unpriced(self) -> tuple[str, ...]:
        return tuple(
            sorted({client.name for client in self._clients.values() if not client.has_price})
        )

    def _check_cost(self, budget: Budget) -> None:
        """A limit that could not hold is refused."""
        if math.isfinite(budget.cost) and self._unpriced():
            raise ConfigurationError(
                "budget.cost",
                f"no price is known for {', '.join(self._unpriced())}; add it to a price table "
                f"(--prices), or limit the tokens instead",
            )

    def _write_start(
        self,
        record: Transcript,
        task_id: str,
        instruction: str,
        budget: Budget,
        world: Mapping[str, Any],
    ) -> None:
        models = {role: client.describe() for role, client in self._clients.items()}
        systems = {role: self._prompts.system(role).content for role in self._clients}
        record.add(
            "header",
            "team",
            f"team {self._team}, model {_model_names(self._clients)}",
            {
                "task_id": task_id,
                "team": self._team,
                "version": malmm_ros.__version__,
                "models": models,
                "config": _plain(asdict(self._config)),
                "budget": _plain(asdict(budget)),
                "inject": asdict(self._inject),
                "world": _plain(dict(world)),
                "system_prompts": {prompt_hash(text): text for text in systems.values()},
                "host": {
                    "python": platform.python_version(),
                    "endpoints": {
                        role: client.config.base_url for role, client in self._clients.items()
                    },
                },
            },
        )
        record.add("instruction", "user", instruction, {"instruction": instruction})


def _carry_out(
    loop: Callable[[TaskRun], None], run: TaskRun, robot: Robot, cancel: CancelToken
) -> TaskEnd:
    try:
        with braking(robot, cancel):
            run.observe()
            loop(run)
    except TaskEnd as end:
        return end
    except TaskCancelledError as error:
        return TaskEnd("cancelled", str(error))
    except BudgetError as error:
        return TaskEnd(f"budget_{error.budget}", str(error))
    except ModelError as error:
        return TaskEnd(f"model_{error.category}", str(error))
    except NodeDiedError as error:
        return TaskEnd("node_died", f"{error.node}: {error}")
    except MalmmError as error:
        return TaskEnd("robot_failed", str(error))
    raise AssertionError("a team's loop returned without an end")


def _result(
    end: TaskEnd, run: TaskRun, spending: Spending, *, task_id: str, transcript: Path | None
) -> TaskResult:
    return TaskResult(
        is_success=end.reason == "completed",
        reason=end.reason,
        message=end.message,
        task_id=task_id,
        usage=spending.usage,
        turns=spending.turns,
        steps=run.steps,
        repairs=run.repairs,
        routing_faults=run.routing_faults,
        transcript=transcript,
    )


def _write_result(record: Transcript, result: TaskResult) -> None:
    values = asdict(result)
    del values["transcript"]  # where it lies is no part of what happened
    record.add("result", "team", f"{result.reason}: {result.message}", values)


def _model_names(clients: Mapping[AgentRole, ModelClient]) -> str:
    return ", ".join(sorted({client.name for client in clients.values()}))


def _plain(value: Any) -> Any:
    """Tuples as lists and no infinities, as JSON has neither."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
