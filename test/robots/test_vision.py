"""A seeing robot knows what its cameras and joints tell, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.agents import ModelConfig, build_team
from malmm_ros.agents.offline.hand import grasps
from malmm_ros.agents.scene_text import parse_scene, render_scene
from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.robots import GripResult, MotionResult, Robot
from malmm_ros.robots.vision import VisionConfig, VisionScenes, seeing_robot
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld


@pytest.fixture
def block_world() -> Iterator[MujocoWorld]:
    made = MujocoWorld()
    made.reset("put_block", 3)
    yield made
    made.close()


class Witness:
    """Passes commands on and keeps what was commanded and what was seen before."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.seen: list[Scene] = []
        self.closing: list[Scene] = []

    def observe(self) -> Scene:
        self.seen.append(self.robot.observe())
        return self.seen[-1]

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        return self.robot.execute_trajectory(position, yaw)

    def open_gripper(self) -> GripResult:
        return self.robot.open_gripper()

    def close_gripper(self, object_name: str) -> GripResult:
        self.closing.append(self.robot.observe())
        return self.robot.close_gripper(object_name)

    def rehearse(self) -> Robot:
        return self.robot.rehearse()

    def stop(self) -> None:
        self.robot.stop()


def test_objects_are_found_where_they_are(block_world: MujocoWorld) -> None:
    scene = VisionScenes(block_world, seed=1).observe()
    assert scene.source == "vision"
    for truth in block_world.ground_truth().objects:
        found = scene.find(truth.name)
        assert found is not None
        assert found.pose.position == pytest.approx(truth.pose.position, abs=0.012)
        assert found.is_fixed == truth.is_fixed


def test_the_simulators_state_is_not_read(
    block_world: MujocoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the simulator's state was read")

    for name in ("ground_truth", "bodies", "pose", "touching"):
        monkeypatch.setattr(block_world, name, refuse)
    assert len(VisionScenes(block_world, seed=1).observe().objects) == 2


def test_equal_seeds_see_alike(block_world: MujocoWorld) -> None:
    first, second = (VisionScenes(block_world, seed=5).observe() for _ in range(2))
    assert [item.pose for item in first.objects] == [item.pose for item in second.objects]


def test_a_camera_that_is_not_there_is_refused(block_world: MujocoWorld) -> None:
    with pytest.raises(ConfigurationError, match="ceiling: not in this world, which has front"):
        VisionScenes(block_world, VisionConfig(cameras=("ceiling",)))


def test_what_is_looked_for_and_not_seen_is_told_to_agents(block_world: MujocoWorld) -> None:
    scenes = VisionScenes(block_world, phrases=("orange jar", "green target area"), seed=1)
    text = render_scene(scenes.observe())
    assert '- looked for and not seen: "orange jar"' in text
    assert parse_scene(text).missing == ("orange jar",)


def test_agents_are_given_the_chosen_grasp(block_world: MujocoWorld) -> None:
    scene = VisionScenes(block_world, seed=1).observe()
    read = parse_scene(render_scene(scene))
    (block,) = (item for item in read.objects if not item.is_fixed)
    seen = scene.find(block.name)
    assert seen is not None
    assert seen.grasp is not None
    best = grasps(block, read)[0]
    assert best.position == pytest.approx(seen.grasp.position, abs=6e-4)
    assert yaw_difference(best.yaw, seen.grasp.yaw, symmetry=2) < 6e-4


@pytest.mark.slow
@pytest.mark.parametrize("cameras", [("front",), ("front", "wrist")])
def test_the_executed_pose_of_the_tool_is_the_published_chosen_grasp(
    block_world: MujocoWorld, cameras: tuple[str, ...]
) -> None:
    """Also when the wrist camera has corrected it from above the block."""
    robot = Witness(seeing_robot(block_world, VisionConfig(cameras=cameras), seed=1))
    result = build_team("malmm", ModelConfig()).run(block_world.instruction, robot)
    assert result.is_success
    assert block_world.success()[0]
    (closing,) = robot.closing
    grasp = next(item.grasp for item in closing.objects if item.grasp is not None)
    tcp = closing.gripper.tcp
    assert np.linalg.norm(np.subtract(tcp.position, grasp.position)) < 0.0015
    assert yaw_difference(tcp.yaw, grasp.yaw, symmetry=2) < 0.02


def test_before_a_grasp_the_wrist_camera_looks_from_above_and_corrects_the_goal(
    block_world: MujocoWorld,
) -> None:
    (truth,) = (item for item in block_world.ground_truth().objects if not item.is_fixed)
    robot = seeing_robot(block_world, VisionConfig(cameras=("front", "wrist")), seed=1)
    told = robot.observe()
    (block,) = (item for item in told.objects if not item.is_fixed)
    assert block.grasp is not None
    x, y, z = block.grasp.position
    assert robot.execute_trajectory((x, y, z + 0.1), block.grasp.yaw).is_success
    # As if the front camera had been off by more.
    shifted = replace(block, pose=Pose((0.012, 0.0, 0.0)) @ block.pose)
    robot._following.tell(replace(told, objects=(shifted,)))
    moved = robot.execute_trajectory((x + 0.012, y, z), block.grasp.yaw)
    assert moved.is_success, moved.message
    assert "from where it was told, and the goal went with it" in moved.message
    assert moved.tcp is not None
    off = np.subtract(moved.tcp.position, truth.pose.position)[:2]
    assert np.linalg.norm(off) < 0.0045


def test_a_program_that_goes_straight_down_is_made_to_look_from_above(
    block_world: MujocoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    (truth,) = (item for item in block_world.ground_truth().objects if not item.is_fixed)
    robot = seeing_robot(block_world, VisionConfig(cameras=("front", "wrist")), seed=1)
    (block,) = (item for item in robot.observe().objects if not item.is_fixed)
    assert block.grasp is not None
    looked: list[float] = []
    render = block_world.render

    def note(camera: str = "front", *, with_labels: bool = False) -> RgbdImage:
        image = render(camera, with_labels=with_labels)
        if camera == "wrist":
            looked.append(image.world_from_camera.position[2] - truth.top_z)
        return image

    monkeypatch.setattr(block_world, "render", note)
    moved = robot.execute_trajectory(block.grasp.position, block.grasp.yaw)
    assert moved.is_success, moved.message
    assert any(0.1 < height < 0.25 for height in looked)
    assert robot.close_gripper(block.name).is_holding


def test_a_world_that_stands_still_is_looked_at_once(
    block_world: MujocoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render = block_world.render

    def count(camera: str = "front", *, with_labels: bool = False) -> RgbdImage:
        rendered.append(camera)
        return render(camera, with_labels=with_labels)

    monkeypatch.setattr(block_world, "render", count)
    scenes = VisionScenes(block_world, seed=1)
    first = scenes.observe()
    assert scenes.observe() is first
    assert rendered == ["front"]
    for change in (block_world.step, lambda: scenes.hold("violet block"), block_world.settle):
        change()
        scenes.observe()
    assert rendered == ["front"] * 4
