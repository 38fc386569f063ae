from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.perception.segmentation import Mask
from malmm_ros.perception.segmentation.propagation import PropagationConfig, propagate
from malmm_ros.simulation import MujocoWorld


@pytest.fixture(scope="module")
def world() -> Iterator[MujocoWorld]:
    world = MujocoWorld()
    world.reset("put_block", 3)
    world.settle()
    yield world
    world.close()


def true_mask(image: RgbdImage, name: str) -> np.ndarray:
    assert image.labels is not None
    return image.labels == image.label_names.index(name)


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    return float((first & second).sum() / (first | second).sum())


def test_masks_follow_a_still_thing_and_one_that_moved_a_little(world: MujocoWorld) -> None:
    block = world.ground_truth().objects
    name = next(item.name for item in block if item.category == "block")
    before = world.render("front", with_labels=True)
    masks = [Mask(pixels=true_mask(before, name), phrase="block", score=0.7)]
    (still,) = propagate(masks, before, before) or []
    assert overlap(still.pixels, masks[0].pixels) > 0.9
    assert (still.phrase, still.score) == ("block", 0.7)
    x, y, z = world.pose(name).position
    world.physics.place(name, Pose((x + 0.01, y + 0.015, z), world.pose(name).orientation))
    world.settle()
    after = world.render("front", with_labels=True)
    (moved,) = propagate(masks, before, after) or []
    assert overlap(moved.pixels, true_mask(after, name)) > 0.9
    world.physics.place(name, Pose((x, y, z), world.pose(name).orientation))
    world.settle()


def test_a_thing_that_is_gone_is_lost(world: MujocoWorld) -> None:
    name = next(i.name for i in world.ground_truth().objects if i.category == "block")
    before = world.render("front", with_labels=True)
    masks = [Mask(pixels=true_mask(before, name))]
    empty = replace(before, rgb=np.zeros_like(before.rgb), depth=np.full_like(before.depth, 1.0))
    assert propagate(masks, before, empty) is None


def test_a_moved_camera_carries_nothing(world: MujocoWorld) -> None:
    before = world.render("front", with_labels=True)
    masks = [Mask(pixels=before.depth > 0.0)]
    x, y, z = before.world_from_camera.position
    pushed = Pose((x, y, z + 0.01), before.world_from_camera.orientation)
    assert propagate(masks, before, replace(before, world_from_camera=pushed)) is None


def test_an_empty_mask_is_lost(world: MujocoWorld) -> None:
    image = world.render("front")
    assert propagate([Mask(pixels=np.zeros(image.depth.shape, bool))], image, image) is None


def test_shares_that_say_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="smallest_share"):
        PropagationConfig(smallest_share=1.2)
