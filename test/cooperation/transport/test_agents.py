from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from malmm_ros.cooperation.transport.actions import ONGOING, TURN_LEFT, drop, grasp
from malmm_ros.cooperation.transport.catalog import CATEGORY_NUMBERS
from malmm_ros.cooperation.transport.episode import Episode, load_episodes
from malmm_ros.cooperation.transport.execution import MOST_INVALID, Execution
from malmm_ros.cooperation.transport.mat import (
    CHANNELS,
    FEATURES,
    MACRO_ACTIONS,
    MatTeam,
    features,
    load_weights,
)
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.plan import Plan
from malmm_ros.cooperation.transport.rhp import RulePlanner
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import run_episode
from malmm_ros.cooperation.transport.schedule import Problem, Worker, schedule
from malmm_ros.cooperation.transport.small_world import start, thing
from malmm_ros.cooperation.transport.team import AGENTS, LEADERS, build_team, check_agents
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.errors import ConfigurationError, UnknownNameError

EpisodeMaker = Callable[..., Episode]

BAKED = (
    thing(100, "bowl", 2.6, 1.2),
    thing(101, "apple", 3.2, 1.0),
    thing(102, "apple", 1.5, 4.2),
    thing(103, "bread", 5.2, 3.6),
)


def test_rhp_carries_everything_to_the_bed(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BAKED), agents=("Alice",))
    record = run_episode(world, build_team(("rhp",), world, seed=0))
    assert record.transport_rate == 1.0
    assert record.frames < 2500
    assert record.messages == 0


def test_the_central_planner_is_no_slower(make_episode: EpisodeMaker) -> None:
    frames = {}
    for kind in ("rhp", "central"):
        world = TransportWorld(make_episode(BAKED))
        record = run_episode(world, build_team((kind, kind), world, seed=0))
        assert record.transport_rate == 1.0
        frames[kind] = record.frames
    assert frames["central"] <= frames["rhp"] + 50


@pytest.mark.parametrize("kind", [*AGENTS, *LEADERS])
def test_every_kind_of_agent_acts(kind: str) -> None:
    world = TransportWorld(
        load_episodes("training")[0],
        agents=AGENT_NAMES[:3],
        rules=TransportRules(horizon_frames=60),
    )
    record = run_episode(world, build_team((kind,) * 3, world, seed=0))
    assert record.frames == 60


def test_names_of_agents_are_checked(make_episode: EpisodeMaker) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rhp'"):
        check_agents(("rph",))
    with pytest.raises(ConfigurationError, match="names no agent"):
        check_agents(())
    with pytest.raises(ConfigurationError, match="1 kinds for 2"):
        build_team(("rhp",), TransportWorld(make_episode()), seed=0)


def test_mat_sees_a_map_of_12_by_24_with_nine_channels(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BAKED))
    weights = np.zeros((len(MACRO_ACTIONS), FEATURES))
    team = MatTeam(world, world.agents, rng=np.random.default_rng(0), weights=weights)
    seats, observations = team.seats(), world.observe()
    for name, seat in seats.items():
        seat.act(observations[name])
    image = team.map_of(seats["Alice"])
    assert image.shape == (12, 24, len(CHANNELS)) == (12, 24, 9)
    assert image[:, :, 5].sum() == image[:, :, 6].sum() == 1.0
    assert 0.0 < image[:, :, 0].mean() < 1.0
    assert features(image).shape == (FEATURES,)


def test_mats_seats_share_what_they_see(make_episode: EpisodeMaker) -> None:
    episode = make_episode(BAKED, starts=(start(1.0, 1.0, 180.0), start(1.0, 2.0, 0.0)))
    world = TransportWorld(episode)
    weights = np.zeros((len(MACRO_ACTIONS), FEATURES))
    team = MatTeam(world, world.agents, rng=np.random.default_rng(0), weights=weights)
    seats, observations = team.seats(), world.observe()
    assert not any(item.category == "target" for item in observations["Alice"].visible)
    for name, seat in seats.items():
        seat.act(observations[name])
    assert seats["Alice"].memory.candidates("target")


