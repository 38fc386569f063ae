"""The options of agents that ask a language model: its endpoint, and what is switched off."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, cast

from malmm_ros.cli.model_arguments import add_endpoint_arguments, read_model

if TYPE_CHECKING:
    from malmm_ros.cooperation.coela.configuration import CoelaConfig, Switch

# As malmm_ros.cooperation.coela.configuration has them, which is not imported for a help text.
_SWITCHES = (
    "perception, memory, communication, planning, execution (the modules); relevance, "
    "plan_check, replanning (beyond the reference)"
)


def add_coela_arguments(parser: argparse.ArgumentParser) -> None:
    """The model of ``coela`` agents, their switches, and where their transcripts go."""
    add_endpoint_arguments(parser)
    parser.add_argument(
        "--without",
        default="",
        help=f"what coela agents do without, with commas between: {_SWITCHES}",
    )
    parser.add_argument(
        "--last-actions", type=int, default=10, help="of its own that coela reads (the paper's K)"
    )
    parser.add_argument(
        "--last-messages", type=int, default=3, help="messages that coela reads (the paper's D)"
    )
    parser.add_argument(
        "--inject",
        type=float,
        default=0.0,
        metavar="P",
        help="spoil coela's choices: probability for each decision",
    )
    parser.add_argument(
        "--transcripts", type=Path, help="folder for the transcripts of episodes with coela"
    )


def read_coela(arguments: argparse.Namespace) -> CoelaConfig:
    """The settings of all ``coela`` agents.

    Raises:
        ConfigurationError: One is wrong.
    """
    from malmm_ros.cooperation.coela.configuration import CoelaConfig

    return CoelaConfig(
        without=cast("tuple[Switch, ...]", words(arguments.without)),
        actions=arguments.last_actions,
        dialogues=arguments.last_messages,
        model=read_model(arguments),
        inject=arguments.inject,
    )


def words(text: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(filter(None, (word.strip() for word in text.split(","))))
