"""Options of vision say what they do, and are refused where nothing sees."""

from __future__ import annotations

import argparse

import pytest

from malmm_ros.cli.vision_arguments import add_vision_arguments, read_vision
from malmm_ros.errors import ConfigurationError, UnknownNameError


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_vision_arguments(parser)
    return parser.parse_args(words)


def test_cameras_segmenter_and_noise_are_read() -> None:
    arguments = parse(
        "--observations", "vision", "--cameras", "front, wrist", "--segmenter", "simulator",
        "--no-noise",
    )  # fmt: skip
    config = read_vision(arguments)
    assert config.cameras == ("front", "wrist")
    assert config.pipeline.segmenter == "simulator"
    assert config.noise is None


def test_one_noisy_camera_and_colours_are_the_default() -> None:
    config = read_vision(parse("--observations", "vision"))
    assert config.cameras == ("front",)
    assert config.pipeline.segmenter == "color"
    assert config.noise is not None


def test_each_part_takes_settings_of_its_own() -> None:
    config = read_vision(
        parse(
            "--observations", "vision", "--segmenter-options", "{detector: weights}",
            "--grasps", "m2t2", "--grasp-options", "{checkpoint: m2t2.pth}",
        )
    )  # fmt: skip
    assert config.pipeline.segmenter_options == "{detector: weights}"
    assert (config.pipeline.proposer, config.pipeline.proposer_options) == (
        "m2t2",
        "{checkpoint: m2t2.pth}",
    )


@pytest.mark.parametrize(
    "words", [("--cameras", "overhead"), ("--segmenter", "langsam"), ("--no-noise",)]
)
def test_options_of_vision_are_refused_without_it(words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match=rf"{words[0]}: .*--observations vision"):
        read_vision(parse(*words))
    read_vision(parse(*words), is_used=True)  # as an experiment says


def test_unknown_words_are_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'vision'"):
        read_vision(parse("--observations", "visoin"))
    with pytest.raises(UnknownNameError, match="grounded_sam"):
        read_vision(parse("--observations", "vision", "--segmenter", "sam"))
    with pytest.raises(ConfigurationError, match="cameras"):
        read_vision(parse("--observations", "vision", "--cameras", ","))
