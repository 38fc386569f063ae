"""The options that say which language models think, and what they read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from malmm_ros.agents import ModelConfig


def add_endpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """Which model, where, how it is asked and what it costs."""
    parser.add_argument("--model", default="offline", help="the language model's name")
    parser.add_argument("--base-url", default="", help="of an OpenAI-compatible endpoint")
    parser.add_argument(
        "--model-options",
        default="",
        help="its own settings, a YAML mapping: {temperature: 1, max_tokens: 4000, "
        "timeout_s: 900, retries: 4, has_json_mode: true}; docs/models.md lists all",
    )
    parser.add_argument(
        "--prices", default="", help="YAML table of what models' tokens cost, beside our own"
    )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Which models a team of roles has, and what its agents read."""
    add_endpoint_arguments(parser)
    parser.add_argument(
        "--role-model",
        action="append",
        default=[],
        metavar="ROLE=MODEL[@URL]",
        help="another model for one role, e.g. coder=small-model; may be repeated",
    )
    parser.add_argument(
        "--history",
        choices=("role", "shared"),
        default="role",
        help="what Planner and Coder read of it: what concerns them, or everything",
    )


def read_model(arguments: argparse.Namespace) -> ModelConfig:
    """The model of all roles that have none of their own.

    Raises:
        ConfigurationError: The table of prices cannot be read, or another setting is wrong.
    """
    from malmm_ros.agents import ModelConfig

    model = ModelConfig(
        name=arguments.model, base_url=arguments.base_url, prices=arguments.prices
    ).with_options(arguments.model_options, where="--model-options")
    model.price()  # a table that cannot be read is said now
    return model
