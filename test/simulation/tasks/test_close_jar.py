"""The lid on the named jar, judged by where it physically lies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose, vector3
from malmm_ros.robots.scripted import Script
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld

Load = Callable[..., tuple[MujocoWorld, Script]]
COLORS = {"color": "azure", "other_color": "rose"}


@pytest.fixture
def world() -> MujocoWorld:
    new = MujocoWorld()
    new.reset("close_jar", seed=2, options=COLORS)
    return new


def set_on(world: MujocoWorld, jar: str, *, dx: float = 0.0, above: float = 0.001) -> None:
    x, y, z = world.pose(jar).position
    world.physics.place("lid", Pose((x + dx, y, z + 0.055 + 0.0105 + above)))


def close(script: Script, jar: str) -> None:
    script.pick("lid")
    target = script.find(jar)
    x, y, _ = target.pose.position
    script.place("lid", (x, y, target.top_z + 0.0125))


def test_jars_and_lid_have_the_references_sizes(world: MujocoWorld) -> None:
    scene = world.ground_truth()
    jar, lid = scene.find("azure jar"), scene.find("lid")
    assert jar is not None
    assert lid is not None
    assert jar.size == (0.09, 0.09, 0.11)
    assert jar.bottom_z == pytest.approx(TABLE_TOP_Z)
    assert lid.size == (0.074, 0.074, 0.021)
    assert {item.name for item in scene.objects} == {"azure jar", "rose jar", "lid"}


def test_a_lid_resting_on_the_named_jar_closes_it(world: MujocoWorld) -> None:
    set_on(world, "azure jar")
    world.settle()
    assert world.success() == (True, "lid closes the azure jar")


def test_the_other_jar_does_not_count(world: MujocoWorld) -> None:
    set_on(world, "rose jar")
    world.settle()
    assert not world.success()[0]


def test_a_lid_above_the_jar_does_not_close_it(world: MujocoWorld) -> None:
    set_on(world, "azure jar", above=0.03)
    assert not world.success()[0]


def test_a_lid_hanging_over_the_edge_does_not_close_it(world: MujocoWorld) -> None:
    set_on(world, "azure jar", dx=0.032)
    world.settle()
    assert not world.success()[0]


def test_a_lid_that_the_hand_still_holds_does_not_close_it(load: Load) -> None:
    world, script = load("close_jar", 2, **COLORS)
    script.pick("lid")
    jar = script.find("azure jar")
    x, y, _ = jar.pose.position
    tcp, lid = world.arm().tcp, script.find("lid")
    offset = tcp.position[2] - lid.pose.position[2]
    for above in (0.06, 0.0005):
        script.move(vector3((x, y, jar.top_z + 0.0105 + above + offset)), tcp.yaw)
    world.settle()
    assert world.success() == (False, "lid still moves or is touched")


@pytest.mark.parametrize("seed", [1, 2])
def test_the_robot_can_close_it(load: Load, seed: int) -> None:
    world, script = load("close_jar", seed)
    close(script, world.task.target)
    assert world.settle()
    assert world.success()[0], world.success()[1]


@pytest.mark.slow
def test_the_robot_can_close_it_on_many_seeds(load: Load) -> None:
    for seed in range(100, 120):
        world, script = load("close_jar", seed)
        close(script, world.task.target)
        world.settle()
        assert world.success()[0], (seed, world.success()[1])


def test_refuses_equal_and_unknown_colours(world: MujocoWorld) -> None:
    with pytest.raises(ConfigurationError, match="must differ"):
        world.reset("close_jar", 0, options={"color": "red", "other_color": "red"})
    with pytest.raises(UnknownNameError, match="Did you mean 'azure'"):
        world.reset("close_jar", 0, options={"color": "azur"})
