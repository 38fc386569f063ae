"""Every sampled world can be worked in."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import top_down
from malmm_ros.models import BASE_POSE
from malmm_ros.scene import TABLE_TOP_Z, Scene, SceneObject, Workspace
from malmm_ros.simulation import MujocoWorld, list_tasks
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.reach import reach_of

SEEDS = range(20)


def scenes(task: str) -> list[Scene]:
    world = MujocoWorld()
    result = []
    for seed in SEEDS:
        world.reset(task, seed)
        result.append(world.ground_truth())
    return result


def distance(first: SceneObject, second: SceneObject) -> float:
    return math.dist(first.pose.position[:2], second.pose.position[:2])


@pytest.fixture(scope="module", params=list_tasks())
def sampled(request: pytest.FixtureRequest) -> list[Scene]:
    return scenes(request.param)


def test_objects_stand_apart_inside_the_workspace(sampled: list[Scene]) -> None:
    for scene in sampled:
        for item in scene.objects:
            assert all(
                Workspace().contains(corner, margin=-1e-6)
                for corner in item.corners()
                if not item.is_fixed
            )
        for first, second in itertools.combinations(scene.objects, 2):
            assert distance(first, second) >= 0.1


def test_everything_is_reached_from_above(sampled: list[Scene]) -> None:
    reach = reach_of()
    for scene in sampled:
        for item in scene.objects:
            # Areas must be reached over a tower of four, blocks at their middle and lifted.
            heights = (0.03, 0.25) if item.is_fixed else (0.0, 0.12)
            x, y, z = item.pose.position
            assert all(
                any(
                    reach.solve(top_down((x, y, z + height), item.yaw + turn)) is not None
                    for turn in (0.0, math.pi / 2, math.pi, -math.pi / 2)
                )
                for height in heights
                if height < 0.2 or len(scene.objects) > 2
            ), item.name


def test_everything_is_in_the_front_cameras_image(sampled: list[Scene]) -> None:
    world = MujocoWorld()
    world.reset("put_block", 0)
    image = world.render("front")
    world.close()
    for scene in sampled:
        for item in scene.objects:
            pixels = image.camera.project(image.world_from_camera.inverse().apply(item.corners()))
            assert pixels.min() >= 0.0
            assert (pixels < (image.camera.width_px, image.camera.height_px)).all()


def test_the_inverse_kinematics_are_exact() -> None:
    reach = reach_of()
    joints = reach.solve(top_down((0.3, 0.2, 0.9), 0.7))
    assert joints is not None
    world = MujocoWorld()
    world.reset("put_block", 0)
    world.physics.data.qpos[:7] = joints
    tcp = world.ground_truth().gripper.tcp
    assert tcp.position == pytest.approx((0.3, 0.2, 0.9), abs=1e-3)
    assert tcp.yaw == pytest.approx(0.7, abs=0.01)


@pytest.mark.parametrize("x", [0.7, BASE_POSE.position[0] + 0.1])
def test_too_far_and_too_near_is_not_reachable(x: float) -> None:
    assert not reach_of().is_reachable((x, 0.0, 0.8), 0.0)


def test_a_table_that_is_full_is_said_to_be_full() -> None:
    layout = Layout(np.random.default_rng(0), reach_of())
    size = (0.05, 0.05, 0.05)
    layout.place(size, clearance=0.1)
    with pytest.raises(SimulationError, match="no free place found"):
        layout.place(size, clearance=1.5)


def test_blocks_stand_on_the_table() -> None:
    world = MujocoWorld()
    for task in list_tasks():
        world.reset(task, 1)
        for item in world.ground_truth().objects:
            assert item.bottom_z == pytest.approx(TABLE_TOP_Z, abs=1e-6)
