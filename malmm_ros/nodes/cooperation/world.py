"""Node ``world``: the shared flat; agents that are other nodes act in it, in lock-step."""

from __future__ import annotations

import json
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.action import RunEpisode
from malmm_ros.cancellation import CancelToken
from malmm_ros.cooperation.pace import Pace
from malmm_ros.cooperation.record import EpisodeLog
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import EpisodeRecord, play
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import MalmmError, NodeDiedError
from malmm_ros.evaluation.cooperation.configuration import find_episode
from malmm_ros.nodes.cooperation.display import WorldDisplay
from malmm_ros.nodes.cooperation.exchange import Exchange, RemoteChannel
from malmm_ros.nodes.cooperation.notice import WaitNotice
from malmm_ros.nodes.cooperation.remote_team import (
    COMMUNICATION,
    EpisodeStoppedError,
    RemoteTeam,
    agent_node,
)
from malmm_ros.nodes.cooperation.world_configuration import WorldConfig
from malmm_ros.nodes.goal_tokens import GoalTokens, finish
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.runner import main as run_main

_IDLE = "somebody to start an episode: malmm cooperate --ros"
_LOOK_S = 0.2
_FEEDBACK_S = 0.1


class WorldNode(Node):
    """Action ``run_episode``; see :class:`Exchange` and :class:`WorldDisplay` for the topics."""

    def __init__(self) -> None:
        super().__init__("world")
        self._config = declare_configuration(self, WorldConfig)
        self._notice = WaitNotice(self, _IDLE)
        nodes = [COMMUNICATION, *map(agent_node, self._config.agents)]
        self._watch = NodeWatch(self, nodes)
        self._exchange = Exchange(self, self._config.agents)
        self._display = WorldDisplay(self, rate_hz=self._config.marker_rate_hz)
        self._busy = threading.Lock()
        self._cancel = CancelToken()
        self._tokens = GoalTokens()
        self._server = ActionServer(
            self,
            RunEpisode,
            "run_episode",
            self._on_run,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda _goal: GoalResponse.ACCEPT,
            cancel_callback=self._on_cancel,
        )

    def close(self) -> None:
        """End the episode under way; the agents are told."""
        self._cancel.cancel("the world node was shut down")
        # Given back once the agents were told.
        if self._busy.acquire(timeout=1.0):
            self._busy.release()

    def _on_cancel(self, handle: Any) -> CancelResponse:
        self._tokens.token(handle).cancel("cancelled by the client")
        return CancelResponse.ACCEPT

    def _on_run(self, handle: Any) -> RunEpisode.Result:
        result = RunEpisode.Result(episode=handle.request.episode or self._config.episode)
        try:
            self._run_alone(handle, result)
        except EpisodeStoppedError as error:
            result.reason, result.message = error.reason, str(error)
        except NodeDiedError as error:
            result.reason, result.message = "node_died", str(error)
        except MalmmError as error:
            result.reason, result.message = "refused", str(error)
        except Exception as error:  # noqa: BLE001  # top of a callback: the client needs an answer
            self.get_logger().error(f"an episode failed:\n{traceback.format_exc()}")
            result.reason = "internal_error"
            result.message = f"{type(error).__name__}: {error}"
        self.get_logger().info(f"{result.reason}: {result.message}")
        self._tokens.drop(handle)
        finish(handle, is_success=result.success, is_cancelled=result.reason == "cancelled")
        return result

    def _run_alone(self, handle: Any, result: RunEpisode.Result) -> None:
        if not self._busy.acquire(blocking=False):
            raise EpisodeStoppedError("busy", "another episode is running; wait or cancel it")
        try:
            self._cancel = self._tokens.token(handle)
            self._run(handle, result)
        finally:
            self._notice.wait_for(_IDLE)
            self._busy.release()

    def _run(self, handle: Any, result: RunEpisode.Result) -> None:
        """Build the world, wait for everybody, and play."""
        goal, channel = handle.request, RemoteChannel()
        rules = TransportRules(horizon_frames=goal.horizon) if goal.horizon else TransportRules()
        world = TransportWorld(
            find_episode(result.episode), agents=self._config.agents, rules=rules, channel=channel
        )
        self._await_nodes()
        run = uuid.uuid4().hex[:12]
        with EpisodeLog(self._config.transcripts, world, run=run, seed=goal.seed) as log:
            result.transcript = str(log.path.resolve())

            def on_lost(name: str, why: str) -> None:
                self.get_logger().error(f"{name}: {why}; the others go on")
                result.lost_agents = [*result.lost_agents, name]
                log.note(name, f"lost: {why}")

            team = RemoteTeam(
                self._exchange,
                channel,
                self._watch,
                notice=self._notice,
                run=run,
                seed=goal.seed,
                answer_timeout_s=self._config.answer_timeout_s,
                cancel=self._cancel,
                on_lost=on_lost,
            )
            try:
                self._play(world, team, log, self._make_feedback(handle, world, team), result)
            except MalmmError as error:
                log.note("world", str(error))
                raise
            finally:
                done = world.progress
                result.delivered, result.wanted = sum(done.done.values()), sum(done.goal.values())

    def _play(
        self,
        world: TransportWorld,
        team: RemoteTeam,
        log: EpisodeLog,
        feed: Callable[[], None],
        result: RunEpisode.Result,
    ) -> None:
        self._display.begin(world)

        def on_step(world: TransportWorld, actions: Any) -> None:
            log.step(world, actions)
            self._display.show(world)
            feed()
            pace.hold(world.frame, self._cancel)

        try:
            team.begin(world)
            self.get_logger().info(f"{world.episode.name} begins: {', '.join(world.agents)}")
            pace = Pace(self._config.speed)
            record = play(world, team.decide, usage=team.usage, on_step=on_step)
        finally:
            team.end(world.observe())
            self._display.show(world, is_forced=True)
        log.result(world, record)
        _fill(result, world, record)

    def _await_nodes(self) -> None:
        """Wait for the agents and the communication node.

        Raises:
            NodeDiedError: One does not come.
            EpisodeStoppedError: It was cancelled.
        """
        deadline = time.monotonic() + self._config.start_timeout_s
        while missing := self._watch.wait_for(timeout_s=_LOOK_S):
            names = ", ".join(missing)
            self._notice.wait_for(f"nodes: {names}")
            if self._cancel.is_cancelled:
                raise EpisodeStoppedError("cancelled", self._cancel.reason)
            if time.monotonic() > deadline:
                waited = f"waited {self._config.start_timeout_s:g} s"
                raise NodeDiedError(missing[0], f"not running: {names} ({waited})")

    def _make_feedback(
        self, handle: Any, world: TransportWorld, team: RemoteTeam
    ) -> Callable[[], None]:
        wanted = sum(world.episode.goal.values())
        told_s = [0.0]

        def feed() -> None:
            now_s = time.monotonic()
            if now_s - told_s[0] < _FEEDBACK_S:
                return
            told_s[0] = now_s
            handle.publish_feedback(
                RunEpisode.Feedback(
                    step=team.step,
                    frame=world.frame,
                    horizon=world.horizon,
                    delivered=sum(world.progress.done.values()),
                    wanted=wanted,
                    lost_agents=list(team.lost),
                )
            )

        return feed


def _fill(result: RunEpisode.Result, world: TransportWorld, record: EpisodeRecord) -> None:
    progress, lost = world.progress, list(result.lost_agents)
    result.success = not lost
    result.reason = "complete" if progress.is_complete else "horizon"
    done, wanted = sum(progress.done.values()), sum(progress.goal.values())
    without = f", from some moment on without {', '.join(lost)}" if lost else ""
    result.message = f"{done} of {wanted} delivered in {record.frames} frames{without}"
    result.record = json.dumps(asdict(record))


def main() -> None:
    """Run the node."""
    run_main(WorldNode, threads=10)


if __name__ == "__main__":
    main()
