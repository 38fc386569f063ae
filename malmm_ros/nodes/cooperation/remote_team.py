"""Agents that are other nodes, for one episode: who is there, what they do, who was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from malmm_ros.cancellation import CancelToken
from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.naming import namespace_of
from malmm_ros.cooperation.transport.actions import ONGOING, Action
from malmm_ros.cooperation.transport.observation import Observation
from malmm_ros.cooperation.transport.team import own_seed
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import MalmmError
from malmm_ros.msg import TransportAction
from malmm_ros.nodes.cooperation.conversions import (
    action_value,
    briefing_text,
    charge_value,
    usage_value,
)
from malmm_ros.nodes.cooperation.exchange import Exchange, RemoteChannel
from malmm_ros.nodes.cooperation.notice import WaitNotice
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import WaitCancelledError, call_service
from malmm_ros.srv import BeginEpisode

COMMUNICATION = "communication"
_BEGIN_S = 60.0
_CHARGE_S = 10.0


class EpisodeStoppedError(MalmmError):
    """An episode cannot go on.

    Attributes:
        reason: As in the action's result.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def agent_node(name: str) -> str:
    """The name of an agent's node, relative to the world's namespace."""
    return f"{namespace_of(name)}/agent"


class RemoteTeam:
    """Asks every agent for one action a step, and goes on without those who are lost.

    Args:
        exchange: The topics.
        channel: The world's own.
        watch: Of all agents and the communication node; all are alive.
        notice: Says what is waited for.
        run: Name of the run.
        seed: Of the episode.
        answer_timeout_s: Wall time after which an agent counts as lost.
        cancel: Ends the episode.
        on_lost: Told who was lost, and why.

    Attributes:
        lost: Who was lost, in that order.
    """

    def __init__(
        self,
        exchange: Exchange,
        channel: RemoteChannel,
        watch: NodeWatch,
        *,
        notice: WaitNotice,
        run: str,
        seed: int,
        answer_timeout_s: float,
        cancel: CancelToken,
        on_lost: Callable[[str, str], None],
    ) -> None:
        self._exchange, self._channel, self._watch = exchange, channel, watch
        self._notice, self._cancel, self._on_lost = notice, cancel, on_lost
        self._run, self._seed = run, seed
        self._answer_timeout_s = answer_timeout_s
        self._starts = {name: watch.incarnation(name) for name in watch.names}
        self._usage = dict.fromkeys(exchange.agents, AgentUsage())
        self.lost: list[str] = []
        self.step = 0

    def begin(self, world: TransportWorld) -> None:
        """Tell every agent that an episode begins.

        Raises:
            EpisodeStoppedError: One does not take part, or it was cancelled.
            NodeDiedError: One does not answer.
        """
        for place, name in enumerate(self._exchange.agents):
            self._notice.wait_for(f"{name} to be ready for {world.episode.name}")
            request = BeginEpisode.Request(
                run=self._run,
                seed=own_seed(self._seed, world.episode.name, place),
                briefing=briefing_text(world.brief(name)),
            )
            try:
                answer = call_service(
                    self._exchange.begin_clients[name],
                    request,
                    timeout_s=_BEGIN_S,
                    watch=self._watch,
                    needed=(agent_node(name),),
                    cancel=self._cancel,
                )
            except WaitCancelledError as error:
                raise EpisodeStoppedError("cancelled", str(error)) from error
            if not answer.success:
                raise EpisodeStoppedError("refused", f"{name}: {answer.message}")

    def decide(self, observations: Mapping[str, Observation]) -> dict[str, Action]:
        """Every agent's action; those who are lost do nothing any more.

        Raises:
            EpisodeStoppedError: Nobody is left, one gives up, or it was cancelled.
        """
        self._show(observations, is_over=False)
        self._notice.wait_for(f"actions for step {self.step}")
        answers, silent = self._exchange.actions(self._living, timeout_s=self._answer_timeout_s)
        for name in silent:
            self._lose(name, f"gave no action within {self._answer_timeout_s:g} s")
        for name, answer in answers.items():
            self._usage[name] = usage_value(answer.usage)
            if answer.error:
                raise EpisodeStoppedError("agent_failed", f"{name}: {answer.error}")
        self._take_charges(answers)
        self.step += 1
        self._notice.wait_for("")
        return {name: self._action(name, answers.get(name)) for name in self._exchange.agents}

    def usage(self) -> dict[str, AgentUsage]:
        """What models consumed so far."""
        return dict(self._usage)

    def end(self, observations: Mapping[str, Observation]) -> None:
        """Tell everybody that the episode is over."""
        self._show(observations, is_over=True)

    def _show(self, observations: Mapping[str, Observation], *, is_over: bool) -> None:
        self._exchange.show(
            observations,
            run=self._run,
            step=self.step,
            seed=self._seed,
            spoken=self._channel.take_spoken(),
            is_over=is_over,
        )

    def _action(self, name: str, answer: TransportAction | None) -> Action:
        if answer is None:
            return ONGOING
        is_message = answer.kind == "send"
        return action_value(answer, text=self._channel.charges[name].text if is_message else "")

    def _take_charges(self, answers: Mapping[str, TransportAction]) -> None:
        speakers = [name for name, answer in answers.items() if answer.kind == "send"]
        if not speakers:
            return

        def names() -> list[str]:
            self._check_communication()
            return speakers

        charges, silent = self._exchange.charges(names, timeout_s=_CHARGE_S)
        if silent:
            raise EpisodeStoppedError(
                "node_died", f"node {COMMUNICATION!r} did not say what {silent[0]}'s words cost"
            )
        self._channel.charges.update({n: charge_value(item) for n, item in charges.items()})

    def _living(self) -> list[str]:
        """Who is waited for; looks for deaths."""
        self._check_communication()
        for name in self._exchange.agents:
            if name not in self.lost and self._is_gone(agent_node(name)):
                self._lose(name, f"node {agent_node(name)!r} is gone")
        return [name for name in self._exchange.agents if name not in self.lost]

    def _lose(self, name: str, why: str) -> None:
        self.lost.append(name)
        self._on_lost(name, why)
        if len(self.lost) == len(self._exchange.agents):
            raise EpisodeStoppedError("node_died", f"{name}: {why}; nobody is left")

    def _check_communication(self) -> None:
        if self._cancel.is_cancelled:
            raise EpisodeStoppedError("cancelled", self._cancel.reason)
        if self._is_gone(COMMUNICATION):
            raise EpisodeStoppedError(
                "node_died", f"node {COMMUNICATION!r} is gone: nobody hears anybody any more"
            )

    def _is_gone(self, node: str) -> bool:
        """Whether it died, or is another one than at the start: that one knows of nothing."""
        started = self._starts[node]
        return self._watch.is_lost(node) or self._watch.incarnation(node) not in ("", started)
