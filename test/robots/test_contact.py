"""What the fingers may enclose and what a carried object may rest on, hollow things included."""

from __future__ import annotations

from dataclasses import replace

import pytest

from malmm_ros.geometry import Pose, top_down
from malmm_ros.robots.contact import grip_extent, objects_at_tool, supports
from malmm_ros.robots.fit import overlapped
from malmm_ros.scene import Scene, SceneObject, Solid
from malmm_ros.simulation import MujocoWorld


def scene(task: str) -> Scene:
    world = MujocoWorld()
    world.reset(task, 1)
    return world.ground_truth()


def find(found: Scene, name: str) -> SceneObject:
    item = found.find(name)
    assert item is not None
    return item


def test_a_ring_is_taken_across_its_hole() -> None:
    found = scene("insert_onto_square_peg")
    ring = find(found, "square ring")
    tool = top_down(ring.pose.position, ring.yaw)
    assert [item.name for item in objects_at_tool(found, tool)] == ["square ring"]
    low, high = grip_extent(ring, tool)
    assert low == pytest.approx(0.05)
    assert high < 0.075


def test_a_hand_inside_a_tray_does_not_take_the_tray() -> None:
    found = scene("empty_container")
    tray = find(found, "big tray")
    x, y, z = tray.pose.position
    assert "big tray" not in [
        item.name for item in objects_at_tool(found, top_down((x, y, z + 0.01), 0.0))
    ]


def test_a_lid_over_a_neck_rests_on_the_jar() -> None:
    found = scene("close_jar")
    jar = next(item for item in found.objects if item.category == "jar")
    x, y, _ = jar.pose.position
    lid = find(found, "lid")
    over = SceneObject(
        name="lid",
        category="lid",
        pose=Pose((x, y, jar.top_z + 0.5 * lid.size[2] + 0.002)),
        size=lid.size,
        yaw_symmetry=0,
    )
    assert supports(over, found.objects) == {jar.name}


def test_the_floor_of_a_tray_carries_what_stands_in_it() -> None:
    found = scene("empty_container")
    thing = next(item for item in found.objects if not item.is_fixed)
    assert "big tray" in supports(thing, found.objects)


def test_what_is_carried_cannot_be_inside_of_something_where_it_is() -> None:
    """Then one of both was seen too large, and may be left."""
    ball = SceneObject(
        name="ball",
        category="ball",
        pose=Pose((0.3, 0.0, 0.78)),
        size=(0.06, 0.06, 0.06),
        solids=(Solid(shape="sphere", size=(0.06, 0.06, 0.06)),),
    )
    lid = SceneObject(
        name="lid", category="lid", pose=Pose((0.3, 0.0, 0.76)), size=(0.09, 0.09, 0.016)
    )
    aside = replace(lid, name="other", pose=Pose((0.3, 0.2, 0.76)))
    assert overlapped(ball, (lid, aside)) == {"lid"}
    assert overlapped(replace(ball, pose=Pose((0.3, 0.0, 0.9))), (lid, aside)) == frozenset()
