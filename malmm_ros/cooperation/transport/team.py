"""Agents by name: who takes part, each with a generator of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from malmm_ros.backends import load_backend
from malmm_ros.cooperation.transport.observation import Briefing
from malmm_ros.cooperation.transport.runner import TransportAgent
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError, UnknownNameError

# Classes of agents that see and decide for themselves: (briefing, *, rng, **options).
AGENTS = {
    "coela": "malmm_ros.cooperation.coela.agent:CoelaAgent",
    "random": "malmm_ros.cooperation.transport.random_agent:RandomAgent",
    "rhp": "malmm_ros.cooperation.transport.rhp:RulePlanner",
}
# Classes where one mind leads all agents of its name: (world, names, *, rng, **options).
LEADERS = {
    "central": "malmm_ros.cooperation.transport.central:CentralPlanner",
    "mat": "malmm_ros.cooperation.transport.mat:MatTeam",
}


def check_agents(kinds: Sequence[str]) -> None:
    """See that all names are known.

    Raises:
        UnknownNameError: One is not.
        ConfigurationError: There is none.
    """
    if not kinds:
        raise ConfigurationError("agents", "names no agent")
    for kind in kinds:
        if kind not in AGENTS and kind not in LEADERS:
            raise UnknownNameError("agents", kind, [*AGENTS, *LEADERS])


def check_decentralised(kinds: Sequence[str]) -> None:
    """See that all are known, and that each decides for itself.

    Raises:
        UnknownNameError: One is not known.
        ConfigurationError: There is none, or one mind would lead several agents.
    """
    check_agents(kinds)
    for kind in kinds:
        if kind in LEADERS:
            raise ConfigurationError(
                "agents",
                f"{kind!r} is one mind for all its agents and cannot run as one node for each; "
                f"choose of {', '.join(sorted(AGENTS))}, or run it in one process: "
                f"malmm cooperate --agents {','.join(kinds)}",
            )


def make_agent(
    kind: str, briefing: Briefing, *, seed: int, options: Mapping[str, Any] | None = None
) -> TransportAgent:
    """Make one agent that decides for itself.

    Args:
        kind: Of ``AGENTS``.
        briefing: What it knows at first.
        seed: Of its own generator; see :func:`own_seed`.
        options: What its class takes beside the usual.
    """
    make = load_backend("agents", kind, AGENTS)
    rng = np.random.default_rng(seed)
    agent: TransportAgent = make(briefing, rng=rng, **(options or {}))
    return agent


def own_seed(seed: int, episode: str, place: int) -> int:
    """The seed of one agent's generator; a different one for each place and episode."""
    digest = hashlib.sha256(f"{seed}/{episode}/{place}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def build_team(
    kinds: Sequence[str],
    world: TransportWorld,
    *,
    seed: int,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, TransportAgent]:
    """Make an agent for each place in a world.

    Args:
        kinds: Name of each agent's kind, in the order of the world's agents.
        world: Where they will act; only leaders look into it.
        seed: With the episode's name and the agent's place it seeds each generator.
        options: By kind, what its class takes beside the usual.

    Returns:
        By the names of the world's agents.
    """
    check_agents(kinds)
    if len(kinds) != len(world.agents):
        raise ConfigurationError("agents", f"{len(kinds)} kinds for {len(world.agents)} agents")
    given = options or {}
    team: dict[str, TransportAgent] = {}
    for index, (name, kind) in enumerate(zip(world.agents, kinds, strict=True)):
        if kind in AGENTS:
            own = own_seed(seed, world.episode.name, index)
            team[name] = make_agent(kind, world.brief(name), seed=own, options=given.get(kind))
    for kind in dict.fromkeys(kind for kind in kinds if kind in LEADERS):
        names = [name for name, own in zip(world.agents, kinds, strict=True) if own == kind]
        first = world.agents.index(names[0])
        rng = np.random.default_rng(own_seed(seed, world.episode.name, first))
        lead = load_backend("agents", kind, LEADERS)
        team.update(lead(world, names, rng=rng, **given.get(kind, {})).seats())
    return team
