from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from visualization_msgs.msg import Marker

from malmm_ros.geometry import Pose, top_down
from malmm_ros.nodes.markers import (
    CHOSEN,
    GRASPS,
    MarkerBoard,
    grasp_markers,
    held_markers,
    object_markers,
)
from malmm_ros.perception import Grasp
from malmm_ros.scene import GripperState, Scene, SceneObject

keys = st.tuples(st.sampled_from(["objects", "names"]), st.sampled_from("abcde"))


def block(name: str, **changes: object) -> SceneObject:
    values: dict[str, object] = {
        "name": name, "category": "block", "color": "red",
        "pose": Pose((0.1, 0.0, 0.78)), "size": (0.05, 0.04, 0.05),
    } | changes  # fmt: skip
    return SceneObject(**values)  # type: ignore[arg-type]


def scene(*objects: SceneObject, held: str = "") -> Scene:
    gripper = GripperState(
        tcp=top_down((0.0, 0.0, 1.0), 0.0), yaw=0.0, width=0.05, is_open=False, held_object=held
    )
    return Scene(stamp_s=1.0, objects=objects, gripper=gripper)


@given(st.lists(st.sets(keys), max_size=12))
def test_whoever_hears_all_messages_shows_what_is_meant(
    rounds: list[set[tuple[str, str]]],
) -> None:
    """As RViz does: by namespace and number."""
    board = MarkerBoard()
    shown: dict[tuple[str, int], str] = {}
    for wanted in rounds:
        markers = {key: Marker(text=key[1]) for key in wanted}
        for marker in board.show(markers, 1.0).markers:
            if marker.action == Marker.DELETE:
                shown.pop((marker.ns, marker.id), None)
            else:
                shown[marker.ns, marker.id] = marker.text
        assert {(namespace, text) for (namespace, _), text in shown.items()} == wanted


def test_a_deletion_is_repeated_for_who_missed_it() -> None:
    board = MarkerBoard()
    number = board.show({("objects", "a"): Marker()}, 1.0).markers[0].id
    for _ in range(5):
        (deletion,) = board.show({}, 1.0).markers
        assert (deletion.action, deletion.id) == (Marker.DELETE, number)
    for _ in range(10):
        board.show({}, 1.0)
    assert not board.show({}, 1.0).markers


def test_what_is_only_remembered_is_transparent_and_says_so() -> None:
    markers = object_markers(scene(block("a"), block("b", is_remembered=True)))
    assert markers["objects", "b"].color.a < markers["objects", "a"].color.a < 1.0
    assert markers["names", "b"].text == "b (remembered)"


def test_flat_things_have_a_thickness_that_rviz_draws() -> None:
    markers = object_markers(scene(block("mat", size=(0.1, 0.1, 0.0))))
    assert markers["objects", "mat"].scale.z > 0.0


def test_the_chosen_grasp_is_thicker_than_those_it_was_chosen_from() -> None:
    tcp = top_down((0.1, 0.0, 0.78), 0.3)
    grasps = {"a": [Grasp(tcp=tcp, width=0.04, score=0.1 * number) for number in range(9)]}
    markers = grasp_markers(scene(block("a", grasp=tcp), block("b")), grasps)
    assert set(markers) == {(GRASPS, "a"), (CHOSEN, "a")}
    assert markers[CHOSEN, "a"].scale.x > markers[GRASPS, "a"].scale.x
    assert len(markers[GRASPS, "a"].points) == 9 * 8
    # The fingers' ends are beside the tool point, as far apart as the hand is open.
    ends = [markers[CHOSEN, "a"].points[index] for index in (5, 7)]
    assert math.dist((ends[0].x, ends[0].y), (ends[1].x, ends[1].y)) == pytest.approx(0.08)
    assert ends[0].z == pytest.approx(0.78)


def test_a_grasp_that_is_not_finite_is_not_drawn() -> None:
    bad = Grasp(tcp=Pose((math.nan, 0.0, 0.0)), width=0.04, score=1.0)
    markers = grasp_markers(scene(block("a")), {"a": [bad]})
    assert not markers[GRASPS, "a"].points


def test_the_edges_of_what_is_held_are_drawn() -> None:
    assert not held_markers(scene(block("a")))
    (marker,) = held_markers(scene(block("a"), held="a")).values()
    assert len(marker.points) == 24
