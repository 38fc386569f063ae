"""Node ``agent``: one agent of the cooperation world, in a namespace of its own."""

from __future__ import annotations

import threading
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.agents import Budget, ModelConfig
from malmm_ros.cooperation.coela.configuration import EPISODE_BUDGET
from malmm_ros.cooperation.minds import MindSettings, OpenedAgent
from malmm_ros.cooperation.transport.actions import ONGOING, Action
from malmm_ros.cooperation.transport.observation import Briefing, Observation
from malmm_ros.errors import ConfigurationError, MalmmError
from malmm_ros.msg import HeardMessages, TransportAction, TransportObservation, Utterance
from malmm_ros.nodes.cooperation.conversions import (
    action_message,
    briefing_value,
    observation_value,
)
from malmm_ros.nodes.cooperation.maps import MapPublisher
from malmm_ros.nodes.cooperation.notice import WaitNotice
from malmm_ros.nodes.cooperation.profiles import LOCK_STEP
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.srv import BeginEpisode

_IDLE = "the world node to begin an episode"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """Parameters of the node ``agent``.

    Attributes:
        kind: Of agent: coela, random or rhp.
        model: Name of the language model, for kinds that ask one; ``offline`` is the rule-based
            stand-in.
        base_url: Of an OpenAI-compatible endpoint; empty: the provider's own.
        model_options: The model's own settings, a YAML mapping: ``{temperature: 1}``.
        prices: YAML table of what models' tokens cost, beside our own.
        without: Modules that are switched off, of agents that are made of modules.
        transcripts: Folder of the transcripts of what agents with a model think; empty: none.
        map_rate_hz: How often the explored map is published at most, wall time.
        budget: What this agent may use in an episode; used up, it takes safe choices.
    """

    kind: str = "rhp"
    model: str = "offline"
    base_url: str = ""
    model_options: str = ""
    prices: str = ""
    without: tuple[str, ...] = ()
    transcripts: str = "runs"
    map_rate_hz: float = field(default=1.0, metadata={"range": (0.01, 30.0)})
    budget: Budget = EPISODE_BUDGET

    def __post_init__(self) -> None:
        if not 0.01 <= self.map_rate_hz <= 30.0:
            raise ConfigurationError("map_rate_hz", f"must be 0.01 to 30, got {self.map_rate_hz}")
        self.settings()

    def settings(self) -> MindSettings:
        """What an agent is made with."""
        model = ModelConfig(
            name=self.model, base_url=self.base_url, prices=self.prices
        ).with_options(self.model_options, where="parameter model_options")
        return MindSettings(
            kind=self.kind,
            model=model,
            budget=self.budget,
            without=self.without,  # type: ignore[arg-type]  # checked by CoelaConfig
        )


@dataclass(slots=True, kw_only=True)
class _Episode:
    """The one that is being played."""

    run: str
    briefing: Briefing
    opened: OpenedAgent
    answered: int = -1


