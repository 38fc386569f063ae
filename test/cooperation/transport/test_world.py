from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.cooperation.transport.actions import (
    FAILURES,
    FORWARD,
    ONGOING,
    PUT,
    TURN_LEFT,
    TURN_RIGHT,
    Action,
    drop,
    grasp,
    send,
)
from malmm_ros.cooperation.transport.episode import Episode, load_episodes
from malmm_ros.cooperation.transport.observation import Observation
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import run_episode
from malmm_ros.cooperation.transport.small_world import start, thing
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.errors import ConfigurationError, PerceptionError, SimulationError, UnknownNameError

EpisodeMaker = Callable[..., Episode]

RULES = TransportRules(frame_scale=1.0)


def alone(make: EpisodeMaker, *actions: Action, **episode: object) -> list[Observation]:
    """What Alice observes after each of her actions."""
    world = TransportWorld(make(**episode), agents=("Alice",), rules=RULES)
    return [world.step({"Alice": action}).observations["Alice"] for action in actions]


def test_forward_walks_half_a_metre_and_turns_are_15_degrees(make_episode: EpisodeMaker) -> None:
    *_, last = alone(make_episode, FORWARD, TURN_LEFT, TURN_LEFT, TURN_RIGHT)
    assert (last.pose.x, last.pose.y) == pytest.approx((1.5, 1.0))
    assert math.degrees(last.pose.heading) == pytest.approx(15.0)
    assert last.frame == 15 + 3 * 5


def test_one_frame_scale_stretches_every_action(make_episode: EpisodeMaker) -> None:
    rules = replace(RULES, frame_scale=2.0)
    world = TransportWorld(make_episode(), agents=("Alice",), rules=rules)
    assert world.step({"Alice": FORWARD}).frames == 30
    assert world.step({"Alice": TURN_LEFT}).frames == 10
    assert world.step({"Alice": send("hello")}).frames == 1  # but messages


def test_a_step_ends_when_any_action_ends_and_the_other_goes_on(
    make_episode: EpisodeMaker,
) -> None:
    world = TransportWorld(make_episode(), rules=RULES)
    step = world.step({"Alice": FORWARD, "Bob": TURN_LEFT})
    assert step.frames == 5
    assert step.observations["Bob"].status == "success"
    assert step.observations["Alice"].status == "ongoing"
    step = world.step({"Alice": ONGOING, "Bob": TURN_LEFT})
    step = world.step({"Alice": ONGOING, "Bob": TURN_LEFT})
    assert step.observations["Alice"].status == "success"
    assert step.observations["Alice"].pose.x == pytest.approx(1.5)


def test_who_waits_is_not_told_before_another_action_ends(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(), rules=RULES)
    step = world.step({"Alice": PUT, "Bob": FORWARD})
    assert (step.frames, step.observations["Alice"].status) == (1, "fail")
    assert world.step({"Alice": ONGOING, "Bob": ONGOING}).frames == 14
    assert world.step({"Alice": ONGOING, "Bob": ONGOING}).frames == 1  # nobody does anything


def test_a_new_action_replaces_the_one_that_goes_on(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(), rules=RULES)
    world.step({"Alice": FORWARD, "Bob": TURN_LEFT})
    step = world.step({"Alice": TURN_LEFT, "Bob": TURN_LEFT})
    assert step.observations["Alice"].pose.x == pytest.approx(1.0 + 0.5 * 5 / 15)
    assert step.observations["Alice"].status == "success"


def test_a_grasp_walks_up_to_07_m_and_takes_the_object(make_episode: EpisodeMaker) -> None:
    (seen,) = alone(make_episode, grasp(100, 1), things=(thing(100, "apple", 2.6, 1.0),))
    assert seen.status == "success"
    assert seen.held[0] is None
    assert seen.held[1] is not None
    assert seen.held[1].kind == "apple"
    assert seen.pose.distance(2.6, 1.0) == pytest.approx(0.7, abs=1e-6)


