"""The ball through the hoop, followed step by step."""

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
    new.reset("basketball_in_hoop", seed=2)
    return new


def drop(world: MujocoWorld, *, dx: float = 0.0, z: float = 1.06) -> None:
    x, y, _ = world.pose("hoop").position
    world.physics.place("ball", Pose((x + dx, y, z)))
    world.settle()


def shoot(script: Script) -> None:
    script.pick("ball", lift=0.15)
    hoop = script.find("hoop")
    x, y, _ = hoop.pose.position
    script.place("ball", (x, y, hoop.top_z + 0.04))


def test_sizes_are_the_references(world: MujocoWorld) -> None:
    scene = world.ground_truth()
    hoop, ball, cradle = scene.find("hoop"), scene.find("ball"), scene.find("cradle")
    assert hoop is not None
    assert ball is not None
    assert cradle is not None
    assert hoop.top_z == pytest.approx(0.995)
    assert hoop.bottom_z == pytest.approx(0.86)
    assert ball.size == (0.06, 0.06, 0.06)
    assert cradle.size[:2] == (0.065, 0.065)
    assert ball.pose.position[:2] == pytest.approx(cradle.pose.position[:2])


@pytest.mark.parametrize("dx", [0.0, 0.03])
def test_a_ball_that_falls_through_the_rim_counts(world: MujocoWorld, dx: float) -> None:
    drop(world, dx=dx)
    assert world.success() == (True, "the ball went through the hoop")


def test_it_comes_to_rest_below_the_hoop(world: MujocoWorld) -> None:
    drop(world)
    x, y, _ = world.pose("hoop").position
    ball = world.pose("ball").position
    assert abs(ball[0] - x) + abs(ball[1] - y) < 0.15
    assert ball[2] == pytest.approx(0.782, abs=2e-3)


def test_a_ball_that_falls_past_the_rim_does_not_count(world: MujocoWorld) -> None:
    drop(world, dx=-0.14)
    assert not world.success()[0]


def test_a_ball_put_below_the_hoop_has_not_passed_through(world: MujocoWorld) -> None:
    drop(world, z=0.80)
    assert world.success() == (False, "the ball has not passed through the hoop")


def test_a_ball_that_enters_the_net_from_the_side_of_the_rim_does_not_count(
    world: MujocoWorld,
) -> None:
    x, y, z = world.pose("hoop").position
    for dx, dz in ((0.14, 0.0), (0.10, -0.1), (0.0, -0.1)):
        world.physics.place("ball", Pose((x + dx, y, z + dz)))
        world.step(4)
    world.settle()
    assert not world.success()[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_do_it(load: Load, seed: int) -> None:
    world, script = load("basketball_in_hoop", seed)
    shoot(script)
    world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("basketball_in_hoop", seed)
        shoot(script)
        world.settle()
        assert world.success()[0], (seed, world.success()[1])