def test_schedules_keep_capacities_and_use_containers_where_they_pay() -> None:
    # Everything lies together, far from the bed: one trip with a container beats two without.
    frames = np.full((8, 8), 10.0)
    frames[7, :7] = frames[:7, 7] = 900.0
    problem = Problem(
        frames=frames.tolist(), bed=7, targets=(0, 1, 2, 3), containers=(4,),
        workers=(Worker(node=5),), frames_left=3000.0, capacity=3, grasp_frames=30.0,
        put_frames=20.0, drop_frames=20.0, arrival_frames=40.0,
    )  # fmt: skip
    (trips,) = schedule(problem, np.random.default_rng(0))
    assert len(trips) == 1
    assert trips[0].container == 4
    assert sorted(trips[0].targets) == [0, 1, 2, 3]


def memory_of(world: TransportWorld) -> TransportMemory:
    memory = TransportMemory(world.brief("Alice"))
    memory.update(world.observe()["Alice"])
    return memory


def test_memory_keeps_things_apart_and_marks_classes(make_episode: EpisodeMaker) -> None:
    memory = memory_of(TransportWorld(make_episode(BAKED), agents=("Alice",)))
    assert {item.id for item in memory.candidates("container")} == {100}
    assert {item.id for item in memory.candidates("target")} <= {101, 102, 103}
    assert set(memory.finds) == {item.id for item in memory.objects.values()}
    cell = memory.chart.grid.cell(2.6, 1.2)
    assert memory.chart.classes[cell] == 1 + CATEGORY_NUMBERS["container"]


def test_a_thing_moved_unseen_is_believed_until_it_is_seen_missing(
    make_episode: EpisodeMaker,
) -> None:
    apple = thing(101, "apple", 3.2, 1.0)
    world = TransportWorld(make_episode((apple,)), agents=("Alice",))
    memory = memory_of(world)
    for _ in range(12):
        memory.update(world.step({"Alice": TURN_LEFT}).observations["Alice"])
    world.floor.things[101].position = (7.0, 0.6, 0.05)  # somebody else did
    memory.update(world.step({"Alice": TURN_LEFT}).observations["Alice"])
    assert 101 in memory.objects
    for _ in range(12):
        memory.update(world.step({"Alice": TURN_LEFT}).observations["Alice"])
    assert 101 not in memory.objects


def test_own_deliveries_are_remembered(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BAKED), agents=("Alice",))
    memory = TransportMemory(world.brief("Alice"))
    world.floor.bodies["Alice"].x = 1.5
    world.step({"Alice": grasp(100, 0)})
    body = world.floor.bodies["Alice"]
    body.x, body.y, body.heading = 7.5, 2.3, 0.0
    memory.update(world.step({"Alice": ONGOING}).observations["Alice"])
    assert memory.bed is not None
    body.x = 8.8
    memory.update(world.observe()["Alice"])
    assert memory.held("container") is not None
    memory.update(world.step({"Alice": drop(0)}).observations["Alice"])
    assert memory.objects[100].where == "delivered"


def test_a_plan_is_aborted_after_ten_invalid_actions(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BAKED), agents=("Alice",))
    memory = memory_of(world)
    execution = Execution(memory, np.random.default_rng(0))
    execution.begin(Plan(kind="grasp", object_id=101))
    for _ in range(MOST_INVALID + 1):
        if execution.act() is None:
            break
        # Whatever it does, the world refuses.
        memory.update(world.step({"Alice": drop(1)}).observations["Alice"])
    assert execution.result.state == "aborted"
    assert "invalid" in execution.result.reason
    assert 101 not in {item.id for item in memory.candidates("target")}  # shunned


