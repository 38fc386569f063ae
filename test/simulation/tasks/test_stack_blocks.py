"""Stacking is judged by physics, not by anybody's word."""

from __future__ import annotations

from collections import Counter

import pytest

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.reach import reach_of

RED = tuple(f"red block {index}" for index in (1, 2, 3, 4))
AREA = "green target area"


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("stack_blocks", seed=5, options={"color": "red", "count": 3})
    return new


def stack(
    world: MujocoWorld, names: tuple[str, ...], *, dx: float = 0.0, above: float = 0.0
) -> None:
    """Let blocks come to rest on each other."""
    x, y, _ = world.physics.pose(AREA).position
    for level, name in enumerate(names):
        z = TABLE_TOP_Z + 0.025 + 0.0505 * level + above
        world.physics.place(name, Pose.from_yaw((x + dx, y, z), 0.3 * level))
    world.settle()


def others(world: MujocoWorld) -> tuple[str, ...]:
    return tuple(
        item.name
        for item in world.ground_truth().objects
        if item.category == "block" and item.color != "red"
    )


def test_is_not_done_at_the_start(world: MujocoWorld) -> None:
    assert world.success() == (
        False,
        f"0 of 3 red blocks stand in a column on the {AREA}",
    )


def test_is_done_when_enough_blocks_stand_in_the_area(world: MujocoWorld) -> None:
    stack(world, RED[:3])
    is_success, message = world.success()
    assert is_success, message
    assert "red block 1, red block 2, red block 3" in message


def test_more_than_asked_for_is_done_too(world: MujocoWorld) -> None:
    stack(world, RED)
    assert world.success()[0]


def test_too_few_are_not_enough(world: MujocoWorld) -> None:
    stack(world, RED[:2])
    assert world.success() == (
        False,
        f"2 of 3 red blocks stand in a column on the {AREA}",
    )


def test_the_other_colour_does_not_count(world: MujocoWorld) -> None:
    stack(world, others(world)[:3])
    assert not world.success()[0]


def test_a_block_of_the_other_colour_in_between_breaks_the_tower(world: MujocoWorld) -> None:
    stack(world, (RED[0], others(world)[0], RED[1], RED[2]))
    assert not world.success()[0]


def test_a_tower_beside_the_area_does_not_count(world: MujocoWorld) -> None:
    stack(world, RED[:3], dx=0.06)
    assert not world.success()[0]


def test_blocks_in_the_air_do_not_count(world: MujocoWorld) -> None:
    x, y, _ = world.physics.pose(AREA).position
    for level, name in enumerate(RED[:3]):
        world.physics.place(name, Pose((x, y, TABLE_TOP_Z + 0.025 + 0.06 * level)))
    assert not world.success()[0]


def test_side_by_side_is_not_a_tower(world: MujocoWorld) -> None:
    x, y, _ = world.physics.pose(AREA).position
    for index, name in enumerate(RED[:2]):
        world.physics.place(name, Pose((x - 0.026 + 0.052 * index, y, TABLE_TOP_Z + 0.025)))
    world.settle()
    assert world.success()[1].startswith("1 of 3")


def test_a_second_block_beside_the_tower_does_not_hide_it(world: MujocoWorld) -> None:
    x, y, _ = world.physics.pose(AREA).position
    for dx, level, name in ((-0.027, 0, RED[0]), (0.027, 0, RED[1]), (0.027, 1, RED[2])):
        world.physics.place(name, Pose((x + dx, y, TABLE_TOP_Z + 0.025 + 0.0505 * level)))
    world.physics.place(RED[3], Pose((x + 0.027, y, TABLE_TOP_Z + 0.025 + 0.0505 * 2)))
    world.settle()
    assert world.success()[0], world.success()[1]


def test_a_tower_that_the_fingers_still_hold_does_not_count(world: MujocoWorld) -> None:
    x, y, _ = world.physics.pose(AREA).position
    stack(world, RED[:3])
    top = TABLE_TOP_Z + 0.125
    joints = reach_of().solve(top_down((x, y, top), 0.6))
    assert joints is not None
    world.physics.data.qpos[:7] = joints
    world.physics.data.ctrl[:7] = joints
    world.physics.data.qvel[:7] = 0.0
    arm = world.arm()
    arm.controller._reference.positions[:] = joints
    arm.gripper.command(0.0)
    world.step_until(lambda: not arm.gripper.is_active, 3.0)
    assert arm.gripper.status.is_stalled
    is_success, message = world.success()
    assert not is_success
    assert message == "red block 3 still moves or is touched"


def test_four_of_each_of_two_colours_in_an_order_that_tells_nothing() -> None:
    world = MujocoWorld()
    first_colors = []
    for seed in range(12):
        world.reset("stack_blocks", seed, options={"color": "red"})
        scene = world.ground_truth()
        blocks = [item for item in scene.objects if item.category == "block"]
        counts = Counter(item.color for item in blocks)
        assert counts["red"] == 4
        assert sorted(counts.values()) == [4, 4]
        assert {item.name for item in blocks if item.color == "red"} == set(RED)
        assert all(item.yaw_symmetry == 4 for item in scene.objects)
        first_colors.append(blocks[0].color == "red")
    assert len(set(first_colors)) == 2


def test_options_are_drawn_by_the_seed_when_left_out() -> None:
    world = MujocoWorld()
    drawn = set()
    for seed in range(12):
        world.reset("stack_blocks", seed)
        drawn.add(world.task.count)  # type: ignore[attr-defined]  # this task's own
    assert drawn == {2, 3, 4}


def test_the_instruction_names_colour_and_count() -> None:
    world = MujocoWorld()
    said = set()
    for seed in range(10):
        world.reset("stack_blocks", seed, options={"color": "azure", "count": 2})
        assert "azure" in world.instruction
        assert "2" in world.instruction or "two" in world.instruction
        said.add(world.instruction)
    assert len(said) >= 3


@pytest.mark.parametrize("count", [1, 5, -2])
def test_refuses_counts_that_cannot_be_stacked(world: MujocoWorld, count: int) -> None:
    with pytest.raises(ConfigurationError, match="must be 2, 3 or 4"):
        world.reset("stack_blocks", 0, options={"count": count})


def test_refuses_unknown_colours_and_options(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'red'"):
        world.reset("stack_blocks", 0, options={"color": "redd"})
    with pytest.raises(UnknownNameError, match="Did you mean 'color'"):
        world.reset("stack_blocks", 0, options={"colour": "red"})
    # The world that stood before still stands.
    assert world.ground_truth().find("red block 1") is not None
