"""The options that say which simulator makes the world."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from malmm_ros.simulation import CoppeliasimConfig


def add_world_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--world`` and where CoppeliaSim is."""
    parser.add_argument(
        "--world", default="mujoco", help="the simulator: mujoco, or a running coppeliasim"
    )
    parser.add_argument("--coppeliasim-host", default="localhost", help="where it runs")
    parser.add_argument(
        "--coppeliasim-port", type=int, default=23000, help="of its ZMQ remote API server"
    )
    parser.add_argument(
        "--coppeliasim-scenes",
        default="",
        metavar="FOLDER",
        help="descriptions of its scenes, TASK.yaml; empty: ours, for scenes of RLBench",
    )


def read_coppeliasim(arguments: argparse.Namespace) -> CoppeliasimConfig:
    """Where CoppeliaSim is.

    Raises:
        ConfigurationError: A value is out of range.
    """
    from malmm_ros.simulation import CoppeliasimConfig

    return CoppeliasimConfig(
        host=arguments.coppeliasim_host,
        port=arguments.coppeliasim_port,
        scenes=arguments.coppeliasim_scenes,
    )
