"""A goal at a thing goes along with it when it is seen elsewhere than the program was told."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.robots.following import Following, looking_place
from malmm_ros.robots.planned import RobotConfig
from malmm_ros.scene import TABLE_TOP_Z, GripperState, Scene, SceneObject

Z = TABLE_TOP_Z + 0.025
ABOVE = top_down((0.2, 0.1, 1.0), 0.0)
HAND = GripperState(tcp=ABOVE, yaw=0.0, width=0.08, is_open=True)


def scene(*, dx: float = 0.0, dy: float = 0.0, turn: float = 0.0) -> Scene:
    block = SceneObject(
        name="red block",
        category="block",
        pose=Pose.from_yaw((0.2 + dx, 0.1 + dy, Z), 0.3 + turn),
        size=(0.05, 0.05, 0.05),
        yaw_symmetry=4,
    )
    return Scene(stamp_s=0.0, objects=(block,), gripper=HAND, source="vision")


def told(limit: float = 0.02) -> Following:
    following = Following(limit)
    following.tell(scene())
    return following


@given(
    dx=st.floats(-0.013, 0.013),
    dy=st.floats(-0.013, 0.013),
    turn=st.floats(math.radians(-20), math.radians(20)),
    quarters=st.integers(0, 3),
    offset=st.floats(-0.02, 0.02),
)
def test_a_goal_keeps_its_place_on_the_thing_to_a_millimetre(
    dx: float, dy: float, turn: float, quarters: int, offset: float
) -> None:
    """Also when a cube looks turned by quarters: that is no turn."""
    goal = scene().objects[0].pose @ Pose((offset, 0.0, 0.0))
    goal = top_down(goal.position, goal.yaw)
    now = scene(dx=dx, dy=dy, turn=turn + quarters * 0.5 * math.pi)
    followed, _ = told().follow(goal, now)
    thing = Pose.from_yaw((0.2 + dx, 0.1 + dy, Z), 0.3 + turn)
    expected = thing @ Pose((offset, 0.0, 0.0))
    assert followed.position == pytest.approx(expected.position, abs=0.0015)
    assert yaw_difference(followed.yaw, goal.yaw + turn) < math.radians(1.01)


def test_it_says_how_far_it_went() -> None:
    goal = top_down((0.2, 0.1, Z), 0.3)
    _, words = told().follow(goal, scene(dx=0.004))
    assert words == (
        "'red block' was seen 4 mm and 0° from where it was told, and the goal went with it"
    )


@pytest.mark.parametrize(
    ("following", "goal", "now"),
    [
        (told(0.0), (0.2, 0.1, Z), scene(dx=0.004)),  # switched off
        (told(), (0.2, 0.1, Z + 0.1), scene(dx=0.004)),  # above it, not at it
        (told(), (0.2, 0.1, Z), scene(dx=0.0005)),  # not worth it
        (told(), (0.2, 0.1, Z), scene(dx=0.025)),  # it has moved: that is for the agents
        (told(), (0.2, 0.1, Z), scene(turn=math.radians(30))),
        (told(), (0.2, 0.1, Z), scene(dx=0.004).with_held("red block")),  # put down
        (Following(0.02), (0.2, 0.1, Z), scene(dx=0.004)),  # nobody was told of anything
    ],
)
def test_other_goals_stay_where_they_are(
    following: Following, goal: tuple[float, float, float], now: Scene
) -> None:
    pose = top_down(goal, 0.3)
    assert following.follow(pose, now) == (pose, "")


def test_what_was_moved_on_purpose_is_not_followed() -> None:
    following = told()
    following.forget("red block")
    goal = top_down((0.2, 0.1, Z), 0.3)
    assert following.follow(goal, scene(dx=0.004)) == (goal, "")


def test_fixed_things_are_not_followed() -> None:
    fixed = tuple(replace(item, is_fixed=True) for item in scene(dx=0.004).objects)
    goal = top_down((0.2, 0.1, Z), 0.3)
    assert told().follow(goal, replace(scene(), objects=fixed)) == (goal, "")


def test_a_limit_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="follow"):
        RobotConfig(follow=0.2)


def hand_at(x: float, y: float, z: float) -> GripperState:
    return replace(HAND, tcp=top_down((x, y, z), 0.0))


@pytest.mark.parametrize(
    ("hand", "goal_z", "stops"),
    [
        (hand_at(0.4, -0.2, 1.1), Z, True),  # from aside
        (hand_at(0.21, 0.1, Z + 0.1), Z, False),  # it is above it
        (hand_at(0.21, 0.1, Z), Z, False),  # it is at it
        (hand_at(0.4, -0.2, 1.1), Z + 0.1, False),  # it goes above it
    ],
)
def test_on_its_way_to_a_thing_from_aside_the_hand_stops_above_it(
    hand: GripperState, goal_z: float, stops: bool
) -> None:
    now = replace(scene(), gripper=hand)
    place = looking_place(top_down((0.2, 0.1, goal_z), 0.3), now, height=0.1)
    assert (place is not None) == stops
    if place is not None:
        assert place.position == pytest.approx((0.2, 0.1, Z + 0.1))
        assert place.yaw == pytest.approx(0.3)


def test_a_full_hand_does_not_stop_to_look() -> None:
    now = replace(scene(), gripper=replace(hand_at(0.4, -0.2, 1.1), held_object="other"))
    assert looking_place(top_down((0.2, 0.1, Z), 0.3), now, height=0.1) is None
