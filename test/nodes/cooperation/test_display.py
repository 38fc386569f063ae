from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from visualization_msgs.msg import Marker

from malmm_ros.cooperation.mapping import Grid, SemanticMap
from malmm_ros.cooperation.transport.actions import ONGOING, PUT, TURN_LEFT, drop, grasp, send
from malmm_ros.cooperation.transport.small_world import LAYOUT, small_episode, start, thing
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.nodes.cooperation.display import agent_frames, flat_markers, moving_markers
from malmm_ros.nodes.cooperation.maps import FREE, OCCUPIED, UNKNOWN, grid_message

CONFIG = Path(__file__).parents[3] / "config" / "cooperation.rviz"
MANAGER = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["Visualization Manager"]


@pytest.fixture
def world() -> TransportWorld:
    things = [thing(10, "apple", 1.5, 1.0), thing(11, "bowl", 1.0, 1.5), thing(12, "pen", 8.0, 4)]
    starts = [start(1.0, 1.0), start(7.0, 2.0, 90.0)]
    return TransportWorld(small_episode(things, starts))


def play(world: TransportWorld, *actions: object) -> None:
    """Alice's actions one after the other, while Bob stands."""
    for action in actions:
        world.step({"Alice": action, "Bob": ONGOING})
        while world.floor.bodies["Alice"].activity is not None:
            world.step({"Alice": ONGOING, "Bob": ONGOING})


def check(markers: dict[tuple[str, str], Marker]) -> None:
    shown = {
        namespace for display in MANAGER["Displays"] for namespace in display.get("Namespaces", {})
    }
    for (namespace, _), marker in markers.items():
        assert namespace in shown
        turn, scale = marker.pose.orientation, marker.scale
        assert math.hypot(turn.x, turn.y, turn.z, turn.w) == pytest.approx(1.0)
        assert marker.color.a > 0.0
        is_text = marker.type == Marker.TEXT_VIEW_FACING
        assert (scale.z if is_text else min(scale.x, scale.y, scale.z)) > 0.0
        assert bool(marker.text) == is_text


def test_walls_furniture_and_rooms_are_shown_once(world: TransportWorld) -> None:
    markers = flat_markers(world.episode.layout)
    check(markers)
    names = [namespace for namespace, _ in markers]
    assert names.count("walls") == len(LAYOUT.walls)
    assert names.count("furniture") == len(LAYOUT.furniture)
    assert {m.text for m in markers.values()} >= {room.name for room in LAYOUT.rooms}


def test_what_is_carried_goes_along_and_what_lies_in_it_too(world: TransportWorld) -> None:
    assert ("things", "thing 10") in moving_markers(world)
    play(world, grasp(10, 0), grasp(11, 1), PUT)
    markers = moving_markers(world)
    check(markers)
    body = world.floor.bodies["Alice"]
    for number in (10, 11):
        place = markers["carried", f"thing {number}"].pose.position
        assert math.hypot(place.x - body.x, place.y - body.y) < 0.5
        assert ("things", f"thing {number}") not in markers
    play(world, drop(1))
    assert ("carried", "thing 11") not in moving_markers(world)


def test_words_stay_above_a_head_for_a_while(world: TransportWorld) -> None:
    play(world, send("I found an apple"))
    assert moving_markers(world)["spoken", "words Alice"].text == "I found an apple"
    play(world, *([TURN_LEFT] * 20))
    assert ("spoken", "words Alice") not in moving_markers(world)


def test_each_agent_has_a_frame_where_it_stands_and_looks(world: TransportWorld) -> None:
    alice, bob = agent_frames(world, 1.0)
    assert (alice.header.frame_id, alice.child_frame_id) == ("world", "alice/base")
    assert (bob.transform.translation.x, bob.transform.translation.y) == (7.0, 2.0)
    turn = bob.transform.rotation
    assert 2.0 * math.atan2(turn.z, turn.w) == pytest.approx(math.pi / 2)


def test_a_map_knows_free_occupied_and_unknown_cells() -> None:
    chart = SemanticMap(Grid.over(-1.0, 2.0, 1.0, 3.0))
    chart.add_points(np.array([[-0.9, 2.1, 0.0], [0.9, 2.9, 1.0]], np.float32))
    message = grid_message(chart, stamp_s=2.0)
    assert (message.info.width, message.info.height) == (16, 8)
    assert (message.info.origin.position.x, message.info.origin.position.y) == (-1.0, 2.0)
    cells = np.array(message.data).reshape(8, 16)
    assert cells[0, 0] == FREE
    assert cells[7, 15] == OCCUPIED
    assert (cells == UNKNOWN).sum() == 8 * 16 - 2


def test_every_topic_that_rviz_is_told_of_is_published() -> None:
    topics = {d["Topic"]["Value"] for d in MANAGER["Displays"] if "Topic" in d}
    assert topics == {"flat_markers", "cooperation_markers", "alice/map", "bob/map"}