@pytest.mark.parametrize(
    ("reason", "actions"),
    [
        ("too_far", (grasp(101, 0),)),
        ("unknown_object", (grasp(999, 0),)),
        ("not_movable", (grasp(0, 0),)),  # the table
        ("not_movable", (grasp(104, 0),)),  # the other task's
        ("full", (grasp(100, 0), grasp(102, 0))),
        ("not_holding", (PUT,)),
        ("not_holding", (drop(0),)),
        ("not_holding", (grasp(103, 0), PUT)),
        ("empty_message", (send("  "),)),
    ],
)
def test_refused_actions_say_why_and_cost_one_frame(
    make_episode: EpisodeMaker, reason: str, actions: tuple[Action, ...]
) -> None:
    things = (
        thing(100, "apple", 1.6, 1.0),
        thing(101, "apple", 5.0, 3.0),
        thing(102, "banana", 1.7, 1.3),
        thing(103, "bowl", 1.5, 0.7),
        thing(104, "pen", 1.5, 1.5),
    )
    world = TransportWorld(make_episode(things), agents=("Alice",), rules=RULES)
    for action in actions:
        step = world.step({"Alice": action})
    observation = step.observations["Alice"]
    assert observation.failure == reason
    assert observation.status == "fail"
    assert not observation.is_valid
    assert reason in FAILURES
    assert step.frames == 1


def test_a_wall_or_a_shelf_between_means_occluded(make_episode: EpisodeMaker) -> None:
    (seen,) = alone(
        make_episode,
        grasp(100, 0),
        things=(thing(100, "apple", 5.0, 1.5),),
        starts=(start(3.4, 1.5),),
    )
    assert seen.failure == "occluded"


def test_what_a_teammate_holds_is_taken(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode((thing(100, "apple", 1.6, 1.5),)), rules=RULES)
    step = world.step({"Alice": grasp(100, 0), "Bob": grasp(100, 0)})
    while not any(o.held[0] for o in step.observations.values()):
        step = world.step({"Alice": ONGOING, "Bob": ONGOING})
    loser = step.observations["Bob"]
    assert step.observations["Alice"].held[0] is not None
    step = world.step({"Alice": TURN_LEFT, "Bob": ONGOING})
    loser = step.observations["Bob"]
    assert (loser.status, loser.failure) == ("fail", "taken")
    step = world.step({"Alice": TURN_LEFT, "Bob": grasp(100, 0)})
    assert step.observations["Bob"].failure == "taken"


def fill_bowl(world: TransportWorld, ids: tuple[int, ...]) -> Observation:
    world.step({"Alice": grasp(100, 0)})
    for number in ids:
        world.step({"Alice": grasp(number, 1)})
        observation = world.step({"Alice": PUT}).observations["Alice"]
    return observation


BOWL_AND_APPLES = (
    thing(100, "bowl", 1.6, 1.0),
    *(thing(101 + i, "apple", 1.6, 0.6 + 0.2 * i) for i in range(4)),
)


def test_a_container_holds_three(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BOWL_AND_APPLES), agents=("Alice",), rules=RULES)
    observation = fill_bowl(world, (101, 102, 103, 104))
    assert observation.failure == "full"
    assert observation.held[0] is not None
    assert [number for number, _ in observation.held[0].contents] == [101, 102, 103]
    assert observation.held[1] is not None


def test_a_container_laid_down_keeps_its_contents(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(BOWL_AND_APPLES), agents=("Alice",), rules=RULES)
    fill_bowl(world, (101, 102))
    world.step({"Alice": drop(0)})
    assert {item.id for item in world.floor.things[100].contents} == {101, 102}
    assert world.floor.things[101].position == world.floor.things[100].position
    assert world.step({"Alice": grasp(101, 0)}).observations["Alice"].failure == "in_container"
    assert world.progress.rate == 0.0


def carried_to(world: TransportWorld, x: float, y: float) -> None:
    """Move Alice by hand; the world's own check says whether she may stand there."""
    body = world.floor.bodies["Alice"]
    body.x, body.y = x, y
    world.floor.check()


@pytest.mark.parametrize(
    ("x", "y", "is_delivered"),
    [(8.8, 2.3, True), (8.0, 2.3, True), (6.4, 4.0, False), (5.6, 2.5, False)],
)
def test_only_what_lies_within_3_m_of_the_bed_in_the_bedroom_counts(
    make_episode: EpisodeMaker, x: float, y: float, is_delivered: bool
) -> None:
    world = TransportWorld(make_episode(BOWL_AND_APPLES), agents=("Alice",), rules=RULES)
    world.step({"Alice": grasp(101, 0)})
    carried_to(world, x, y)
    assert world.progress.rate == 0.0  # held things do not count
    world.step({"Alice": drop(0)})
    assert world.progress.rate == (0.25 if is_delivered else 0.0)


