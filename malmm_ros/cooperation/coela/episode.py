"""Run one episode with agents that ask a model: the session is opened, written and closed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.transcript import AgentEvent
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.coela.session import Session
from malmm_ros.cooperation.transport.runner import EpisodeRecord, OnStep, run_episode
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import TransportWorld


def run_talking(
    world: TransportWorld,
    kinds: Sequence[str],
    *,
    seed: int,
    config: CoelaConfig,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    client: ModelClient | None = None,
    transcript: Path | None = None,
    on_event: Callable[[AgentEvent], None] | None = None,
    on_step: OnStep | None = None,
) -> EpisodeRecord:
    """Run an episode of any team with CoELA agents in it.

    Args:
        world: At its start.
        kinds: Of the agents.
        seed: Of the run.
        config: Of the CoELA agents.
        options: Of agents of other kinds.
        client: Who answers instead of the configured model: a recording.
        transcript: File to write.
        on_event: Gets the transcript's events as they happen.
        on_step: See :func:`run_episode`.

    Raises:
        ModelError: The model cannot be asked.
        ConfigurationError: The transcript cannot be written.
    """
    facts = {"world": "transport", "episode": world.episode.name, "seed": seed}
    digest = hashlib.sha256(f"{seed}/{world.episode.name}".encode()).digest()
    with Session(
        config,
        client=client,
        transcript=transcript,
        on_event=on_event,
        seed=int.from_bytes(digest[:4], "big"),
    ) as session:
        goal = ", ".join(f"{count} {kind}" for kind, count in world.episode.goal.items())
        session.begin(kinds, facts | {"rules": asdict(world.rules)}, f"to the bed: {goal}")
        own = {"coela": {"config": config, "session": session}}
        team = build_team(kinds, world, seed=seed, options={**(options or {}), **own})
        record = run_episode(world, team, on_step=on_step)
        session.end(record)
    return record
