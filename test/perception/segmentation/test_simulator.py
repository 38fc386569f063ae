"""Masks from the simulator's labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.segmentation.simulator import (
    SimulatorSegmenter,
    SimulatorSegmenterConfig,
)

Look = Callable[[str, int], Any]


def test_every_thing_and_nothing_of_the_robot_has_a_mask(look: Look) -> None:
    masks = SimulatorSegmenter().segment(look("close_jar", 3).true, ["lid", "red jar"])
    assert sorted((mask.category, mask.phrase) for mask in masks) == [
        ("jar", ""),
        ("jar", ""),
        ("lid", "lid"),
    ]


def test_an_image_without_labels_is_refused(look: Look) -> None:
    image = replace(look("close_jar", 3).true, labels=None)
    with pytest.raises(PerceptionError, match="no labels"):
        SimulatorSegmenter().segment(image, ())


def test_a_threshold_below_one_pixel_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="least_pixels"):
        SimulatorSegmenterConfig(least_pixels=0)