def test_a_delivered_container_is_lost_and_what_counts_stays_counted(
    make_episode: EpisodeMaker,
) -> None:
    world = TransportWorld(make_episode(BOWL_AND_APPLES), agents=("Alice",), rules=RULES)
    fill_bowl(world, (101, 102))
    carried_to(world, 8.8, 2.3)
    step = world.step({"Alice": drop(0)})
    assert world.progress.done == {"apple": 2}
    assert step.reward == pytest.approx(0.5, abs=0.01)
    assert world.step({"Alice": grasp(100, 0)}).observations["Alice"].failure == "delivered"


def test_the_episode_ends_when_the_sub_goals_are_met(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(), agents=("Alice",), rules=RULES)
    world.step({"Alice": grasp(100, 0)})
    carried_to(world, 8.8, 2.3)
    assert world.step({"Alice": drop(0)}).is_over
    assert world.progress.is_complete
    with pytest.raises(SimulationError, match="is over"):
        world.step({"Alice": FORWARD})


def test_the_horizon_ends_an_episode(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(
        make_episode(), agents=("Alice",), rules=replace(RULES, horizon_frames=7)
    )
    step = world.step({"Alice": FORWARD})
    assert (step.is_over, world.frame) == (True, 7)


@pytest.mark.parametrize(("length", "frames"), [(1, 1), (500, 1), (501, 2), (1001, 3)])
def test_a_message_costs_a_frame_for_each_500_characters(
    make_episode: EpisodeMaker, length: int, frames: int
) -> None:
    world = TransportWorld(make_episode(), rules=RULES)
    step = world.step({"Alice": send("a" * length), "Bob": FORWARD})
    assert step.frames == frames
    for observation in step.observations.values():
        assert [(m.sender, len(m.text)) for m in observation.messages] == [("Alice", length)]
    step = world.step({"Alice": TURN_LEFT, "Bob": ONGOING})
    assert not step.observations["Bob"].messages  # cleared
    assert world.sent[0].frames == frames


def test_acting_and_speaking_cost_reward(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(), agents=("Alice",), rules=RULES)
    assert world.step({"Alice": FORWARD}).reward == pytest.approx(-15 * RULES.action_cost)
    spoken = world.step({"Alice": send("hello")}).reward
    assert spoken == pytest.approx(-RULES.action_cost - RULES.message_cost)


def test_walls_furniture_and_teammates_block(make_episode: EpisodeMaker) -> None:
    for x, y, heading, mate in (
        (0.4, 1.0, 180.0, (5.0, 4.0)),  # the outer wall
        (2.5, 2.7, 90.0, (5.0, 4.0)),  # the table
        (1.0, 1.0, 0.0, (1.5, 1.0)),  # a teammate
    ):
        episode = make_episode(starts=(start(x, y, heading), start(*mate)))
        world = TransportWorld(episode, rules=RULES)
        observation = world.step({"Alice": FORWARD, "Bob": ONGOING}).observations["Alice"]
        assert (observation.status, observation.failure) == ("fail", "blocked")
        assert observation.is_valid


def test_the_held_things_of_a_teammate_show_only_in_sight(make_episode: EpisodeMaker) -> None:
    episode = make_episode(starts=(start(1.0, 1.0, 0.0), start(2.5, 1.4, 180.0)))
    world = TransportWorld(episode, rules=RULES)
    step = world.step({"Alice": ONGOING, "Bob": grasp(100, 0)})
    while step.observations["Bob"].status == "ongoing":
        step = world.step({"Alice": ONGOING, "Bob": ONGOING})
    (mate,) = step.observations["Alice"].teammates
    assert mate.held[0] is not None
    assert mate.held[0].id == 100
    for _ in range(12):
        step = world.step({"Alice": TURN_LEFT, "Bob": ONGOING})
    assert not step.observations["Alice"].teammates


def test_only_pixels_tells_nothing_of_objects(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(), observations="pixels")
    observation = world.observe()["Alice"]
    assert not observation.visible
    assert len(observation.scan) == 0
    with pytest.raises(PerceptionError, match="no camera"):
        observation.look()


def test_wrong_settings_are_refused(make_episode: EpisodeMaker) -> None:
    episode = make_episode()
    with pytest.raises(ConfigurationError, match="1 to 2"):
        TransportWorld(episode, agents=AGENT_NAMES)
    with pytest.raises(ConfigurationError, match="differ"):
        TransportWorld(episode, agents=("Alice", "Alice"))
    with pytest.raises(UnknownNameError):
        TransportWorld(episode, observations="orcale")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="no action for Bob"):
        TransportWorld(episode).step({"Alice": FORWARD})


