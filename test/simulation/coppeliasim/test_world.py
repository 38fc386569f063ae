"""CoppeliaSim as a world: the real client against a stand-in for the simulator."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coppeliasim_server import CoppeliasimServer

from malmm_ros.agents import Budget, ModelConfig, build_team
from malmm_ros.errors import (
    ConfigurationError,
    MissingDependencyError,
    SimulationError,
    UnknownNameError,
)
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import WORLDS, CoppeliasimConfig, RobotPlacement, make_world
from malmm_ros.simulation.coppeliasim.session import Session
from malmm_ros.simulation.coppeliasim.world import CoppeliasimWorld
from malmm_ros.simulation.rendering import CameraRenderer
from malmm_ros.trajectory import Trajectory

Open = Callable[..., tuple[CoppeliasimServer, CoppeliasimWorld]]


def _away(world: CoppeliasimWorld, offset: float, *, duration_s: float = 1.5) -> Trajectory:
    """From where the arm is, every joint by the same angle."""
    state = world.joint_state()
    times = np.linspace(0.0, duration_s, 40)
    s = times / duration_s
    share = (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))[:, None]
    rate = (30.0 * s**2 * (1.0 - s) ** 2 / duration_s)[:, None]
    return Trajectory(
        names=state.names,
        times=times,
        positions=state.positions + share * offset,
        velocities=rate * np.full(7, offset),
    )


def _run(world: CoppeliasimWorld) -> Any:
    team = build_team("malmm", ModelConfig())
    return team.run(world.instruction, simulated_robot(world), budget=Budget())


def test_a_reset_world_tells_what_lies_there_as_the_simulator_has_it(open_scene: Open) -> None:
    server, world = open_scene()
    world.reset("put_block", 0)
    scene = world.ground_truth()
    truth = server.world.ground_truth()
    assert scene.names == truth.names
    for mine, theirs in zip(scene.objects, truth.objects, strict=True):
        assert mine.pose.position == pytest.approx(theirs.pose.position, abs=1e-4)
        assert mine.size == pytest.approx(theirs.size)
        assert (mine.color, mine.category) == (theirs.color, theirs.category)
    assert scene.gripper.is_open
    assert math.dist(scene.gripper.tcp.position, truth.gripper.tcp.position) < 1e-4
    assert world.time_step_s == 0.02
    assert server.refusals == []


def test_a_trajectory_is_tracked_to_its_end(open_scene: Open) -> None:
    _, world = open_scene()
    world.reset("put_block", 0)
    goal = world.joint_state().positions + 0.2
    controller = world.arm().controller
    controller.start(_away(world, 0.2))
    largest = 0.0
    while controller.is_active:
        world.step()
        largest = max(largest, float(np.abs(controller.status.error).max()))
    assert controller.status.state == "succeeded", controller.status.message
    assert world.joint_state().positions == pytest.approx(goal, abs=0.004)
    assert largest < 0.03


def test_a_cancelled_motion_brakes_and_holds(open_scene: Open) -> None:
    _, world = open_scene()
    world.reset("put_block", 0)
    start = world.joint_state().positions
    controller = world.arm().controller
    controller.start(_away(world, 0.4))
    world.step(30)
    controller.cancel()
    assert world.step_until(lambda: not controller.is_active, 1.0)
    assert controller.status.state == "cancelled"
    stood = world.joint_state().positions
    world.step(20)
    assert world.joint_state().positions == pytest.approx(stood, abs=2e-3)
    assert np.abs(stood - start).max() < 0.35


def test_a_task_succeeds_by_the_scenes_conditions_and_by_physics(open_scene: Open) -> None:
    server, world = open_scene("put_block")
    world.reset("put_block", 0)
    assert not world.success()[0]
    result = _run(world)
    assert result.is_success, result.message
    world.settle()
    assert world.success()[0], world.success()[1]
    assert server.world.success()[0]
    assert server.refusals == []


@pytest.mark.slow
@pytest.mark.parametrize("step_s", [0.02, 0.05])
@pytest.mark.parametrize(
    ("task", "options"),
    [("stack_blocks", {"count": 2}), ("close_jar", {}), ("put_rubbish_in_bin", {})],
)
def test_further_tasks_succeed_at_two_time_steps(
    open_scene: Open, task: str, options: dict[str, Any], step_s: float
) -> None:
    server, world = open_scene(task, options=options, step_s=step_s)
    world.reset(task, 0)
    result = _run(world)
    assert result.is_success, result.message
    world.settle()
    assert world.success()[0], world.success()[1]
    assert server.world.success()[0]


def test_images_stand_upright_and_come_with_their_place(open_scene: Open) -> None:
    server, world = open_scene()
    world.reset("put_block", 0)
    # The server's own renderer belongs to its thread.
    renderer = CameraRenderer(server.world.physics.model, width_px=160, height_px=120)
    for camera in ("front", "wrist"):
        image = world.render(camera)
        truth = renderer.render(camera, server.world.snapshot())
        assert np.array_equal(image.rgb, truth.rgb)
        assert image.depth == pytest.approx(truth.depth, abs=1e-5)
        assert image.camera.fx == pytest.approx(truth.camera.fx)
        assert image.camera.cy == pytest.approx(truth.camera.cy)
        assert image.world_from_camera.matrix() == pytest.approx(
            truth.world_from_camera.matrix(), abs=1e-4
        )
        mount, theirs = world.camera_mount(camera), server.world.camera_mount(camera)
        assert mount.parent == theirs.parent
        assert mount.pose.matrix() == pytest.approx(theirs.pose.matrix(), abs=1e-4)
    renderer.close()
    assert "handleVisionSensor" in server.calls  # the front one is left to us
    with pytest.raises(UnknownNameError, match="front"):
        world.render("fornt")
    with pytest.raises(SimulationError, match="color"):
        world.render("front", with_labels=True)


def test_a_sensor_of_the_scene_can_be_the_judge(open_scene: Open) -> None:
    server, world = open_scene("put_rubbish_in_bin")
    world.reset("put_rubbish_in_bin", 0)
    is_success, text = world.success()
    assert not is_success
    assert "/success" in text
    bin_pose = server.world.pose("bin")
    server.world.physics.place("rubbish", bin_pose)
    world.settle()
    assert world.success()[0]


def test_colours_are_painted_and_layouts_drawn_as_the_seed_says(open_scene: Open) -> None:
    options = {"color": "drawn color"}
    server, world = open_scene(
        changes={
            "layout": "sampled",
            "options": options,
            "objects": [
                {
                    "path": "/green_target_area",
                    "name": "green target area",
                    "category": "target area",
                    "color": "green",
                    "is_fixed": True,
                },
                {
                    "path": "/violet_block",
                    "name": "{color} block",
                    "category": "block",
                    "color": "{color}",
                    "yaw_symmetry": 4,
                    "is_painted": True,
                },
            ],
            "instructions": ["put the {color} block in the target area"],
            "success": [
                {
                    "kind": "within",
                    "objects": ["{color} block"],
                    "of": "green target area",
                    "half": [0.05, 0.05, 0.05],
                }
            ],
        }
    )
    places = {}
    for seed in (1, 2, 1):
        world.reset("put_block", seed)
        block = world.ground_truth().objects[1]
        assert world.instruction == f"put the {block.color} block in the target area"
        assert places.setdefault(seed, (block.color, block.pose)) == (block.color, block.pose)
    assert places[1] != places[2]
    world.reset("put_block", 0, options={"color": "red"})
    model = server.world.physics.model
    geom = int(model.body("violet block").geomadr[0])
    assert model.geom_rgba[geom][:3] == pytest.approx([1.0, 0.0, 0.0])
    assert world.ground_truth().names == ("green target area", "red block")
    with pytest.raises(UnknownNameError, match="Did you mean 'color'"):
        world.reset("put_block", 0, options={"colour": "red"})


def test_a_scene_that_lacks_things_is_refused_with_what_it_lacks_and_has(open_scene: Open) -> None:
    _, world = open_scene(absent=("/violet_block", "/Panda_joint4"))
    with pytest.raises(SimulationError, match="lacks /Panda_joint4, /violet_block") as caught:
        world.reset("put_block", 0)
    assert "/green_target_area" in str(caught.value)
    assert "Did you mean '/Panda_joint" in str(caught.value)
    assert world.robot_names == ()
    with pytest.raises(SimulationError, match="reset it to a task first"):
        world.joint_state()


def test_boxes_without_a_pose_are_taken_too(
    open_scene: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, world = open_scene()
    monkeypatch.setattr(server, "_getShapeBB", lambda _handle: [0.05, 0.06, 0.07])
    world.reset("put_block", 0)
    assert world.ground_truth().objects[0].size == pytest.approx((0.05, 0.06, 0.07))


def test_a_camera_that_the_scene_lacks_is_not_offered(open_scene: Open) -> None:
    _, world = open_scene(absent=("/cam_overhead",))
    world.reset("put_block", 0)
    assert "overhead" not in world.camera_names
    assert "front" in world.camera_names


def test_an_arm_that_stands_elsewhere_is_noticed(open_scene: Open) -> None:
    _, world = open_scene(changes={"arm": {"base": [0.1, 0.0, 0.752, 0.0]}})
    with pytest.raises(SimulationError, match=r"arm\.base"):
        world.reset("put_block", 0)


def test_a_simulator_that_dies_is_noticed_in_time_and_another_taken(open_scene: Open) -> None:
    server, world = open_scene(timeout_s=0.5)
    world.reset("put_block", 0)
    server.close()
    started_s = time.monotonic()
    with pytest.raises(SimulationError, match=r"no longer answers: nothing within 0\.5 s"):
        world.step()
    assert time.monotonic() - started_s < 10.0
    with pytest.raises(SimulationError, match="no longer answers"):
        world.settle()  # said again at once
    with CoppeliasimServer("put_block", 3, port=server.port):
        world.reset("put_block", 0)
        world.step()
        assert world.time_s == pytest.approx(0.02)


def test_nobody_there_is_said_within_the_timeout(tmp_path: Path, open_scene: Open) -> None:
    server, world = open_scene(timeout_s=0.3)
    server.close()
    with pytest.raises(SimulationError, match="no CoppeliaSim answers at tcp://localhost"):
        world.reset("put_block", 0)


def test_what_the_simulator_refuses_or_does_not_know_is_said(open_scene: Open) -> None:
    server, _ = open_scene()
    session = Session(CoppeliasimConfig(port=server.port))
    try:
        with pytest.raises(SimulationError, match=r"refused sim\.getObject.*does not exist"):
            session.call("getObject", "/nobody")
        with pytest.raises(SimulationError, match=r"Argument 1 is not correct"):
            session.call("getJointPosition", "joint")
        with pytest.raises(SimulationError, match=r"does not have sim\.frobnicate"):
            session.call("frobnicate")
    finally:
        session.close()
    with pytest.raises(SimulationError, match="closed"):
        session.call("step")


def test_the_main_module_keeps_its_require(open_scene: Open) -> None:
    server, _ = open_scene()
    main: Any = sys.modules["__main__"]
    assert not hasattr(main, "require")
    Session(CoppeliasimConfig(port=server.port)).close()
    assert not hasattr(main, "require")


def test_a_missing_client_is_told_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coppeliasim_zmqremoteapi_client", None)
    with pytest.raises(MissingDependencyError, match=r"malmm-ros\[coppeliasim\]"):
        Session(CoppeliasimConfig())


def test_what_it_cannot_do_is_refused(open_scene: Open) -> None:
    _, world = open_scene()
    with pytest.raises(SimulationError, match="one robot"):
        world.reset("put_block", 0, robots=(RobotPlacement(), RobotPlacement(name="other")))
    with pytest.raises(UnknownNameError, match="put_block"):
        world.reset("put_blck", 0)
    world.reset("put_block", 0)
    with pytest.raises(SimulationError, match="mujoco"):
        world.disturb("knock", "", np.random.default_rng(0))


@pytest.mark.parametrize(
    "values", [{"port": 0}, {"host": " "}, {"timeout_s": 0.0}], ids=["port", "host", "timeout"]
)
def test_settings_out_of_range_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(values))):
        CoppeliasimConfig(**values)


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_is_made_by_its_name(name: str) -> None:
    world = make_world(name)
    assert world.generation == 0
    assert world.robot_names == ()
    world.close()


def test_an_unknown_world_is_suggested() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'mujoco'"):
        make_world("mujco")
