"""A perceiver that forgets is as good as new, whatever it has seen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from malmm_ros.camera import RgbdImage
from malmm_ros.nodes.vision.perception import PipelinePerceiver
from malmm_ros.perception.phrases import find_phrases
from malmm_ros.perception.pipeline import PipelineConfig
from malmm_ros.scene import GripperState, Scene
from malmm_ros.simulation import MujocoWorld
from malmm_ros.trajectory import JointState

TASKS = {"put_block": 3, "close_jar": 5, "stack_blocks": 2}


class Sight:
    """A task's first images."""

    def __init__(self, task: str, seed: int) -> None:
        world = MujocoWorld()
        try:
            world.reset(task, seed)
            world.settle()
            self.instruction = world.instruction
            self.image: RgbdImage = world.render("front")
            self.joints: JointState = world.joint_state()
            self.gripper: GripperState = world.arm().gripper_state
        finally:
            world.close()

    def seen_by(self, perceiver: PipelinePerceiver, frames: int, *, from_s: float) -> Scene:
        for number in range(frames):
            image = replace(self.image, stamp_s=from_s + 0.1 * number)
            scene = perceiver.update([image], joints=self.joints, gripper=self.gripper).scene
        return scene


@pytest.fixture(scope="module")
def sights() -> dict[str, Sight]:
    return {task: Sight(task, seed) for task, seed in TASKS.items()}


def make() -> PipelinePerceiver:
    return PipelinePerceiver(PipelineConfig(), robot_name="panda")


@pytest.fixture(scope="module")
def fresh(sights: dict[str, Sight]) -> dict[str, Scene]:
    """What a new perceiver sees of each task."""
    scenes = {}
    for task, sight in sights.items():
        perceiver = make()
        perceiver.look_for(find_phrases(sight.instruction))
        scenes[task] = sight.seen_by(perceiver, 3, from_s=1.0)
    return scenes


@pytest.mark.parametrize("order", list(permutations(TASKS))[::2], ids=" ".join)
def test_worlds_leave_nothing_behind(
    sights: dict[str, Sight], fresh: dict[str, Scene], order: Sequence[str]
) -> None:
    perceiver = make()
    for number, task in enumerate(order):
        sight = sights[task]
        perceiver.forget()
        perceiver.look_for(find_phrases(sight.instruction))
        scene = sight.seen_by(perceiver, 3, from_s=1.0 + number)
        assert scene.missing == fresh[task].missing
        assert [(item.name, item.pose, item.size) for item in scene.objects] == [
            (item.name, item.pose, item.size) for item in fresh[task].objects
        ]


def test_nobody_is_told_names_that_may_change(sights: dict[str, Sight]) -> None:
    perceiver, sight = make(), sights["stack_blocks"]
    told = []
    for number in range(6):
        perceived = perceiver.update(
            [replace(sight.image, stamp_s=1.0 + number)],
            joints=sight.joints,
            gripper=sight.gripper,
        )
        told += [perceived.scene.names] if perceived.is_settled else []
    assert len(told) == 4
    assert told == [told[0]] * 4


def test_a_clock_that_began_anew_is_another_world_with_the_same_task(
    sights: dict[str, Sight], fresh: dict[str, Scene]
) -> None:
    perceiver = make()
    sights["close_jar"].seen_by(perceiver, 3, from_s=100.0)
    perceiver.look_for(find_phrases(sights["put_block"].instruction))
    scene = sights["put_block"].seen_by(perceiver, 3, from_s=1.0)
    assert scene.names == fresh["put_block"].names


def test_a_new_task_in_the_same_world_looks_for_its_own_things_only(
    sights: dict[str, Sight], fresh: dict[str, Scene]
) -> None:
    perceiver, sight = make(), sights["put_block"]
    for number, (words, missing) in enumerate(
        (("close the red jar", ("red jar",)), ("wave", ()), ("peel the banana", ("banana",)))
    ):
        perceiver.look_for(find_phrases(words))
        scene = sight.seen_by(perceiver, 2, from_s=1.0 + number)
        assert scene.missing == missing
        assert scene.names == fresh["put_block"].names