def trace(seed: int) -> list[tuple[float, ...]]:
    world = TransportWorld(load_episodes("test")[5], rules=TransportRules(horizon_frames=250))
    poses: list[tuple[float, ...]] = []
    run_episode(
        world,
        build_team(("rhp", "random"), world, seed=seed),
        on_step=lambda w, _: poses.append(
            (w.frame, *((b.x, b.y, b.heading) for b in w.floor.bodies.values()))  # type: ignore[arg-type]
        ),
    )
    return poses


def test_the_same_seed_gives_the_same_episode_bit_for_bit() -> None:
    assert trace(3) == trace(3)
    assert trace(3) != trace(4)


def shake(episode_number: int, agents: int, frames: int) -> None:
    """Random actions; the world itself checks every frame that nobody is inside anything."""
    world = TransportWorld(
        load_episodes("test" if episode_number % 2 else "training")[episode_number % 24],
        agents=AGENT_NAMES[:agents],
        rules=TransportRules(horizon_frames=frames),
        observations="pixels",  # these agents look at nothing, which is quick
    )
    rng = np.random.default_rng([episode_number, agents])
    gaps: list[float] = []
    world.on_frame = lambda w: gaps.append(_least_gap(w) if w.frame % 4 == 0 else 0.0)
    while not world.is_over:
        world.step({name: _any_action(world, name, rng) for name in world.agents})
    assert len(gaps) == world.frame
    assert min(gaps) > -1e-6


def _any_action(world: TransportWorld, name: str, rng: np.random.Generator) -> Action:
    body = world.floor.bodies[name]
    if body.activity is not None and rng.random() < 0.9:
        return ONGOING
    draw, arm = rng.random(), 0 if rng.random() < 0.5 else 1
    if draw < 0.55:
        return FORWARD
    if draw < 0.8:
        return TURN_LEFT if arm else TURN_RIGHT
    if draw < 0.93:
        things = [t for t in world.floor.things.values() if t.is_lying and t.category != "other"]
        nearest = min(things, key=lambda t: math.dist(t.position[:2], (body.x, body.y)))
        return grasp(nearest.id, 0 if arm else 1)
    return PUT if draw < 0.95 else drop(0 if arm else 1) if draw < 0.99 else send("hello")


def _least_gap(world: TransportWorld) -> float:
    """An independent check: free room around the agents, by sampling their rims."""
    angles = np.linspace(0.0, math.tau, 24, endpoint=False)
    least = math.inf
    bodies = list(world.floor.bodies.values())
    boxes = world.floor.obstacles.boxes
    for index, body in enumerate(bodies):
        xs = body.x + world.rules.radius_m * np.cos(angles)
        ys = body.y + world.rules.radius_m * np.sin(angles)
        inside = np.minimum(
            np.minimum(xs[:, None] - boxes[:, 0], boxes[:, 2] - xs[:, None]),
            np.minimum(ys[:, None] - boxes[:, 1], boxes[:, 3] - ys[:, None]),
        )
        least = min(least, -float(inside.max()))
        for other in bodies[:index]:
            gap = math.dist((body.x, body.y), (other.x, other.y)) - 2 * world.rules.radius_m
            least = min(least, gap)
    return least


@pytest.mark.parametrize("agents", [1, 2, 3, 4])
def test_random_actions_never_put_an_agent_inside_anything(agents: int) -> None:
    shake(agents, agents, 300)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("agents", [1, 2, 3, 4])
def test_100_random_episodes_never_put_an_agent_inside_anything(agents: int) -> None:
    for number in range(25):
        shake(number, agents, 3000)