def test_a_grasp_of_what_is_gone_is_aborted(make_episode: EpisodeMaker) -> None:
    memory = memory_of(TransportWorld(make_episode(BAKED), agents=("Alice",)))
    execution = Execution(memory, np.random.default_rng(0))
    execution.begin(Plan(kind="grasp", object_id=777))
    assert execution.act() is None
    assert execution.result.state == "aborted"


def test_going_to_a_room_is_interrupted_by_a_new_find(make_episode: EpisodeMaker) -> None:
    memory = memory_of(TransportWorld(make_episode(BAKED), agents=("Alice",)))
    assert memory.finds
    execution = Execution(memory, np.random.default_rng(0))
    execution.begin(Plan(kind="go_to", room="<Bedroom> (2000)"))
    assert execution.act() is None
    assert execution.result.state == "interrupted"


def test_exploring_goes_to_the_middle_and_turns_to_all_that_is_unseen(
    make_episode: EpisodeMaker,
) -> None:
    world = TransportWorld(make_episode(BAKED), agents=("Alice",))
    memory = memory_of(world)
    execution = Execution(memory, np.random.default_rng(0))
    execution.begin(Plan(kind="explore", room="<Bedroom> (2000)"))
    turns = 0
    while (action := execution.act()) is not None:
        before = memory.now.pose
        memory.update(world.step({"Alice": action}).observations["Alice"])
        turns = turns + 1 if action.kind.startswith("turn") else 0
        assert world.frame < 2500
    assert execution.result.state == "done"
    assert 8 <= turns <= 24
    assert before.distance(9.0, 2.5) < 1.5
    assert memory.explored_share("<Bedroom> (2000)") > 0.8


def test_rhp_uses_no_model(make_episode: EpisodeMaker) -> None:
    briefing = TransportWorld(make_episode(), agents=("Alice",)).brief("Alice")
    assert RulePlanner(briefing, rng=np.random.default_rng(0)).usage.calls == 0


def mat_image(load: float, time_left: float, *known: int) -> np.ndarray:
    image = np.zeros((12, 24, len(CHANNELS)), np.float32)
    image[6, 12, 5] = 1.0
    image[:, :, 0], image[:, :, 7], image[:, :, 8] = 0.5, load / 4.5, time_left
    for channel in known:
        image[6, 15, channel] = 1.0
    return image


@pytest.mark.parametrize(
    ("image", "wanted"),
    [
        (mat_image(3.5, 0.6, 2, 4), "goal"),  # a full container
        (mat_image(2.0, 0.6, 2, 4), "goal"),  # two full hands
        (mat_image(0.5, 0.6, 2, 4), "target"),
        (mat_image(0.0, 0.9, 2, 3), "container"),
        (mat_image(0.0, 0.9), "explore"),
        (mat_image(1.0, 0.1, 2, 4), "goal"),  # late
    ],
)
def test_the_trained_policy_has_learnt_the_rules(image: np.ndarray, wanted: str) -> None:
    logits = load_weights() @ features(image)
    assert MACRO_ACTIONS[int(logits.argmax())] == wanted


@pytest.mark.slow
def test_the_trained_policy_is_better_than_random_choices() -> None:
    rates = {}
    for name, weights in (("trained", load_weights()), ("random", np.zeros((4, FEATURES)))):
        done = []
        for episode in load_episodes("training")[:4]:
            world = TransportWorld(episode)
            options = {"mat": {"weights": weights}}
            team = build_team(("mat", "mat"), world, seed=0, options=options)
            done.append(run_episode(world, team).transport_rate)
        rates[name] = float(np.mean(done))
    assert rates["trained"] > rates["random"] + 0.1


@pytest.mark.slow
def test_an_oracle_episode_of_two_rhp_agents_takes_at_most_10_s_of_processor() -> None:
    world = TransportWorld(load_episodes("test")[1])
    team = build_team(("rhp", "rhp"), world, seed=0)
    started = time.process_time()
    run_episode(world, team)
    assert time.process_time() - started < 10.0
