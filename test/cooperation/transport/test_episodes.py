from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS, families_of
from malmm_ros.cooperation.transport.collision import Obstacles
from malmm_ros.cooperation.transport.episode import (
    Episode,
    load_episodes,
    read_episodes,
    write_episodes,
)
from malmm_ros.cooperation.transport.floorplans import FLOOR_PLANS, TEST_PLANS, TRAINING_PLANS
from malmm_ros.cooperation.transport.furnishing import furnish
from malmm_ros.cooperation.transport.placement import (
    CONTAINER_CLEARANCE_M,
    FLOOR_CLEARANCE_M,
    generate_episode,
    shares_by_room,
)
from malmm_ros.cooperation.transport.reachability import find_unreachable
from malmm_ros.errors import SimulationError, UnknownNameError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def generated() -> list[Episode]:
    episodes = []
    for plan in FLOOR_PLANS.values():
        for seed in range(15):
            rng = np.random.default_rng(seed)
            layout = furnish(plan, f"{plan.name}/{seed}", rng)
            episodes += [
                generate_episode(layout, name="x", task="food", containers=setting, rng=rng)
                for setting in (0, 1)
            ]
    return episodes


def frozen() -> tuple[Episode, ...]:
    return load_episodes("test") + load_episodes("training")


@pytest.mark.parametrize(("name", "plans"), [("test", TEST_PLANS), ("training", TRAINING_PLANS)])
def test_a_set_is_two_plans_three_layouts_two_settings_two_tasks(
    name: str, plans: tuple[str, ...]
) -> None:
    episodes = load_episodes(name)
    combinations = {(e.layout.name, e.containers, e.task) for e in episodes}
    assert len(episodes) == len(combinations) == 24
    assert {e.layout.name.partition("/")[0] for e in episodes} == set(plans)
    assert len({e.layout.name for e in episodes}) == 6


def test_plans_have_six_to_eight_rooms_and_the_sets_share_none() -> None:
    assert not set(TEST_PLANS) & set(TRAINING_PLANS)
    for plan in FLOOR_PLANS.values():
        rooms = Counter(room.kind for room in plan.named_rooms())
        assert 6 <= sum(rooms.values()) - rooms["Porch"] <= 8
        assert rooms["Kitchen"] == rooms["Bedroom"] == 1
        assert rooms["Livingroom"] > 1


def test_ten_targets_and_the_other_tasks_things_distract() -> None:
    for episode in frozen():
        assert sum(episode.goal.values()) == 10
        counts = Counter(
            (THINGS[t.kind].task, THINGS[t.kind].is_container) for t in episode.things
        )
        containers = 5 if episode.containers == 0 else 2
        for task in ("food", "stuff"):
            assert counts[task, False] == 10
            assert counts[task, True] == containers


def test_everything_can_be_reached() -> None:
    for episode in frozen():
        assert find_unreachable(episode) == []


def test_agents_start_in_different_rooms_clear_of_everything() -> None:
    for episode in frozen():
        obstacles = Obstacles.of(episode.layout)
        assert len({s.room for s in episode.starts}) == len(episode.starts) == 4
        for start in episode.starts:
            assert obstacles.clearance(start.x, start.y) >= 0.44
            assert start.heading_deg % 15 == 0


def test_shares_of_families_by_room_are_the_benchmarks(generated: list[Episode]) -> None:
    shares = shares_by_room(generated)
    assert shares["fruit"]["Livingroom"] == pytest.approx(0.88, abs=0.05)
    assert shares["fruit"]["Kitchen"] == pytest.approx(0.12, abs=0.05)
    assert shares["bakery"]["Kitchen"] == pytest.approx(0.6, abs=0.07)
    assert shares["desk"]["Office"] == pytest.approx(0.75, abs=0.07)
    assert shares["pocket"]["Livingroom"] >= 0.92


def test_furniture_holds_what_it_may(generated: list[Episode]) -> None:
    for episode in generated:
        on = Counter(thing.on for thing in episode.things if thing.on is not None)
        pieces = {piece.id: piece for piece in episode.layout.furniture}
        for number, count in on.items():
            assert count <= FURNITURE[pieces[number].kind].most_things
        for thing in episode.things:
            if thing.on is not None:
                assert pieces[thing.on].area.contains(*thing.position[:2])
        families = Counter(THINGS[t.kind].family for t in episode.things if t.on is not None)
        assert max(families.values()) <= 4


def test_at_most_six_of_a_family(generated: list[Episode]) -> None:
    for episode in generated:
        families = Counter(THINGS[t.kind].family for t in episode.things)
        for task in ("food", "stuff"):
            counts = [families[name] for name in families_of(task)]
            assert sum(counts) == 10
            assert max(counts) <= 6


def test_floor_things_keep_clear_of_obstacles(generated: list[Episode]) -> None:
    for episode in generated:
        obstacles = Obstacles.of(episode.layout)
        for thing in episode.things:
            if thing.on is None:
                is_container = THINGS[thing.kind].is_container
                least = CONTAINER_CLEARANCE_M if is_container else FLOOR_CLEARANCE_M
                assert obstacles.clearance(*thing.position[:2]) >= least - 1e-3


def test_containers_stay_in_their_rooms(generated: list[Episode]) -> None:
    for episode in generated:
        rooms: dict[str, set[str]] = {"food": set(), "stuff": set()}
        for thing in episode.things:
            kind = THINGS[thing.kind]
            room = episode.layout.room(thing.room)
            assert room.kind not in ("Bedroom", "Porch")
            if kind.is_container:
                rooms[kind.task].add(thing.room)
                assert room.kind != ("Office" if kind.task == "food" else "Kitchen")
        assert not rooms["food"] & rooms["stuff"]
        assert max(len(names) for names in rooms.values()) <= 2 - episode.containers


def test_furniture_leaves_passages(generated: list[Episode]) -> None:
    for episode in generated[::6]:
        for piece in episode.layout.furniture:
            for door in episode.layout.doors:
                assert piece.room not in door.rooms or piece.area.gap(door.area) >= 0.8


def test_a_changed_file_is_refused() -> None:
    text = write_episodes(load_episodes("test")[:1])
    assert read_episodes(text, where="x") == load_episodes("test")[:1]
    with pytest.raises(SimulationError, match="does not match its hash"):
        read_episodes(text.replace('"heading_deg":', '"heading_deg":1', 1), where="x")


def test_an_unknown_set_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'test'"):
        load_episodes("tests")


def test_the_generator_still_gives_the_frozen_episodes() -> None:
    tool = _load_tool("freeze_transport_episodes")
    assert tuple(tool.make_episodes("test", TEST_PLANS)) == load_episodes("test")


def _load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module
