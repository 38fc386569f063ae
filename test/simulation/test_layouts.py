"""Every sampled world can be worked in."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import top_down
from malmm_ros.models import BASE_POSE
from malmm_ros.scene import TABLE_TOP_Z, Scene, Workspace
from malmm_ros.simulation import MujocoWorld, list_tasks
from malmm_ros.simulation.layout import Footprint, Layout, WorkPoint
from malmm_ros.simulation.reach import reach_of

SEEDS = range(20)


def scenes(task: str) -> list[Scene]:
    world = MujocoWorld()
    result = []
    for seed in SEEDS:
        world.reset(task, seed)
        result.append(world.ground_truth())
    return result


def deepest_overlap(world: MujocoWorld) -> float:
    """Between any two bodies, metres; marks that are only seen do not count."""
    world.ground_truth()  # brings the contacts up to date
    return max(0.0, -float(world.physics.data.contact.dist.min(initial=0.0)))


@pytest.fixture(scope="module", params=list_tasks())
def sampled(request: pytest.FixtureRequest) -> list[Scene]:
    return scenes(request.param)


def test_objects_stand_inside_the_workspace(sampled: list[Scene]) -> None:
    for scene in sampled:
        for item in scene.objects:
            if not item.is_fixed:
                assert all(Workspace().contains(corner, margin=-1e-6) for corner in item.corners())


@pytest.mark.parametrize("task", list_tasks())
def test_nothing_overlaps_and_nothing_moves_by_itself(task: str) -> None:
    world = MujocoWorld()
    for seed in SEEDS:
        world.reset(task, seed)
        before = world.ground_truth()
        assert deepest_overlap(world) < 5e-4
        assert world.settle()
        for item in before.objects:
            moved = np.subtract(world.pose(item.name).position, item.pose.position)
            assert np.linalg.norm(moved) < 2e-3, (seed, item.name)


@pytest.mark.parametrize("task", list_tasks())
def test_nothing_is_done_at_the_start(task: str) -> None:
    world = MujocoWorld()
    for seed in SEEDS:
        world.reset(task, seed)
        world.settle()
        is_success, message = world.success()
        assert not is_success, message


def test_everything_is_reached_from_above(sampled: list[Scene]) -> None:
    reach = reach_of()
    for scene in sampled:
        for item in scene.objects:
            if item.is_fixed:
                continue
            x, y, z = item.pose.position
            if item.grasp is not None:
                z = item.grasp.position[2]
            for height in (0.0, 0.12):
                yaws = [item.yaw + turn for turn in np.arange(0.0, 2.0 * math.pi, math.pi / 4)]
                poses = [top_down((x, y, z + height), yaw) for yaw in yaws]
                assert any(reach.solve(pose) is not None for pose in poses), item.name


@pytest.mark.parametrize(("task", "height"), [("stack_blocks", 0.25), ("put_block", 0.12)])
def test_areas_are_reached_over_what_is_put_on_them(task: str, height: float) -> None:
    reach = reach_of()
    for scene in scenes(task):
        area = scene.find("green target area")
        assert area is not None
        x, y, z = area.pose.position
        assert any(
            reach.solve(top_down((x, y, z + height), area.yaw + turn)) is not None
            for turn in (0.0, math.pi / 2, math.pi, -math.pi / 2)
        )


def test_everything_is_in_the_front_cameras_image(sampled: list[Scene]) -> None:
    world = MujocoWorld()
    world.reset("put_block", 0)
    image = world.render("front")
    world.close()
    for scene in sampled:
        for item in scene.objects:
            for part in item.parts:
                box = replace(item, pose=item.pose @ part.pose, size=part.size)
                corners = image.world_from_camera.inverse().apply(box.corners())
                pixels = image.camera.project(corners)
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


@pytest.mark.parametrize("task", ["put_block", "stack_blocks"])
def test_blocks_stand_on_the_table(task: str) -> None:
    world = MujocoWorld()
    world.reset(task, 1)
    for item in world.ground_truth().objects:
        assert item.bottom_z == pytest.approx(TABLE_TOP_Z, abs=1e-6)


def test_a_group_keeps_its_frame_and_its_distance() -> None:
    layout = Layout(np.random.default_rng(2), reach_of())
    footprint = Footprint(center=(0.1, 0.0), size=(0.3, 0.1))
    points = [WorkPoint(position=(0.2, 0.0, 0.1))]
    frame = layout.place_group([footprint], points, clearance=0.15, yaws=(-0.3, 0.3))
    assert abs(frame.yaw) <= 0.3
    for _ in range(5):
        x, y, _ = (frame.inverse() @ layout.place((0.02, 0.02, 0.02), clearance=0.02)).position
        outside = max(abs(x - 0.1) - 0.15, 0.0), max(abs(y) - 0.05, 0.0)
        # The footprint is covered by points 5 cm apart.
        assert math.hypot(*outside) > 0.15 - 0.01


def test_a_group_that_does_not_fit_is_said_not_to_fit() -> None:
    layout = Layout(np.random.default_rng(0), reach_of())
    with pytest.raises(SimulationError, match="no place found on the table for a group"):
        layout.place_group([Footprint(size=(1.2, 0.1))], [], clearance=0.0)
