"""The ring down on the named peg, judged by where it physically lies."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.robots.scripted import Script
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]
PEG, RING = "azure peg", "square ring"


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("insert_onto_square_peg", seed=2, options={"color": "azure"})
    return new


def hold_over(world: MujocoWorld, peg: str, height: float, *, dx: float = 0.0) -> None:
    """Put the ring around a peg, its bottom this far above the base."""
    pose = world.pose(peg) @ Pose((dx, 0.0, height - 0.05))
    world.physics.place(RING, pose)


def insert(script: Script, peg: str) -> None:
    script.pick(RING, lift=0.2)
    target = script.find(peg)
    x, y, _ = target.pose.position
    yaws = [target.pose.yaw + turn * math.pi / 2 for turn in range(4)]
    script.place(RING, (x, y, target.top_z + 0.005), yaws=yaws)


def named_peg(world: MujocoWorld) -> str:
    """The peg whose colour the instruction names."""
    pegs = [item for item in world.ground_truth().objects if item.category == "peg"]
    return next(item.name for item in pegs if f" {item.color} " in f" {world.instruction} ")


def test_sizes_are_the_references(world: MujocoWorld) -> None:
    objects = world.ground_truth().objects
    base, ring = objects[0], objects[-1]
    pegs = [item for item in objects if item.category == "peg"]
    assert base.size == (0.40, 0.10, 0.02)
    assert [item.size for item in pegs] == [(0.025, 0.025, 0.12)] * 3
    assert ring.size[:2] == (0.05, 0.05)
    assert math.dist(pegs[0].pose.position, pegs[1].pose.position) == pytest.approx(0.125)
    assert len({item.color for item in pegs}) == 3


def test_a_ring_let_go_around_the_pegs_top_slides_down(world: MujocoWorld) -> None:
    hold_over(world, PEG, 0.11)
    world.settle()
    assert world.success() == (True, "square ring is down on azure peg")


def test_another_peg_does_not_count(world: MujocoWorld) -> None:
    other = next(name for name in world.task.groups[0] if name.endswith("peg") and name != PEG)
    hold_over(world, other, 0.11)
    world.settle()
    assert not world.success()[0]


def test_a_ring_half_way_down_is_not_down(world: MujocoWorld) -> None:
    hold_over(world, PEG, 0.05)
    assert world.success() == (False, "square ring is 0.050 m above peg base")


def test_a_ring_beside_the_peg_does_not_count(world: MujocoWorld) -> None:
    hold_over(world, PEG, 0.002, dx=0.05)
    world.settle()
    assert not world.success()[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_do_it(load: Load, seed: int) -> None:
    world, script = load("insert_onto_square_peg", seed)
    insert(script, named_peg(world))
    world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
def test_the_robot_can_do_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("insert_onto_square_peg", seed)
        insert(script, named_peg(world))
        world.settle()
        assert world.success()[0], (seed, world.success()[1])


def test_refuses_unknown_colours(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'red'"):
        world.reset("insert_onto_square_peg", 0, options={"color": "redd"})
