"""The cap off the bottle, by a pull that is strong enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("open_wine_bottle", seed=2)
    return new


def pull(world: MujocoWorld, force: float) -> None:
    """Pull the cap upward for half a second."""
    body = world.physics.model.body("cap").id
    world.physics.data.xfrc_applied[body, 2] = force
    world.step(250)
    world.physics.data.xfrc_applied[body] = 0.0


def test_sizes_are_the_references(world: MujocoWorld) -> None:
    bottle, cap = world.ground_truth().objects
    assert bottle.size == (0.0745, 0.0745, 0.298)
    assert 0.028 <= cap.size[0] <= 0.032
    assert cap.bottom_z == pytest.approx(bottle.top_z)


def test_a_weak_pull_leaves_the_cap_on(world: MujocoWorld) -> None:
    pull(world, 4.0)
    world.settle()
    assert world.success() == (False, "the cap is on the bottle")
    assert world.pose("wine bottle").tilt < 0.01


def test_a_strong_pull_takes_it_off_and_leaves_the_bottle(world: MujocoWorld) -> None:
    before = world.pose("wine bottle").position
    pull(world, 8.0)
    assert world.success()[0]
    assert world.pose("wine bottle").position == pytest.approx(before, abs=2e-3)


def test_a_push_from_the_side_does_not_open_it(world: MujocoWorld) -> None:
    world.physics.push("wine bottle", np.array([0.15, 0.0, 0.0, 0.0, 0.0, 0.0]))
    world.settle()
    assert not world.success()[0]


def test_the_cap_put_back_on_the_mouth_does_not_count(world: MujocoWorld) -> None:
    pull(world, 8.0)
    x, y, z = world.pose("wine bottle").position
    world.physics.place("cap", Pose((x, y, z + 0.1595)))
    world.settle()
    assert not world.success()[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_do_it_and_put_the_cap_down(load: Load, seed: int) -> None:
    world, script = load("open_wine_bottle", seed)
    script.pick("cap")
    assert world.success()[0], world.success()[1]
    y = world.pose("wine bottle").position[1]
    script.place("cap", (0.3, -0.3 if y > 0.0 else 0.3, 0.764))
    world.settle()
    assert world.success()[0], world.success()[1]
    assert world.pose("wine bottle").tilt < 0.01


@pytest.mark.slow
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("open_wine_bottle", seed)
        script.pick("cap")
        assert world.success()[0], (seed, world.success()[1])
