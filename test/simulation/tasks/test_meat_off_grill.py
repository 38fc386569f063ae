"""The named meat on the side shelf, judged by where it physically lies."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]
OPTIONS = {"meat": "chicken"}
SHELF = "side shelf"


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("meat_off_grill", seed=2, options=OPTIONS)
    return new


def put_on_shelf(world: MujocoWorld, name: str, *, above: float = 0.0) -> None:
    world.physics.place(name, world.pose(SHELF) @ Pose((0.0, 0.0, 0.035 + above)))


def take_off(world: MujocoWorld, script: Script) -> None:
    name = "chicken" if "chicken" in world.instruction else "steak"
    script.pick(name, lift=0.1)
    shelf, item = script.find(SHELF), script.find(name)
    x, y, _ = shelf.pose.position
    yaws = [shelf.pose.yaw + turn * math.pi / 2 for turn in range(4)]
    script.place(name, (x, y, shelf.top_z + 0.5 * item.size[2] + 0.003), yaws=yaws)


def test_the_grills_surface_is_where_the_references_is(world: MujocoWorld) -> None:
    scene = world.ground_truth()
    grill, shelf = scene.find("grill"), scene.find(SHELF)
    assert grill is not None
    assert shelf is not None
    assert grill.top_z == pytest.approx(1.04)
    assert shelf.top_z == pytest.approx(1.02)
    for name in ("chicken", "steak"):
        item = scene.find(name)
        assert item is not None
        assert item.bottom_z == pytest.approx(1.04)


def test_the_meat_on_the_shelf_is_off_the_grill(world: MujocoWorld) -> None:
    put_on_shelf(world, "chicken")
    world.settle()
    assert world.success() == (True, "chicken lies on the side shelf")


def test_the_other_meat_does_not_count(world: MujocoWorld) -> None:
    put_on_shelf(world, "steak")
    world.settle()
    assert not world.success()[0]


def test_over_the_shelf_is_not_on_it(world: MujocoWorld) -> None:
    put_on_shelf(world, "chicken", above=0.1)
    assert not world.success()[0]


def test_on_the_table_is_not_on_the_shelf(world: MujocoWorld) -> None:
    x, y, _ = world.pose(SHELF).position
    world.physics.place("chicken", Pose((x, y, 0.78)))
    world.settle()
    assert not world.success()[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_do_it(load: Load, seed: int) -> None:
    world, script = load("meat_off_grill", seed)
    take_off(world, script)
    world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("meat_off_grill", seed)
        take_off(world, script)
        world.settle()
        assert world.success()[0], (seed, world.success()[1])


def test_refuses_unknown_meat(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="valid: chicken, steak"):
        world.reset("meat_off_grill", 0, options={"meat": "fish"})
