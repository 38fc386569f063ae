"""The cooperation world, a way for messages, and a node for each agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import Argument, Bringup, Make, NodeEntry, Use, Value
from malmm_ros.cooperation.naming import MOST_AGENTS, check_names, namespace_of
from malmm_ros.errors import ConfigurationError

_SIM = {argument.name: argument for argument in SIM.arguments}
_RVIZ = next(node for node in SIM.nodes if node.name == "rviz")
_NAMES = "Alice,Bob,Carol,Dave"


def _words(text: Value) -> tuple[str, ...]:
    return tuple(word.strip() for word in str(text).split(",") if word.strip())


def _kinds(values: Mapping[str, Value]) -> tuple[str, ...]:
    """What each agent is.

    Raises:
        ConfigurationError: There are too many, or one cannot run as a node.
        UnknownNameError: One does not exist.
    """
    # Here, since `malmm --help` and other systems need no world.
    from malmm_ros.cooperation.transport.team import check_decentralised

    kinds = _words(values["agents"])
    check_decentralised(kinds)
    return kinds


def _names(values: Mapping[str, Value]) -> tuple[str, ...]:
    """Names of those who take part: the first ones, as many as there are kinds.

    Raises:
        ConfigurationError: There are too few, or they do not do.
    """
    kinds, names = _kinds(values), _words(values["names"])
    if len(kinds) > MOST_AGENTS:
        raise ConfigurationError(
            "argument agents", f"1 to {MOST_AGENTS} take part, got {len(kinds)}"
        )
    if len(names) < len(kinds):
        raise ConfigurationError(
            "argument names", f"{len(kinds)} agents need as many names, got {', '.join(names)}"
        )
    chosen = names[: len(kinds)]
    check_names(chosen)
    return chosen


def _agent(place: int) -> NodeEntry:
    """The node of one agent, if so many take part."""
    return NodeEntry(
        name="agent",
        within=lambda values: namespace_of(_names(values)[place]),
        module="malmm_ros.nodes.cooperation.agent",
        executable="cooperator",
        parameters={
            "kind": Make(of=lambda values: _kinds(values)[place]),
            "model": Use(argument="model"),
            "base_url": Use(argument="base_url"),
            "model_options": Use(argument="model_options"),
            "prices": Use(argument="prices"),
            "transcripts": Use(argument="transcripts"),
        },
        is_wanted=lambda values: place < len(_names(values)),
    )


COOPERATION = Bringup(
    name="cooperation",
    doc="the transport world, its agents and their messages",
    arguments=(
        Argument(
            name="agents",
            default="rhp,rhp",
            doc="what each of the 1 to 4 agents is, with commas between: rhp, coela, random",
        ),
        Argument(
            name="names",
            default=_NAMES,
            doc="what they are called, with commas between; the first ones are taken",
        ),
        Argument(
            name="episode",
            default="test/00",
            doc="what is played when nobody says another one, like test/03 or training/11",
        ),
        Argument(
            name="speed",
            default=0.0,
            doc="seconds of the world in a second; 0: as fast as the agents answer",
        ),
        Argument(
            name="most_characters",
            default=500,
            doc="longer messages between agents are cut; 0 leaves them whole",
        ),
        Argument(
            name="delay_frames",
            default=0,
            doc="how much later than at once teammates hear a message, frames of the world",
        ),
        Argument(
            name="drop",
            default=0.0,
            doc="probability that a message does not reach a teammate",
        ),
        _SIM["model"],
        _SIM["base_url"],
        _SIM["model_options"],
        _SIM["prices"],
        Argument(name="transcripts", default="runs", doc="folder of the transcripts"),
        _SIM["rviz"],
        _SIM["namespace"],
        Argument(
            name="config",
            default="",
            doc="YAML file of further parameters, see config/cooperation.yaml",
            must_exist=True,
        ),
    ),
    nodes=(
        NodeEntry(
            name="world",
            module="malmm_ros.nodes.cooperation.world",
            executable="transport_world",
            parameters={
                "agents": Make(of=_names),
                "episode": Use(argument="episode"),
                "speed": Use(argument="speed"),
                "transcripts": Use(argument="transcripts"),
            },
        ),
        NodeEntry(
            name="communication",
            module="malmm_ros.nodes.cooperation.communication",
            executable="communication",
            parameters={
                "agents": Make(of=_names),
                "most_characters": Use(argument="most_characters"),
                "delay_frames": Use(argument="delay_frames"),
                "drop": Use(argument="drop"),
            },
        ),
        *(_agent(place) for place in range(MOST_AGENTS)),
        replace(_RVIZ, parameters={}, arguments=("-d", "{share}/config/cooperation.rviz")),
    ),
)
