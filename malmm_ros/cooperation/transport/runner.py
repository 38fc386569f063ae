"""Run one episode with a team of agents and say what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from malmm_ros.cooperation.agent import Agent, AgentUsage
from malmm_ros.cooperation.transport.actions import Action
from malmm_ros.cooperation.transport.observation import Observation
from malmm_ros.cooperation.transport.world import TransportWorld

TransportAgent = Agent[Observation, Action]
OnStep = Callable[[TransportWorld, Mapping[str, Action]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRecord:
    """What came of an episode.

    Attributes:
        transport_rate: Delivered of all targets, 0 to 1.
        frames: Until the goal or the horizon was reached.
        steps: Of the environment.
        discounted_return: Sum of the team's rewards, discounted by frames.
        failures: How often actions failed, by reason.
        usage: What models consumed, by agent.
    """

    transport_rate: float
    frames: int
    steps: int
    discounted_return: float
    messages: int
    characters: int
    message_frames: int
    failures: Mapping[str, int] = field(default_factory=dict)
    usage: Mapping[str, AgentUsage] = field(default_factory=dict)


def run_episode(
    world: TransportWorld,
    agents: Mapping[str, TransportAgent],
    *,
    on_step: OnStep | None = None,
) -> EpisodeRecord:
    """Let agents act until the goal or the horizon is reached.

    Args:
        world: At its start.
        agents: By the names of the world's agents.
        on_step: Called before every step with what was decided.
    """

    def decide(observations: Mapping[str, Observation]) -> dict[str, Action]:
        return {name: agents[name].act(observations[name]) for name in world.agents}

    def usage() -> dict[str, AgentUsage]:
        return {name: agents[name].usage for name in world.agents}

    return play(world, decide, usage=usage, on_step=on_step)


def play(
    world: TransportWorld,
    decide: Callable[[Mapping[str, Observation]], Mapping[str, Action]],
    *,
    usage: Callable[[], Mapping[str, AgentUsage]],
    on_step: OnStep | None = None,
) -> EpisodeRecord:
    """Like :func:`run_episode`, for agents that are somewhere else.

    Args:
        world: At its start.
        decide: Every agent's action for every agent's observation.
        usage: What models consumed, asked for at the end.
        on_step: Called before every step with what was decided.
    """
    observations: Mapping[str, Observation] = world.observe()
    steps, total = 0, 0.0
    failures: dict[str, int] = {}
    while not world.is_over:
        actions = decide(observations)
        if on_step is not None:
            on_step(world, actions)
        begun = world.frame
        step = world.step(actions)
        observations = step.observations
        total += world.discount**begun * step.reward
        steps += 1
        for name, observation in observations.items():
            if observation.failure is not None and actions[name].kind != "ongoing":
                failures[observation.failure] = failures.get(observation.failure, 0) + 1
    return EpisodeRecord(
        transport_rate=world.progress.rate,
        frames=world.frame,
        steps=steps,
        discounted_return=total,
        messages=len(world.sent),
        characters=sum(len(item.message.text) for item in world.sent),
        message_frames=sum(item.frames for item in world.sent),
        failures=dict(sorted(failures.items())),
        usage=dict(usage()),
    )
