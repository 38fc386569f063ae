"""Play a recorded episode again with the recorded answers."""

from __future__ import annotations

from collections.abc import Callable

from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.replay import Recording, Replay
from malmm_ros.agents.transcript import AgentEvent, TranscriptError
from malmm_ros.configuration import from_mapping
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.coela.episode import run_talking
from malmm_ros.cooperation.transport.episode import load_episodes
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import EpisodeRecord
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.errors import UnknownNameError


def is_episode(recording: Recording) -> bool:
    """Whether a transcript is that of an episode of the transport world."""
    return recording.world.get("world") == "transport"


def replay_episode(
    recording: Recording, replay: Replay, *, on_event: Callable[[AgentEvent], None]
) -> EpisodeRecord:
    """Run the episode again; whoever does not ask a model decides anew, equally.

    Args:
        recording: Of which :func:`is_episode` holds.
        replay: Gives the recorded answers.
        on_event: Gets every event of the new run; should pass it to ``replay.compare``.

    Raises:
        TranscriptError: It does not say which frozen episode was run.
        ConfigurationError: The recorded settings do not fit this version.
    """
    facts = recording.world
    kinds = tuple(recording.team.split(","))
    name = str(facts.get("episode", ""))
    episodes = {item.name: item for group in ("test", "training") for item in load_episodes(group)}
    if name not in episodes:
        raise TranscriptError(str(UnknownNameError("recorded episode", name, episodes)))
    rules = from_mapping(TransportRules, facts.get("rules") or {}, where="recorded rules")
    # The answers were recorded as they were spoilt.
    left_out = ("budget", "model", "inject")
    values = {key: item for key, item in recording.header["config"].items() if key not in left_out}
    config = from_mapping(
        CoelaConfig, {**values, "budget": recording.budget}, where="recorded configuration"
    )
    world = TransportWorld(episodes[name], agents=AGENT_NAMES[: len(kinds)], rules=rules)
    return run_talking(
        world,
        kinds,
        seed=int(facts.get("seed", 0)),
        config=config,
        client=ModelClient(replay.model),
        on_event=on_event,
    )
