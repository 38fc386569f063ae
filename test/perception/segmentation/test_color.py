"""The embedded segmenter finds and names what is on the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from malmm_ros.bench.perception_scores import judge
from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.perception.estimation import ObjectEstimator
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.segmentation.color import ColorSegmenter
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.tasks import list_tasks

Look = Callable[[str, int], Any]


@pytest.mark.parametrize("task", list_tasks())
def test_everything_in_a_task_is_found_and_named(look: Look, task: str) -> None:
    sight = look(task, 3)
    estimator = ObjectEstimator()
    view = SimpleNamespace(image=sight.image, robot=sight.robot)
    masks = ColorSegmenter().segment(sight.image, (), ignore=sight.robot)
    found = [estimator.estimate(view, mask) for mask in masks]
    judgements = judge(
        sight.objects, [item for item in found if item is not None], sight.true, hidden=sight.robot
    )
    assert len(judgements) >= 2
    assert [item for item in judgements if item.verdict != "right"] == []
    assert max(item.error_m for item in judgements) < 0.02


def test_masks_cover_their_things_and_nothing_else(look: Look) -> None:
    sight = look("stack_blocks", 3)
    for mask in ColorSegmenter().segment(sight.image, (), ignore=sight.robot):
        labels = sight.true.labels[mask.pixels]
        index = np.bincount(labels[labels >= 0]).argmax()
        both = (sight.true.labels == index) & mask.pixels
        either = (sight.true.labels == index) | mask.pixels
        assert both.sum() / either.sum() > 0.8, (mask.color, mask.category)


def test_asked_things_get_their_phrase_and_the_others_none(look: Look) -> None:
    sight = look("stack_blocks", 3)
    masks = ColorSegmenter().segment(sight.image, ["azure block"], ignore=sight.robot)
    by_phrase = {mask.phrase: 0 for mask in masks}
    for mask in masks:
        by_phrase[mask.phrase] += 1
        assert (mask.phrase == "azure block") == (mask.color == "azure")
    assert by_phrase == {"azure block": 4, "": 5}


def test_ignored_pixels_belong_to_nothing(look: Look) -> None:
    sight = look("put_block", 3)
    everything = np.ones(sight.image.depth.shape, bool)
    assert ColorSegmenter().segment(sight.image, (), ignore=everything) == []


def test_an_image_without_depth_is_refused(look: Look) -> None:
    sight = look("put_block", 3)
    blind = replace(sight.image, depth=np.zeros_like(sight.image.depth))
    with pytest.raises(PerceptionError, match="no depth"):
        ColorSegmenter().segment(blind, ())


def test_a_robot_mask_of_another_size_is_refused(look: Look) -> None:
    with pytest.raises(PerceptionError, match="differ in size"):
        ColorSegmenter().segment(look("put_block", 3).image, (), ignore=np.ones((2, 2), bool))


@pytest.mark.parametrize("colors", [("red", "red", "red"), ("red", "blue", "red")])
def test_a_tower_is_seen_block_by_block(robot_mask: RobotMask, colors: tuple[str, ...]) -> None:
    world = MujocoWorld()
    world.reset("stack_blocks", 2, options={"color": "red", "other_color": "blue"})
    free = list(world.ground_truth().objects)
    for level, color in enumerate(colors):
        block = next(item for item in free if item.color == color)
        free.remove(block)
        place = (0.3 + 0.003 * level, -0.05, TABLE_TOP_Z + 0.025 + 0.05 * level)
        world.physics.place(block.name, Pose.from_yaw(place, 0.1 * level))
    sensor = SensorNoise(SensorNoiseConfig(), np.random.default_rng(0))
    image = sensor.apply(world.render())
    robot = robot_mask.pixels(image, world.joint_state(), MAX_GRIPPER_WIDTH)
    world.close()
    estimator = ObjectEstimator()
    view = SimpleNamespace(image=image, robot=robot)
    found = [
        estimator.estimate(view, mask)
        for mask in ColorSegmenter().segment(image, (), ignore=robot)
        if mask.category == "block"
    ]
    tower = sorted(
        (item.pose.position[2], item.color)
        for item in found
        if item is not None and math.dist(item.pose.position[:2], (0.303, -0.05)) < 0.02
    )
    assert [color for _, color in tower] == list(colors)
    assert [z - TABLE_TOP_Z for z, _ in tower] == pytest.approx([0.025, 0.075, 0.125], abs=0.006)
