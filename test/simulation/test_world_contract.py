"""What every world keeps to, whoever simulates it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import WORLD
from malmm_ros.simulation import WORLDS, CoppeliasimConfig, World, make_world
from malmm_ros.trajectory import Trajectory


@pytest.fixture(params=WORLDS)
def world(request: Any, tmp_path: Path) -> Iterator[World]:
    if request.param != "coppeliasim":
        made = make_world(request.param)
        yield made
        made.close()
        return
    pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")
    from coppeliasim_scenes import write_description
    from coppeliasim_server import CoppeliasimServer

    write_description(tmp_path, "put_block", 3)
    with CoppeliasimServer("put_block", 3) as server:
        config = CoppeliasimConfig(port=server.port, scenes=str(tmp_path), timeout_s=30.0)
        made = make_world(request.param, coppeliasim=config)
        yield made
        made.close()


def test_an_empty_world_says_that_it_is_empty(world: World) -> None:
    assert world.generation == 0
    assert world.robot_names == ()
    with pytest.raises((SimulationError, UnknownNameError)):
        world.arm()


def test_a_reset_makes_another_world_with_a_clock_at_its_start(world: World) -> None:
    world.reset("put_block", 3)
    first = world.generation
    world.step(5)
    assert world.time_s == pytest.approx(5 * world.time_step_s)
    world.reset("put_block", 3)
    assert world.generation > first
    assert world.time_s == 0.0
    with pytest.raises(UnknownNameError, match="put_block"):
        world.reset("put_blok", 3)
    assert world.robot_names == ("panda",)  # a wrong name leaves the present world


def test_the_arm_and_the_objects_are_told_of(world: World) -> None:
    world.reset("put_block", 3)
    arm, scene = world.arm(), world.ground_truth()
    assert world.joint_state().names == arm.joint_names
    assert len(arm.joint_names) == 7
    assert len(arm.finger_state.names) == 2
    assert world.gripper_width() == pytest.approx(scene.gripper.width, abs=1e-6)
    assert {item.category for item in scene.objects} == {"block", "target area"}
    assert world.instruction
    assert world.success()[0] is False
    with pytest.raises(UnknownNameError, match="panda"):
        world.arm("pnda")


def test_it_settles_and_the_controllers_move_arm_and_fingers(world: World) -> None:
    world.reset("put_block", 3)
    assert world.settle()
    arm, state = world.arm(), world.joint_state()
    goal = state.positions + 0.05
    arm.controller.start(
        Trajectory(
            names=state.names,
            times=np.array([0.0, 1.0]),
            positions=np.stack((state.positions, goal)),
            velocities=np.zeros((2, 7)),
        )
    )
    arm.gripper.command(0.02)
    assert arm.is_active
    assert world.step_until(lambda: not arm.is_active, 5.0)
    assert world.joint_state().positions == pytest.approx(goal, abs=0.005)
    assert world.gripper_width() == pytest.approx(0.02, abs=0.003)
    assert not world.step_until(lambda: False, 0.1)


def test_cameras_have_a_place_and_images(world: World) -> None:
    world.reset("put_block", 3)
    assert {"front", "wrist"} <= set(world.camera_names)
    assert world.camera_mount("front").parent == WORLD
    assert world.camera_mount("wrist").parent == "panda_hand"
    image = world.render("front")
    assert image.world_from_camera.position == pytest.approx((1.35, 0.0, 1.58), abs=1e-3)
    assert 1.0 < float(np.median(image.depth[image.depth > 0.0])) < 3.0
    with pytest.raises(UnknownNameError, match="front"):
        world.camera_mount("frnt")


def test_it_can_be_let_go_twice_and_used_again(world: World) -> None:
    world.reset("put_block", 3)
    world.close()
    world.close()
    world.reset("put_block", 3)
    assert world.ground_truth().objects
