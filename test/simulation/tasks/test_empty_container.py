"""Three things in the named tray, judged by where they physically are."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]
OPTIONS = {"color": "azure"}
PITCH = 0.062


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("empty_container", seed=2, options=OPTIONS)
    return new


def things(world: MujocoWorld) -> list[str]:
    return [item.name for item in world.ground_truth().objects if not item.is_fixed]


def tray(world: MujocoWorld, color: str) -> str:
    """The small tray of a colour, or the one that is not of it."""
    names = [n for n in world.ground_truth().names if n.endswith("tray") and n != "big tray"]
    return next(
        name for name in names if (name == f"{color.strip('!')} tray") != (color[0] == "!")
    )


def put_in(world: MujocoWorld, names: list[str], where: str) -> None:
    for index, name in enumerate(names):
        item = world.ground_truth().find(name)
        assert item is not None
        height = -0.025 + 0.005 + 0.5 * item.size[2]
        place = world.pose(where) @ Pose(((index - 1) * PITCH, 0.0, height))
        world.physics.place(name, place)
    world.settle()


def empty(world: MujocoWorld, script: Script) -> None:
    for index, name in enumerate(things(world)):
        script.pick(name, lift=0.14)
        target, item = script.find(world.task.target), script.find(name)
        place = target.pose @ Pose(((index - 1) * PITCH, 0.0, 0.0))
        yaws = [target.pose.yaw + turn * math.pi / 2 for turn in range(4)]
        height = target.bottom_z + 0.007 + 0.5 * item.size[2]
        script.place(name, (*place.position[:2], height), yaws=yaws, above=0.12)


def test_sizes_are_the_references(world: MujocoWorld) -> None:
    scene = world.ground_truth()
    trays = [item for item in scene.objects if item.category == "container"]
    assert [item.size for item in trays] == [(0.318, 0.318, 0.05), *[(0.20, 0.125, 0.05)] * 2]
    assert trays[0].name == "big tray"
    for small in trays[1:]:
        distance = math.dist(small.pose.position, trays[0].pose.position)
        assert distance == pytest.approx(0.25)
    for name in things(world):
        item = scene.find(name)
        assert item is not None
        assert 0.03 <= item.size[0] <= 0.045
        assert 0.075 <= item.size[2] <= 0.095
        assert item.grasp is not None


def test_all_three_in_the_named_tray_is_done(world: MujocoWorld) -> None:
    put_in(world, things(world), tray(world, "azure"))
    assert world.success() == (True, "all three things are in the azure tray")


def test_two_are_not_enough(world: MujocoWorld) -> None:
    put_in(world, things(world)[:2], tray(world, "azure"))
    assert world.success()[1].startswith("2 of 3 things are in the azure tray")


def test_the_other_tray_does_not_count(world: MujocoWorld) -> None:
    put_in(world, things(world), tray(world, "!azure"))
    assert not world.success()[0]


def test_over_the_tray_is_not_in_it(world: MujocoWorld) -> None:
    put_in(world, things(world)[:2], tray(world, "azure"))
    place = world.pose("azure tray") @ Pose((PITCH, 0.0, 0.15))
    world.physics.place(things(world)[2], place)
    assert not world.success()[0]


def test_a_fallen_thing_proposes_no_grasp_from_above(world: MujocoWorld) -> None:
    name = things(world)[0]
    half = math.sqrt(0.5)
    world.physics.place(name, Pose((0.2, 0.0, 0.9), (half, 0.0, 0.0, half)))
    item = world.ground_truth().find(name)
    assert item is not None
    assert item.grasp is None


def test_the_robot_can_do_it(load: Load) -> None:
    world, script = load("empty_container", 5)
    empty(world, script)
    world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 112):
        world, script = load("empty_container", seed)
        empty(world, script)
        world.settle()
        assert world.success()[0], (seed, world.success()[1])


def test_refuses_unknown_colours(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'red'"):
        world.reset("empty_container", 0, options={"color": "redd"})
