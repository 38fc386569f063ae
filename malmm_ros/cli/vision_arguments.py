"""The options that say with which eyes a simulated robot sees."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from malmm_ros.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from malmm_ros.robots.vision import VisionConfig

_OBSERVATIONS = ("state", "vision")
_ONLY_VISION = {
    "cameras": "front",
    "segmenter": "color",
    "segmenter_options": "",
    "grasps": "antipodal",
    "grasp_options": "",
    "noise": True,
}


def add_vision_arguments(parser: argparse.ArgumentParser) -> None:
    """Where scenes come from, and what cameras are like."""
    parser.add_argument(
        "--observations", default="state", help="where scenes come from: state, or vision"
    )
    parser.add_argument(
        "--cameras",
        default=_ONLY_VISION["cameras"],
        help="of vision, with commas between: front,overhead,wrist",
    )
    parser.add_argument(
        "--segmenter", default=_ONLY_VISION["segmenter"], help="what finds things in images"
    )
    parser.add_argument(
        "--segmenter-options",
        default=_ONLY_VISION["segmenter_options"],
        help="its own settings, a YAML mapping: {detector: FOLDER}",
    )
    parser.add_argument(
        "--grasps", default=_ONLY_VISION["grasps"], help="what proposes grasps, with vision"
    )
    parser.add_argument(
        "--grasp-options",
        default=_ONLY_VISION["grasp_options"],
        help="its own settings, a YAML mapping: {checkpoint: FILE}",
    )
    parser.add_argument(
        "--noise",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="cameras as noisy as real ones, with vision",
    )


def read_vision(arguments: argparse.Namespace, *, is_used: bool | None = None) -> VisionConfig:
    """The eyes that the options describe.

    Args:
        arguments: Of a parser with :func:`add_vision_arguments`.
        is_used: Whether anything sees with them; as ``--observations`` says when ``None``.

    Raises:
        UnknownNameError: No such kind of observations.
        ConfigurationError: Options of vision without vision.
    """
    from malmm_ros.perception.pipeline import PipelineConfig
    from malmm_ros.robots.vision import VisionConfig
    from malmm_ros.simulation.sensor_noise import SensorNoiseConfig

    if arguments.observations not in _OBSERVATIONS:
        raise UnknownNameError("--observations", arguments.observations, _OBSERVATIONS)
    if is_used is None:
        is_used = arguments.observations == "vision"
    for name, default in _ONLY_VISION.items():
        if not is_used and getattr(arguments, name) != default:
            option = "--no-noise" if name == "noise" else f"--{name.replace('_', '-')}"
            raise ConfigurationError(option, "has an effect only with --observations vision")
    return VisionConfig(
        cameras=tuple(filter(None, (name.strip() for name in arguments.cameras.split(",")))),
        noise=SensorNoiseConfig() if arguments.noise else None,
        pipeline=PipelineConfig(
            segmenter=arguments.segmenter,
            segmenter_options=arguments.segmenter_options,
            proposer=arguments.grasps,
            proposer_options=arguments.grasp_options,
        ),
    )
