from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.sight import Sight
from malmm_ros.cooperation.transport.small_world import LAYOUT, start, thing
from malmm_ros.cooperation.transport.world import TransportWorld

EpisodeMaker = Callable[..., Episode]

EYE = 1.2


@pytest.fixture(scope="module")
def sight() -> Sight:
    return Sight(LAYOUT, eye_m=EYE, field_of_view=math.pi / 2, range_m=5.0)


def is_clear(sight: Sight, a: tuple[float, float], b: tuple[float, float, float]) -> bool:
    return bool(sight.is_clear((*a, EYE), np.array([b]))[0])


def test_walls_and_shelves_hide_tables_do_not(sight: Sight) -> None:
    assert not is_clear(sight, (3.0, 1.5), (5.0, 1.5, 0.1))  # behind the shelf
    assert not is_clear(sight, (3.0, 0.7), (8.0, 0.7, 0.1))  # behind the wall
    assert is_clear(sight, (3.0, 2.5), (8.0, 2.5, 0.1))  # through the door
    assert is_clear(sight, (2.7, 2.0), (2.7, 3.4, 0.8))  # on the table
    assert not is_clear(sight, (2.7, 2.4), (2.7, 4.0, 0.1))  # on the floor behind it


def test_the_image_spans_90_degrees_both_ways(sight: Sight) -> None:
    points = np.array(
        [[3.0, 1.0, EYE], [2.0, 1.99, EYE], [2.0, 2.01, EYE], [0.5, 1.0, EYE], [1.5, 1.0, 0.1]]
    )
    assert sight.is_in_view(1.0, 1.0, 0.0, points).tolist() == [True, True, False, False, False]


def test_a_scan_sees_floor_and_fronts_but_not_behind(sight: Sight) -> None:
    points = sight.scan(1.5, 1.5, 0.0)
    assert np.hypot(points[:, 0] - 1.5, points[:, 1] - 1.5).max() <= 5.0
    behind = (points[:, 0] > 4.5) & (np.abs(points[:, 1] - 1.5) < 0.2)
    assert points[behind][:, 2].min() > 1.8  # only the wall above the shelf shows
    floor = points[(points[:, 0] > 3.0) & (points[:, 0] < 3.5)]
    assert (floor[:, 2] == 0.0).any()
    shelf = points[(points[:, 0] > 4.0) & (points[:, 0] < 4.3) & (abs(points[:, 1] - 1.5) < 0.3)]
    assert shelf[:, 2].max() == pytest.approx(1.8)


def test_the_nearest_50_things_are_listed_nearest_first(make_episode: EpisodeMaker) -> None:
    things = tuple(
        thing(100 + i, "apple", 2.6 + 0.05 * (i % 10), 0.6 + 0.15 * (i // 10)) for i in range(70)
    )
    world = TransportWorld(
        make_episode(things, starts=(start(0.6, 1.2),)),
        agents=("Alice",),
        rules=TransportRules(),
    )
    visible = world.observe()["Alice"].visible
    distances = [math.dist((0.6, 1.2), item.position[:2]) for item in visible]
    assert len(visible) == 50
    assert distances == sorted(distances)


def test_far_small_things_cover_too_few_pixels(make_episode: EpisodeMaker) -> None:
    things = (thing(100, "lighter", 11.5, 0.7), thing(101, "tea_tray", 11.5, 0.9))
    episode = make_episode(things, starts=(start(6.4, 0.8),))
    seen = {
        item.id for item in TransportWorld(episode, agents=("Alice",)).observe()["Alice"].visible
    }
    assert 101 in seen
    far = TransportRules(least_pixels=100)
    world = TransportWorld(episode, agents=("Alice",), rules=far)
    assert 100 not in {item.id for item in world.observe()["Alice"].visible}
