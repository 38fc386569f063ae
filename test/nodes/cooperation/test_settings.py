from __future__ import annotations

from pathlib import Path

import pytest

from malmm_ros.configuration import from_mapping
from malmm_ros.cooperation.coela.agent import CoelaAgent
from malmm_ros.cooperation.minds import MindSettings, OpenedAgent
from malmm_ros.cooperation.transport.episode import load_episodes
from malmm_ros.cooperation.transport.rhp import RulePlanner
from malmm_ros.cooperation.transport.team import AGENTS, LEADERS
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.nodes.cooperation.agent import AgentConfig
from malmm_ros.nodes.cooperation.communication import CommunicationConfig
from malmm_ros.nodes.cooperation.world_configuration import WorldConfig


@pytest.mark.parametrize("kind", sorted(AGENTS))
def test_every_kind_that_decides_for_itself_can_be_a_node(kind: str) -> None:
    assert AgentConfig(kind=kind).settings().kind == kind


@pytest.mark.parametrize("kind", sorted(LEADERS))
def test_one_mind_for_several_agents_cannot_be_a_node_for_each(kind: str) -> None:
    words = f"'{kind}' is one mind for all its agents .* choose of coela, random, rhp"
    with pytest.raises(ConfigurationError, match=words):
        AgentConfig(kind=kind)


@pytest.mark.parametrize(
    ("cls", "values", "words"),
    [
        (AgentConfig, {"kind": "rph"}, "'rph' is unknown.*'rhp'"),
        (AgentConfig, {"kind": "coela", "without": ("speech",)}, "without: 'speech' is unknown"),
        (AgentConfig, {"model_options": "{temprature: 1}"}, "Did you mean 'temperature'"),
        (AgentConfig, {"prices": "nowhere.yaml"}, "nowhere.yaml"),
        (AgentConfig, {"budget": {"tokens": -1.0}}, "budget.tokens: must be above 0"),
        (AgentConfig, {"map_rate_hz": 0.0}, "map_rate_hz: must be 0.01 to 30"),
        (WorldConfig, {"episode": "test/99"}, "'test/99' is unknown"),
        (WorldConfig, {"agents": ("Ann", "ann")}, "must differ in more than capitals"),
        (WorldConfig, {"speed": -1.0}, "speed: must be 0 to 100, got -1"),
        (CommunicationConfig, {"drop": 2.0}, "drop: must be 0 to 1, got 2.0"),
        (CommunicationConfig, {"agents": ()}, "1 to 4 agents take part"),
        (CommunicationConfig, {"delay_frame": 3}, "Did you mean 'delay_frames'"),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_would_be_right(
    cls: type, values: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        from_mapping(cls, values)


def test_messages_are_cut_at_500_characters_unless_told_otherwise() -> None:
    assert CommunicationConfig().channel().most_characters == 500


def test_only_agents_with_a_mind_get_a_model_and_a_transcript(tmp_path: Path) -> None:
    briefing = TransportWorld(load_episodes("test")[0]).brief("Bob")
    path = tmp_path / "thoughts.jsonl"
    with OpenedAgent(MindSettings(kind="rhp"), briefing, seed=1, transcript=path) as opened:
        assert isinstance(opened.agent, RulePlanner)
    assert not path.exists()
    settings = MindSettings(kind="coela", without=("communication",))
    with OpenedAgent(settings, briefing, seed=1, transcript=path) as opened:
        assert isinstance(opened.agent, CoelaAgent)
    assert path.exists()


def test_an_unknown_kind_is_told_before_an_agent_is_made() -> None:
    with pytest.raises(UnknownNameError, match="valid: "):
        MindSettings(kind="nobody")