class AgentNode(Node):
    """Service ``begin``; topics ``observation`` and ``heard`` in, ``action`` and ``say`` out."""

    def __init__(self) -> None:
        super().__init__("agent")
        self._config = declare_configuration(self, AgentConfig)
        self._settings = self._config.settings()
        above, _, own = self.get_namespace().rpartition("/")
        if not own:
            raise ConfigurationError(
                "node 'agent'", "needs a namespace of its own: --ros-args -r __ns:=/alice"
            )
        self._lock = threading.Lock()
        self._episode: _Episode | None = None
        self._observation: TransportObservation | None = None
        self._heard: HeardMessages | None = None
        self._notice = WaitNotice(self, _IDLE)
        self._watch = NodeWatch(self, (f"{above}/world",), on_lost=self._on_world_lost)
        self._map = MapPublisher(self)
        self._say = self.create_publisher(Utterance, "say", LOCK_STEP)
        self._act = self.create_publisher(TransportAction, "action", LOCK_STEP)
        # One callback at a time: the agent thinks in it.
        group = MutuallyExclusiveCallbackGroup()
        self.create_subscription(
            TransportObservation, "observation", self._on_observation, LOCK_STEP,
            callback_group=group,
        )  # fmt: skip
        self.create_subscription(
            HeardMessages, "heard", self._on_heard, LOCK_STEP, callback_group=group
        )
        self.create_timer(
            1.0 / self._config.map_rate_hz,
            self._show_map,
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self.create_service(
            BeginEpisode, "begin", self._on_begin, callback_group=ReentrantCallbackGroup()
        )

    def close(self) -> None:
        """End the episode under way."""
        self._end(self._episode)

    def _on_begin(
        self, request: BeginEpisode.Request, response: BeginEpisode.Response
    ) -> BeginEpisode.Response:
        try:
            self._begin(request)
        except MalmmError as error:
            response.success, response.message = False, f"{self._config.kind}: {error}"
            return response
        response.success = True
        return response

    def _begin(self, request: BeginEpisode.Request) -> None:
        self._end(self._episode)
        briefing = briefing_value(request.briefing)
        folder, name = self._config.transcripts, briefing.agent
        path = Path(folder) / f"cooperation-{request.run}-{name}.jsonl" if folder else None
        opened = OpenedAgent(self._settings, briefing, seed=request.seed, transcript=path)
        with self._lock:
            self._episode = _Episode(run=request.run, briefing=briefing, opened=opened)
            self._notice.wait_for("the first observation of the world node")
        self.get_logger().info(f"{name} ({self._config.kind}): an episode begins")

    def _end(self, episode: _Episode | None) -> None:
        """End this episode, but not the next one, which may have begun meanwhile."""
        with self._lock:
            if episode is None or self._episode is not episode:
                return
            self._episode = None
            self._notice.wait_for(_IDLE)
        episode.opened.close()

    def _on_world_lost(self, name: str) -> None:
        episode = self._episode
        if episode is not None:
            self.get_logger().error(
                f"node {name!r} is gone: the episode is over, nobody waits for it any more; "
                "start the world node again, then another episode"
            )
        self._end(episode)

    def _on_observation(self, message: TransportObservation) -> None:
        self._observation = message
        episode = self._episode
        if message.is_over and episode is not None and message.run == episode.run:
            self._map.show(episode.opened.agent, is_last=True)
            self.get_logger().info(f"the episode is over at frame {message.frame}")
            self._end(episode)
            return
        self._answer()

    def _on_heard(self, message: HeardMessages) -> None:
        self._heard = message
        self._answer()

    def _answer(self) -> None:
        """Act, once both halves of a step are there."""
        episode, seen, heard = self._episode, self._observation, self._heard
        if episode is None or seen is None or seen.run != episode.run:
            return
        if seen.is_over or seen.step <= episode.answered:
            return
        if heard is None or (heard.run, heard.step) != (seen.run, seen.step):
            self._notice.wait_for(f"the communication node's messages of step {seen.step}")
            return
        episode.answered = seen.step
        self._notice.wait_for("")
        observation = observation_value(
            seen, agent=episode.briefing.agent, messages=heard.messages
        )
        self._publish(episode, seen.step, *self._think(episode, observation))
        self._notice.wait_for(f"the world node to end step {seen.step}")

    def _think(self, episode: _Episode, observation: Observation) -> tuple[Action, str]:
        """What to do, or why the agent gives up."""
        try:
            return episode.opened.agent.act(observation), ""
        except MalmmError as error:
            self.get_logger().error(str(error))
            return ONGOING, str(error)
        except Exception as error:  # noqa: BLE001  # top of a callback: the world waits
            self.get_logger().error(f"the agent failed:\n{traceback.format_exc()}")
            return ONGOING, f"{type(error).__name__}: {error}"

    def _publish(self, episode: _Episode, step: int, action: Action, error: str) -> None:
        if action.kind == "send":
            self._say.publish(Utterance(run=episode.run, step=step, text=action.text))
        usage = episode.opened.agent.usage
        self._act.publish(
            action_message(action, run=episode.run, step=step, usage=usage, error=error)
        )

    def _show_map(self) -> None:
        episode = self._episode
        if episode is not None:
            self._map.show(episode.opened.agent)


def main() -> None:
    """Run the node."""
    run_main(AgentNode)


if __name__ == "__main__":
    main()
