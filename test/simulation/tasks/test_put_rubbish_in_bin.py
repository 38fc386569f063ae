"""The rubbish in the bin, judged by where it physically lies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("put_rubbish_in_bin", seed=2)
    return new


def drop(world: MujocoWorld, name: str, *, dx: float = 0.0) -> None:
    x, y, z = world.pose("bin").position
    world.physics.place(name, Pose((x + dx, y, z + 0.13)))
    world.settle()


def throw_away(script: Script) -> None:
    script.pick("rubbish", lift=0.2)
    target = script.find("bin")
    x, y, _ = target.pose.position
    script.place("rubbish", (x, y, target.top_z + 0.02))


def test_sizes_are_the_references(world: MujocoWorld) -> None:
    sizes = {item.category: item.size for item in world.ground_truth().objects}
    assert sizes["bin"] == (0.20, 0.20, 0.19)
    assert sizes["rubbish"] == (0.087, 0.050, 0.034)
    assert sizes["tomato"] == (0.066, 0.066, 0.066)


def test_rubbish_that_falls_into_the_bin_is_in_it(world: MujocoWorld) -> None:
    drop(world, "rubbish")
    assert world.success() == (True, "rubbish lies in the bin")


def test_a_tomato_is_no_rubbish(world: MujocoWorld) -> None:
    drop(world, "tomato 1")
    assert not world.success()[0]


def test_beside_the_bin_is_not_in_it(world: MujocoWorld) -> None:
    drop(world, "rubbish", dx=0.18)
    assert not world.success()[0]


def test_over_the_bin_is_not_in_it(world: MujocoWorld) -> None:
    x, y, z = world.pose("bin").position
    world.physics.place("rubbish", Pose((x, y, z + 0.13)))
    assert not world.success()[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_do_it(load: Load, seed: int) -> None:
    world, script = load("put_rubbish_in_bin", seed)
    throw_away(script)
    world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("put_rubbish_in_bin", seed)
        throw_away(script)
        world.settle()
        assert world.success()[0], (seed, world.success()[1])
