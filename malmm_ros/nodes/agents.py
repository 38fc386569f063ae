"""Node ``agents``: runs one task at a time with a team of language-model agents."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

import malmm_ros.msg
from malmm_ros.action import ExecuteTask
from malmm_ros.agents import (
    Budget,
    Desk,
    ModelConfig,
    TaskResult,
    Team,
    build_team,
)
from malmm_ros.agents.role_models import read_role_models
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import MalmmError, NodeDiedError
from malmm_ros.nodes.arm_interfaces import CancelAll
from malmm_ros.nodes.emergency import RELEASE
from malmm_ros.nodes.goal_tokens import GoalTokens, finish
from malmm_ros.nodes.liveness import RETURN_S, NodeWatch
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.nodes.transcript_publisher import TranscriptPublisher
from malmm_ros.perception.phrases import find_phrases
from malmm_ros.srv import Approve, RunTask

# Wall time for a release to arrive: that of a node that has just come back, or by a hand.
_RELEASE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsNodeConfig:
    """Parameters of the node ``agents``.

    Attributes:
        team: Name of the team.
        model: Name of the language model; ``offline`` is the rule-based stand-in.
        base_url: Of an OpenAI-compatible endpoint; empty: the provider's own.
        model_options: The model's own settings, a YAML mapping: ``{temperature: 1}``.
        prices: YAML table of what models' tokens cost, beside our own.
        role_models: Other models for some roles: ``coder=NAME,planner=NAME@URL``.
        approve: Each step waits for the service ``approve``; meant for real arms.
        transcripts: Folder of the transcripts.
        needed_nodes: Their death ends a task; the first one offers the motion actions.
        brake_actions: Actions of the arm's and the hand's controllers, whose goals are cancelled
            when that first node dies during a task: nobody else would brake.
        budget: What a task may use.
    """

    team: str = "malmm"
    model: str = "offline"
    base_url: str = ""
    model_options: str = ""
    prices: str = ""
    role_models: str = ""
    approve: bool = False
    transcripts: str = "runs"
    needed_nodes: tuple[str, ...] = ("motion", "scene", "simulator")
    brake_actions: tuple[str, ...] = (
        "panda_arm_controller/follow_joint_trajectory",
        "panda_hand_controller/gripper_cmd",
    )
    budget: Budget = field(default_factory=Budget)


class AgentsNode(Node):
    """Action ``execute_task``, services ``run_task`` and ``approve``, topic ``transcript``."""

    def __init__(self) -> None:
        super().__init__("agents")
        self._config = declare_configuration(self, AgentsNodeConfig)
        self._model = ModelConfig(
            name=self._config.model, base_url=self._config.base_url, prices=self._config.prices
        ).with_options(self._config.model_options, where="parameter model_options")
        # Made once to find a wrong team or a missing key now, not at the first task.
        self._teams: dict[str, Team] = {}
        self._team(self._config.team)
        self._brakes = [CancelAll(self, action) for action in self._config.brake_actions]
        self._busy = threading.Lock()
        self._watch = NodeWatch(self, self._config.needed_nodes, on_lost=self._on_lost)
        self._robot = RosRobot(self, watch=self._watch, needed=self._config.needed_nodes)
        self._cancel = CancelToken()
        self._tokens = GoalTokens()
        self._desk = Desk(approves_steps=self._config.approve)
        self._transcript = TranscriptPublisher(self)
        group = ReentrantCallbackGroup()
        self._server = ActionServer(
            self,
            ExecuteTask,
            "execute_task",
            self._on_execute,
            callback_group=group,
            goal_callback=lambda _goal: GoalResponse.ACCEPT,
            cancel_callback=self._on_cancel,
        )
        self.create_service(RunTask, "run_task", self._on_run, callback_group=group)
        self.create_service(Approve, "approve", self._on_approve, callback_group=group)
        self.create_service(Trigger, "cancel_task", self._on_cancel_task, callback_group=group)
        self.create_service(Trigger, "pause", self._on_pause, callback_group=group)
        self.create_service(Trigger, "resume", self._on_resume, callback_group=group)
        self.create_subscription(String, "say", self._on_say, 10, callback_group=group)
        self._stopped = ""
        self.create_subscription(
            String,
            "motion/stopped",
            self._on_stopped,
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def close(self) -> None:
        """End the task under way; its arm brakes."""
        self._cancel.cancel("the agents node was shut down")
        self._robot.stop()

    def _on_lost(self, name: str) -> None:
        if name == self._config.needed_nodes[0] and self._busy.locked():
            self._brake_instead_of(name)

    def _on_stopped(self, message: String) -> None:
        """End the task when somebody stops the arm: it may not go on by itself on a release."""
        self._stopped = message.data
        if message.data and self._busy.locked():
            self._cancel.cancel(_stop_words(message.data))

    def _stays_stopped(self) -> bool:
        """Whether the arm is stopped now, and not about to be released."""
        deadline_s = time.monotonic() + _RELEASE_S
        while self._stopped and time.monotonic() < deadline_s:
            self._cancel.wait(0.02)
        return bool(self._stopped)

    def _brake_instead_of(self, name: str) -> None:
        """Cancel the motions that a node has started and no longer watches over."""
        for brake in self._brakes:
            brake.send()
        self.get_logger().error(f"node {name!r} is gone in mid-task: its motion is cancelled")

    def _on_execute(self, handle: Any) -> ExecuteTask.Result:
        def feed(message: malmm_ros.msg.AgentEvent) -> None:
            handle.publish_feedback(ExecuteTask.Feedback(event=message))

        outcome = self._run(handle.request, feed, self._tokens.token(handle))
        self._tokens.drop(handle)
        is_cancelled = outcome.reason == "cancelled"
        finish(handle, is_success=outcome.is_success, is_cancelled=is_cancelled)
        return _fill(ExecuteTask.Result(), outcome)

    def _on_run(self, request: RunTask.Request, response: RunTask.Response) -> RunTask.Response:
        return _fill(response, self._run(request, lambda _event: None, CancelToken()))

    def _run(
        self,
        request: Any,
        feed: Callable[[malmm_ros.msg.AgentEvent], None],
        cancel: CancelToken,
    ) -> TaskResult:
        """Run a task to its end; whatever goes wrong is a result."""
        if not self._busy.acquire(blocking=False):
            return _failure("busy", "another task is running; wait for it or cancel it")
        try:
            self._cancel = cancel
            self._desk = Desk(approves_steps=self._config.approve)
            return self._run_alone(request, feed)
        except NodeDiedError as error:
            return _failure("node_died", str(error))
        except MalmmError as error:
            return _failure("refused", str(error))
        except Exception as error:  # noqa: BLE001  # top of a callback: the client needs an answer
            self.get_logger().error(f"a task failed unexpectedly:\n{traceback.format_exc()}")
            return _failure("internal_error", f"{type(error).__name__}: {error}")
        finally:
            # A task that ends by the death of its motion node may end before it is reported.
            if self._watch.is_lost(self._config.needed_nodes[0]):
                self._brake_instead_of(self._config.needed_nodes[0])
            self._busy.release()

    def _run_alone(
        self, request: Any, feed: Callable[[malmm_ros.msg.AgentEvent], None]
    ) -> TaskResult:
        team = self._team(request.team or self._config.team)
        budget = self._config.budget
        if request.timeout > 0.0:
            budget = replace(budget, wall_s=min(budget.wall_s, request.timeout))
        self._watch.require(timeout_s=RETURN_S)
        if self._stays_stopped():
            return _failure("stopped", _stop_words(self._stopped))
        self._robot.look_for(find_phrases(request.instruction))
        folder = Path(self._config.transcripts)
        folder.mkdir(parents=True, exist_ok=True)
        self.get_logger().info(f"task: {request.instruction}")
        self._transcript.begin()
        outcome = team.run(
            request.instruction,
            self._robot,
            budget=budget,
            on_event=lambda event: feed(self._transcript.publish(event)),
            cancel=self._cancel,
            transcript=folder,
            operator=self._desk,
        )
        self.get_logger().info(f"{outcome.reason}: {outcome.message}")
        return outcome

    def _team(self, name: str) -> Team:
        if name not in self._teams:
            words = [word for word in self._config.role_models.split(",") if word.strip()]
            self._teams[name] = build_team(
                name, self._model, role_models=read_role_models(words, self._model)
            )
        return self._teams[name]

    def _on_cancel(self, handle: Any) -> CancelResponse:
        self._tokens.token(handle).cancel("cancelled by the client")
        return CancelResponse.ACCEPT

    def _on_cancel_task(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Cancel what runs, also a task that was started by the service run_task."""
        response.success = self._busy.locked()
        self._cancel.cancel("cancelled by the service cancel_task")
        response.message = "" if response.success else "no task is running"
        return response

    def _on_approve(
        self, request: Approve.Request, response: Approve.Response
    ) -> Approve.Response:
        try:
            response.success = self._desk.decide(request.decision, request.correction)
            response.message = "" if response.success else "no step waits for an approval"
        except MalmmError as error:
            response.success, response.message = False, str(error)
        return response

    def _on_pause(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._desk.pause()
        response.success = self._busy.locked()
        response.message = "" if response.success else "no task is running"
        return response

    def _on_resume(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        self._desk.resume()
        response.success = True
        return response

    def _on_say(self, message: String) -> None:
        if self._busy.locked():
            self._desk.say(message.data)
        else:
            self.get_logger().warning(f"no task is running; not said: {message.data}")


def _stop_words(why: str) -> str:
    return f"the arm is stopped: {why}; once it may move, call the service {RELEASE}"


def _failure(reason: str, message: str) -> TaskResult:
    return TaskResult(is_success=False, reason=reason, message=message, task_id="")


def _fill(message: Any, outcome: TaskResult) -> Any:
    """Write an outcome into a result or a response; both have the same fields."""
    message.success, message.reason = outcome.is_success, outcome.reason
    message.message, message.task_id = outcome.message, outcome.task_id
    message.transcript = str(outcome.transcript.resolve()) if outcome.transcript else ""
    return message


def main() -> None:
    """Run the node."""
    run_main(AgentsNode, threads=10)


if __name__ == "__main__":
    main()
