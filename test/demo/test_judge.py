from __future__ import annotations

from dataclasses import replace

import pytest

from malmm_ros.demo.judge import judge
from malmm_ros.geometry import Pose
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld

SENTENCE = "stack 2 red blocks on the green target area"


@pytest.fixture(scope="module")
def before() -> Scene:
    world = MujocoWorld()
    world.reset("stack_blocks", 3, options={"color": "red", "count": 2})
    return world.ground_truth()


def move(scene: Scene, name: str, position: tuple[float, float, float], yaw: float) -> Scene:
    objects = tuple(
        replace(item, pose=Pose.from_yaw(position, yaw)) if item.name == name else item
        for item in scene.objects
    )
    return replace(scene, objects=objects)


def stacked(scene: Scene, names: tuple[str, ...]) -> Scene:
    area = scene.find("green target area")
    assert area is not None
    x, y, _ = area.pose.position
    for level, name in enumerate(names):
        scene = move(scene, name, (x, y, area.top_z + 0.025 + 0.05 * level), area.yaw)
    return scene


def test_a_tower_of_the_right_colour_is_success(before: Scene) -> None:
    assert judge(SENTENCE, before, stacked(before, ("red block 2", "red block 4"))).is_success


def test_nothing_done_is_no_success(before: Scene) -> None:
    judgement = judge(SENTENCE, before, before)
    assert not judgement.is_success
    assert "does not hold" in judgement.lines[0]


def test_a_tower_with_another_colour_is_no_success(before: Scene) -> None:
    other = next(
        item.name
        for item in before.objects
        if item.category == "block" and not item.name.startswith("red")
    )
    assert not judge(SENTENCE, before, stacked(before, ("red block 2", other))).is_success


def test_a_tower_still_in_the_hand_is_no_success(before: Scene) -> None:
    after = stacked(before, ("red block 2", "red block 4"))
    after = replace(after, gripper=replace(after.gripper, width=0.05, is_open=False))
    assert not judge(SENTENCE, before, after).is_success


def test_a_sentence_without_sense_is_no_success(before: Scene) -> None:
    judgement = judge("frobnicate the quux", before, before)
    assert not judgement.is_success
    assert "frobnicate" in judgement.lines[0]


def test_a_lifted_block_counts_only_between_the_fingers(before: Scene) -> None:
    sentence = "pick up the red block 1"
    x, y, z = before.gripper.tcp.position
    lifted = move(before, "red block 1", (x, y, z), 0.0)
    closed = replace(lifted, gripper=replace(lifted.gripper, width=0.05, is_open=False))
    assert judge(sentence, before, closed).is_success
    assert not judge(sentence, before, lifted).is_success
    assert not judge(sentence, before, before).is_success


def test_things_that_the_second_reading_does_not_know_are_no_blocks_of_their_colour() -> None:
    world = MujocoWorld()
    world.reset("close_jar", 3, options={"color": "teal"})
    scene = world.ground_truth()
    jar = next(item for item in scene.objects if item.name == "teal jar")
    lid = next(item for item in scene.objects if item.category == "lid")
    x, y, _ = jar.pose.position
    closed = move(scene, lid.name, (x, y, jar.top_z + 0.5 * lid.size[2]), 0.0)
    sentence = "put the lid on the teal jar"
    assert judge(sentence, scene, closed).is_success
    assert not judge(sentence, scene, scene).is_success
    beside = move(scene, lid.name, (x + 0.15, y, lid.pose.position[2]), 0.0)
    assert not judge(sentence, scene, beside).is_success
