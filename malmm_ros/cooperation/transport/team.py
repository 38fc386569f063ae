"""Agents by name: who takes part, each with a generator of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from malmm_ros.backends import load_backend
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
            make = load_backend("agents", kind, AGENTS)
            rng = _generator(world, seed, index)
            team[name] = make(world.brief(name), rng=rng, **given.get(kind, {}))
    for kind in dict.fromkeys(kind for kind in kinds if kind in LEADERS):
        names = [name for name, own in zip(world.agents, kinds, strict=True) if own == kind]
        rng = _generator(world, seed, world.agents.index(names[0]))
        lead = load_backend("agents", kind, LEADERS)
        team.update(lead(world, names, rng=rng, **given.get(kind, {})).seats())
    return team


def _generator(world: TransportWorld, seed: int, index: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}/{world.episode.name}/{index}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
