"""Agents that see pixels only, in the two rooms made by hand."""

from collections.abc import Iterator

import numpy as np
import pytest

from malmm_ros.cooperation.detection.world import DetectedWorld
from malmm_ros.cooperation.mapping import Grid, SemanticMap
from malmm_ros.cooperation.transport.actions import TURN_LEFT, grasp
from malmm_ros.cooperation.transport.small_world import small_episode, start, thing
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.evaluation.cooperation import CooperationConfig

APPLE, BOWL, OTHER = 100, 101, 102


@pytest.fixture
def world() -> Iterator[DetectedWorld]:
    episode = small_episode(
        [
            thing(APPLE, "apple", 2.6, 1.5, 0.045),
            thing(BOWL, "bowl", 3.0, 2.3, 0.05),
            thing(OTHER, "plastic_basket", 3.4, 0.8, 0.11),
        ],
        [start(1.0, 1.5), start(5.0, 4.0)],
    )
    made = DetectedWorld(episode, agents=("Alice",))
    yield made
    made.close()


def test_things_in_sight_are_classified_and_placed_by_pixels(world: DetectedWorld) -> None:
    seen = {item.kind: item for item in world.observe()["Alice"].visible}
    assert set(seen) == {"apple", "bowl", "plastic_basket"}
    assert seen["apple"].category == "target"
    assert seen["bowl"].category == "container"
    assert seen["plastic_basket"].category == "other"
    assert seen["apple"].position == pytest.approx((2.6, 1.5, 0.045), abs=0.06)


def test_no_agent_gets_the_renderers_labels(world: DetectedWorld) -> None:
    image = world.observe()["Alice"].look()
    assert image.labels is None
    assert image.label_names == ()


def test_numbers_are_the_agents_own_and_stay(world: DetectedWorld) -> None:
    before = {item.kind: item.id for item in world.observe()["Alice"].visible}
    after = world.step({"Alice": TURN_LEFT}).observations["Alice"].visible
    assert not {APPLE, BOWL, OTHER} & set(before.values())
    assert {item.kind: item.id for item in after}["apple"] == before["apple"]


def test_a_grasp_takes_what_lies_where_it_was_seen(world: DetectedWorld) -> None:
    number = next(i.id for i in world.observe()["Alice"].visible if i.kind == "apple")
    observation = world.step({"Alice": grasp(number, 0)}).observations["Alice"]
    held = observation.held[0]
    assert held is not None
    assert (held.id, held.kind) == (number, "apple")
    assert world.floor.things[APPLE].holder == "Alice"


def test_a_grasp_by_the_worlds_own_number_finds_nothing(world: DetectedWorld) -> None:
    world.observe()
    observation = world.step({"Alice": grasp(APPLE, 0)}).observations["Alice"]
    assert observation.failure == "unknown_object"


def test_a_map_from_depth_holds_the_table_but_nothing_that_can_be_carried(
    world: DetectedWorld,
) -> None:
    bounds = world.episode.layout.bounds
    chart = SemanticMap(Grid.over(bounds.x0, bounds.y0, bounds.x1, bounds.y1))
    chart.add_points(world.observe()["Alice"].scan)
    assert chart.occupied[chart.grid.cell(3.2, 3.06)]
    assert not chart.occupied[chart.grid.cell(3.4, 0.8)]
    truly = world.true_heights() >= 0.1
    false = chart.occupied & ~truly
    assert false.sum() <= 0.1 * np.count_nonzero(chart.occupied)


def test_what_was_detected_is_judged_by_the_renderers_labels(world: DetectedWorld) -> None:
    world.observe()
    report = world.judge.report()
    assert report["images"] == 1
    assert report["map_50_things"] > 0.9


def test_one_mind_for_all_cannot_run_on_pixels() -> None:
    with pytest.raises(ConfigurationError, match="central"):
        CooperationConfig(agents=("central",), observations="detected", episodes="training/00")


def test_a_moment_that_has_passed_cannot_be_looked_at(world: DetectedWorld) -> None:
    late = world.observe()["Alice"]
    world.step({"Alice": TURN_LEFT})
    with pytest.raises(PerceptionError):
        late.look()
