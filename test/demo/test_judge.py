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


def test_beside_has_more_than_one_right_place(before: Scene) -> None:
    red = next(item for item in before.objects if item.name == "red block 1")
    x, y, z = red.pose.position
    color = next(i.color for i in before.objects if i.category == "block" and i.color != "red")
    sentence = f"put the {color} block left of the red block 1"
    for name in (f"{color} block 1", f"{color} block 2"):
        left = move(before, name, (x, y + 0.09, z), red.yaw)
        assert judge(sentence, before, left).is_success
        right = move(before, name, (x, y - 0.09, z), red.yaw)
        assert not judge(sentence, before, right).is_success
    assert not judge(sentence, before, before).is_success


def test_a_fall_through_the_hoop_is_left_to_the_tasks_own_condition() -> None:
    world = MujocoWorld()
    world.reset("basketball_in_hoop", 3)
    scene = world.ground_truth()
    judgement = judge("put the ball in the hoop", scene, scene)
    assert judgement.needs_condition
    assert "leaves no trace" in judgement.lines[0]
