"""Small round things are told from square ones; pieces of hidden things are no things."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.bench.perception_scores import kind_of
from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import ObjectEstimator
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.segmentation.color import ColorSegmenter
from malmm_ros.perception.segmentation.regions import View as RegionView
from malmm_ros.perception.segmentation.thing import Thing
from malmm_ros.perception.segmentation.walls import is_bottomless
from malmm_ros.perception.tracking import View
from malmm_ros.scene import MAX_GRIPPER_WIDTH, SceneObject
from malmm_ros.simulation.appearance import Appearance, draw_appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife

See = Callable[[str, int, Appearance], tuple[tuple[SceneObject, ...], list[Detection]]]


@pytest.fixture
def see(robot_mask: RobotMask) -> See:
    """What is there, and what one noisy image of the front camera shows of it."""

    def seen(
        task: str, seed: int, appearance: Appearance
    ) -> tuple[tuple[SceneObject, ...], list[Detection]]:
        scene = StillLife(task, seed, appearance)
        try:
            noise = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
            image = noise.apply(scene.render())
            robot = robot_mask.pixels(image, scene.arm.joint_state, MAX_GRIPPER_WIDTH)
        finally:
            scene.close()
        estimator, view = ObjectEstimator(), View(image=image, robot=robot)
        masks = ColorSegmenter().segment(image, (), ignore=robot)
        found = [estimator.estimate(view, mask) for mask in masks]
        return scene.objects, [item for item in found if item is not None]

    return seen


def misread(see: See, seed: int) -> tuple[list[SceneObject], int]:
    """Small things whose kind is not read right, and how many things there are."""
    objects, found = see("put_block", seed, Appearance(clutter=3, clutter_sizes=(0.034, 0.06)))
    places = np.array([item.pose.position for item in found])
    wrong = []
    for item in objects:
        near = found[int(np.linalg.norm(places - item.pose.position, axis=1).argmin())]
        if kind_of(near.category) != kind_of(item.category):
            wrong.append(item)
    return wrong, len(objects)


@pytest.mark.parametrize("seed", [1, 2])
def test_small_cylinders_balls_and_blocks_are_told_apart(see: See, seed: int) -> None:
    assert not misread(see, seed)[0]


@pytest.mark.slow
def test_few_small_things_of_many_are_misread(see: See) -> None:
    counted = [misread(see, seed) for seed in range(3, 43)]
    wrong = [item for items, _ in counted for item in items]
    # The bound for well separable colours, though sizes at the limit of the pixels are here.
    assert len(wrong) <= 0.02 * sum(count for _, count in counted), wrong


# The board hides half of the hoop there.
@pytest.mark.parametrize("seed", [500_000, 500_045, 500_054])
def test_a_piece_of_a_hoop_behind_its_board_is_no_thing(see: See, seed: int) -> None:
    look = draw_appearance("held_out", np.random.default_rng(seed))
    objects, found = see("basketball_in_hoop", seed, replace(look, clutter=0))
    kinds = {item.category for item in objects}
    assert {item.category for item in found} <= kinds


def ring_of(inside: float, *, radius: int = 40, width: int = 8) -> tuple[RegionView, Thing]:
    """A rim from straight above, and what is as high inside of it."""
    rows, columns = np.mgrid[0:100, 0:100]
    distance = np.hypot(rows - 50, columns - 50)
    rim = (distance < radius) & (distance >= radius - width)
    heights = np.where(rim, 0.2, np.where(distance < radius, inside, 0.0)).astype(np.float32)
    families = np.where(rim | ((distance < radius) & (inside > 0.0)), 2, 0).astype(np.uint8)
    depth = (1.0 - heights).astype(np.float32)
    lens = Pinhole(width_px=100, height_px=100, fx=100.0, fy=100.0, cx=49.5, cy=49.5)
    rgb, down = np.zeros((100, 100, 3), np.uint8), Pose((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    image = RgbdImage(rgb=rgb, depth=depth, camera=lens, world_from_camera=down)
    blank = np.zeros((100, 100), bool)
    seen = RegionView(
        image=image,
        table_z=0.0,
        heights=heights,
        smooth=heights,
        families=families,
        saturations=families,
        is_inside=~blank,
        is_edge=blank,
    )
    window = (slice(0, 100), slice(0, 100))
    return seen, Thing(window=window, pixels=rim, family=2, is_flat=False)


@pytest.mark.parametrize(("inside", "is_hoop"), [(0.0, True), (0.004, False), (0.05, False)])
def test_the_table_is_seen_through_a_hoop_and_not_through_a_bin(
    inside: float, is_hoop: bool
) -> None:
    assert is_bottomless(*ring_of(inside)) == is_hoop
