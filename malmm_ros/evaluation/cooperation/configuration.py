"""What is evaluated: everything that a result depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from malmm_ros import __version__
from malmm_ros.configuration import plain
from malmm_ros.cooperation import WORLDS
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.transport.episode import EPISODE_SETS, Episode, load_episodes
from malmm_ros.cooperation.transport.placement import MOST_AGENTS
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.team import check_agents, check_decentralised
from malmm_ros.errors import ConfigurationError, UnknownNameError

# oracle: by ray casting; detected: from rendered colour and depth alone.
OBSERVATIONS = ("oracle", "detected")


@dataclass(frozen=True, slots=True, kw_only=True)
class CooperationConfig:
    """A team, the agent it is compared with, and where.

    Attributes:
        agents: Kind of each agent of the team.
        alone: Kind of the one agent that the team is compared with; by default its first one's.
        against: Another team on the same episodes with the same seeds; empty for none.
        observations: Where observations come from.
        episodes: ``test``, ``training``, or names like ``test/03`` with commas between.
        seeds: How often each episode is run, with seeds from 0.
        coela: Of every agent of that kind; without effect on others.
        options: By kind of agent, what it takes beside the usual.
    """

    agents: tuple[str, ...]
    alone: str = ""
    against: tuple[str, ...] = ()
    world: str = "transport"
    observations: str = "oracle"
    episodes: str = "test"
    seeds: int = 1
    rules: TransportRules = field(default_factory=TransportRules)
    coela: CoelaConfig = field(default_factory=CoelaConfig)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.world not in WORLDS:
            raise UnknownNameError("world", self.world, WORLDS)
        if self.observations not in OBSERVATIONS:
            raise UnknownNameError("observations", self.observations, OBSERVATIONS)
        check_agents(self.agents)
        if self.observations == "detected":
            check_decentralised((*self.agents, *self.against, self.baseline))
        if self.alone:
            check_agents((self.alone,))
        if self.against:
            check_agents(self.against)
        for where, team in (("agents", self.agents), ("against", self.against)):
            if len(team) > MOST_AGENTS:
                raise ConfigurationError(
                    where, f"at most {MOST_AGENTS} take part, got {len(team)}"
                )
        if self.seeds < 1:
            raise ConfigurationError("seeds", f"must be at least 1, got {self.seeds}")
        self.selected()

    @property
    def baseline(self) -> str:
        """The kind of the agent alone."""
        return self.alone or self.agents[0]

    @property
    def has_coela(self) -> bool:
        """Whether any agent asks a model."""
        return "coela" in (*self.agents, *self.against, self.baseline)

    @property
    def is_stand_in(self) -> bool:
        """Whether the rule-based model answers: then it is no language model's figure."""
        return self.has_coela and self.coela.model.name == "offline"

    def selected(self) -> tuple[Episode, ...]:
        """The episodes that are meant.

        Raises:
            UnknownNameError: There is no such set or episode.
        """
        if self.episodes in EPISODE_SETS:
            return load_episodes(self.episodes)
        names = [part.strip() for part in self.episodes.split(",") if part.strip()]
        if not names:
            raise ConfigurationError("episodes", "names no episode")
        if len(set(names)) < len(names):
            raise ConfigurationError("episodes", "names an episode twice")
        return tuple(find_episode(name) for name in names)

    def to_json(self) -> dict[str, Any]:
        """As JSON values, with the version that ran it and the episodes' hashes."""
        hashes = {episode.name: episode.sha256()[:12] for episode in self.selected()}
        values = {**plain(asdict(self)), "alone": self.baseline}
        if not self.has_coela:
            del values["coela"]  # nothing depends on it
        return {"version": __version__, **values, "episode_hashes": hashes}

    def fingerprint(self) -> str:
        """A hash of all of it."""
        text = json.dumps(self.to_json(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def find_episode(name: str) -> Episode:
    """One frozen episode by its name, like ``test/03``.

    Raises:
        UnknownNameError: There is none.
    """
    group = name.partition("/")[0]
    if group not in EPISODE_SETS:
        raise UnknownNameError("episodes", name, EPISODE_SETS)
    episodes = {episode.name: episode for episode in load_episodes(group)}
    if name not in episodes:
        raise UnknownNameError("episodes", name, episodes)
    return episodes[name]
