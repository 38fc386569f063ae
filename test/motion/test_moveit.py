"""The MoveIt planner before a stand-in that keeps MoveIt's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planning_server import DirectClient, PlanningServer

from malmm_ros.bench.planning_queries import block
from malmm_ros.errors import ConfigurationError, MotionError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.models import arm_joint_names
from malmm_ros.motion import HeldObject, PlanningScene
from malmm_ros.motion.moveit import MoveItPlanner
from malmm_ros.motion.moveit_client import PlanAnswer
from malmm_ros.motion.moveit_codes import code_error, describe_code
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.moveit_scene import TABLE_BODY
from malmm_ros.trajectory import JointState, Trajectory

ABOVE = top_down((0.25, 0.0, 1.0), 0.0)


@pytest.fixture(scope="module")
def kept_client() -> DirectClient:
    return DirectClient()


@pytest.fixture(scope="module")
def kept_planner(kept_client: DirectClient) -> MoveItPlanner:
    return MoveItPlanner(kept_client, MoveItConfig(planners=("first", "second")))


@pytest.fixture
def client(kept_client: DirectClient) -> DirectClient:
    """The one that every test shares, since making one takes a second."""
    server = kept_client.server
    for name in list(server.attached):
        server.detach(name)
    server.remove("")
    server.calls.clear()
    server.planners.clear()
    kept_client.diffs.clear()
    server.broken = frozenset()
    return kept_client


@pytest.fixture
def planner(kept_planner: MoveItPlanner, client: DirectClient) -> MoveItPlanner:
    assert client.server.bodies == {}
    return kept_planner


def refusal(
    planner: MoveItPlanner,
    start: JointState,
    goal: Pose,
    scene: PlanningScene,
    *,
    straight: bool = False,
) -> MotionError:
    with pytest.raises(MotionError) as caught:
        planner.plan(start, goal, scene, straight=straight)
    return caught.value


def carried(width: float = 0.05) -> HeldObject:
    item = block("red block", 0.0, 0.0, size=(width, width, width))
    return HeldObject(item=item, tcp_from_object=Pose((0.0, 0.0, 0.0)))


def test_it_needs_somebody_who_speaks_to_moveit() -> None:
    with pytest.raises(ConfigurationError, match="node `motion`"):
        MoveItPlanner()


def test_the_scene_is_told_once_and_then_only_what_changed(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    red, blue = block("red block", 0.3, 0.2), block("blue block", 0.3, -0.2)
    planner.plan(ready, ABOVE, PlanningScene(objects=(red, blue)))
    assert {body.name for body in client.diffs[-1].added} == {
        TABLE_BODY,
        "malmm/red block",
        "malmm/blue block",
    }
    count = len(client.diffs)
    planner.plan(ready, ABOVE, PlanningScene(objects=(red, blue)))
    assert len(client.diffs) == count
    moved = replace(blue, pose=Pose((0.35, -0.2, blue.pose.position[2])))
    planner.plan(ready, ABOVE, PlanningScene(objects=(moved,)))
    (added,) = client.diffs[-1].added
    assert added.name == "malmm/blue block"
    assert client.diffs[-1].removed == ("malmm/red block",)
    assert set(client.server.bodies) == {TABLE_BODY, "malmm/blue block"}


def test_a_move_group_that_was_started_anew_is_told_everything(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    scene = PlanningScene(objects=(block("red block", 0.3, 0.2),), held=carried())
    scene = replace(scene, objects=(block("blue block", 0.3, 0.2),))
    planner.plan(ready, ABOVE, scene)
    client.server.detach("malmm/red block")
    client.server.remove("")
    client.server.allow(set())
    planner.plan(ready, ABOVE, scene)
    assert set(client.server.bodies) == {TABLE_BODY, "malmm/blue block"}
    assert set(client.server.attached) == {"malmm/red block"}


def test_what_others_put_into_the_scene_stays(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    planner.plan(ready, ABOVE, PlanningScene(objects=(block("red block", 0.3, 0.2),)))
    body = client.server.bodies["malmm/red block"]
    client.server.add(replace(body, name="somebody's wall"))
    planner.plan(ready, ABOVE, PlanningScene())
    assert set(client.server.bodies) == {TABLE_BODY, "somebody's wall"}


def test_a_held_object_is_attached_with_touch_links_and_put_back_when_released(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    lying = block("red block", 0.3, 0.2)
    planner.plan(ready, ABOVE, PlanningScene(objects=(lying,)))
    planner.plan(ready, ABOVE, PlanningScene(held=carried(), finger_width=0.05))
    assert set(client.server.attached) == {"malmm/red block"}
    assert set(client.server.bodies) == {TABLE_BODY}
    assert set(client.server.touch_links["malmm/red block"]) == {
        "panda_hand",
        "panda_leftfinger",
        "panda_rightfinger",
        "panda_link7",
    }
    planner.plan(ready, ABOVE, PlanningScene(objects=(lying,)))
    assert not client.server.attached
    assert client.server.bodies["malmm/red block"].pose == lying.pose
    # Gone altogether: what MoveIt drops into the world is taken out of it.
    planner.plan(ready, ABOVE, PlanningScene(held=carried(), finger_width=0.05))
    planner.plan(ready, ABOVE, PlanningScene())
    assert set(client.server.bodies) == {TABLE_BODY}


def test_a_scene_that_is_not_taken_is_told_again_and_then_given_up(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    client.refusals = 1
    planner.plan(ready, ABOVE, PlanningScene())
    assert TABLE_BODY in client.server.bodies
    client.refusals = 2
    error = refusal(planner, ready, ABOVE, PlanningScene(objects=(block("b", 0.3, 0.2),)))
    client.refusals = 0
    assert error.category == "planner"
    assert "did not take the planning scene" in str(error)


def test_a_held_object_may_touch_what_it_stands_on_and_nothing_else(
    planner: MoveItPlanner, ready: JointState
) -> None:
    down = top_down((0.25, 0.0, 0.752 + 0.0249), 0.0)
    scene = PlanningScene(held=carried(), finger_width=0.05)
    over = planner.plan(ready, top_down((0.25, 0.0, 0.9), 0.0), scene).end
    assert "no_path" in refusal(planner, over, down, scene, straight=True).category
    allowed = replace(scene, held_touchable=frozenset({"table"}))
    assert planner.plan(over, down, allowed, straight=True).duration > 0.0


def test_the_hand_may_touch_what_it_is_about_to_grasp(
    planner: MoveItPlanner, ready: JointState
) -> None:
    item = block("red block", 0.25, 0.0, size=(0.05, 0.0798, 0.05))
    down = top_down((0.25, 0.0, item.pose.position[2]), 0.0)
    scene = PlanningScene(objects=(item,))
    over = planner.plan(ready, top_down((0.25, 0.0, 0.9), 0.0), scene).end
    assert refusal(planner, over, down, scene, straight=True).category == "no_path"
    touching = replace(scene, touchable=frozenset({"red block"}))
    planner.plan(over, down, touching, straight=True)


def test_a_part_of_a_line_is_no_line(planner: MoveItPlanner, ready: JointState) -> None:
    wall = block("wall", 0.3, 0.0, size=(0.02, 0.6, 0.45))
    start = planner.plan(ready, top_down((0.15, 0.0, 0.95), 0.0), PlanningScene()).end
    error = refusal(
        planner,
        start,
        top_down((0.5, 0.0, 0.95), 0.0),
        PlanningScene(objects=(wall,)),
        straight=True,
    )
    assert error.category == "no_path"
    assert "%" in str(error)


def test_out_of_reach_is_said_without_any_search(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    error = refusal(planner, ready, top_down((0.57, 0.45, 0.8), 0.0), PlanningScene())
    assert error.category == "unreachable"
    assert "0.953 m from the base" in str(error)
    assert "plan" not in client.server.calls


def test_a_goal_inside_an_object_names_both(planner: MoveItPlanner, ready: JointState) -> None:
    scene = PlanningScene(objects=(block("red block", 0.2, 0.0, size=(0.05, 0.12, 0.05)),))
    error = refusal(planner, ready, top_down((0.2, 0.0, 0.77), 0.0), scene)
    assert error.category == "in_collision"
    assert "finger overlaps 'red block' by" in str(error)


def test_a_start_inside_an_object_says_so(planner: MoveItPlanner, ready: JointState) -> None:
    scene = PlanningScene(objects=(block("pole", 0.037, 0.0, size=(0.05, 0.12, 0.5)),))
    error = refusal(planner, ready, top_down((0.3, 0.0, 0.9), 0.0), scene)
    assert error.category == "start_in_collision"
    assert "pole" in str(error)


def test_where_one_planner_finds_nothing_the_next_one_tries(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    client.server.broken = frozenset({"first"})
    planner.plan(ready, ABOVE, PlanningScene())
    assert client.server.planners == ["first", "second"]
    client.server.broken = frozenset({"first", "second"})
    error = refusal(planner, ready, ABOVE, PlanningScene())
    assert error.category == "no_path"
    assert "PLANNING_FAILED" in str(error)
    assert "this planner finds nothing" in str(error)


def test_obstacles_are_padded_and_the_padding_gives_way(
    planner: MoveItPlanner, client: DirectClient, ready: JointState
) -> None:
    near = block("post", 0.25, 0.1125 + 0.025, size=(0.05, 0.05, 0.12))
    scene = PlanningScene(objects=(near,), finger_width=0.08)
    planner.plan(ready, top_down((0.25, 0.0, 0.85), 0.0), scene)
    widths = [body.parts[0].size[0] for body in _told(client, "malmm/post")]
    assert widths[0] == pytest.approx(0.058)
    tight = replace(near, pose=Pose((0.25, 0.0622 + 0.025 + 0.002, near.pose.position[2])))
    planner.plan(ready, top_down((0.25, 0.0, 0.85), 0.0), replace(scene, objects=(tight,)))
    widths = [body.parts[0].size[0] for body in _told(client, "malmm/post")]
    assert widths[-1] == pytest.approx(0.051)


def test_a_smaller_velocity_scale_takes_longer(ready: JointState, client: DirectClient) -> None:
    slow = MoveItPlanner(client, MoveItConfig(velocity_scale=0.1, acceleration_scale=0.1))
    fast = MoveItPlanner(client, MoveItConfig(velocity_scale=0.8, acceleration_scale=0.8))
    durations = [item.plan(ready, ABOVE, PlanningScene()).duration for item in (slow, fast)]
    assert durations[0] > 2.0 * durations[1]


def test_the_start_is_ours_and_holds_the_fingers(
    planner: MoveItPlanner, client: DirectClient, ready: JointState, monkeypatch: Any
) -> None:
    starts: list[JointState] = []

    def plan(start: JointState, goal: JointState, options: Any) -> PlanAnswer:
        starts.append(start)
        return client.server.plan(start, goal, options)

    monkeypatch.setattr(client, "plan", plan)
    client.server.current = np.zeros(7)  # what MoveIt has heard last does not matter
    planner.plan(ready, ABOVE, PlanningScene(finger_width=0.03))
    fingers = starts[0].select(("panda_finger_joint1", "panda_finger_joint2"))
    np.testing.assert_allclose(fingers.positions, 0.015)
    np.testing.assert_allclose(starts[0].select(ready.names).positions, ready.positions)


def shift_start(answer: Trajectory) -> Trajectory:
    return replace(answer, positions=answer.positions + 0.1)


def stop_short(answer: Trajectory) -> Trajectory:
    half = len(answer.times) // 2
    return Trajectory(
        names=answer.names,
        times=answer.times[:half],
        positions=answer.positions[:half],
        velocities=answer.velocities[:half],
    )


def lose_a_joint(answer: Trajectory) -> Trajectory:
    return Trajectory(
        names=answer.names[:-1],
        times=answer.times,
        positions=answer.positions[:, :-1],
        velocities=answer.velocities[:, :-1],
    )


def swing_out(answer: Trajectory) -> Trajectory:
    positions = answer.positions.copy()
    positions[len(positions) // 2, 0] = 2.0
    return replace(answer, positions=positions, times=10.0 * answer.times)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (shift_start, "starts 0.100 rad from where the arm is"),
        (stop_short, "from the goal"),
        (lose_a_joint, "does not move panda_joint7"),
        (swing_out, "leave the workspace"),
    ],
)
def test_a_trajectory_that_was_not_asked_for_is_refused(
    planner: MoveItPlanner,
    client: DirectClient,
    ready: JointState,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Trajectory], Trajectory],
    words: str,
) -> None:
    def plan(*query: Any) -> PlanAnswer:
        answer = client.server.plan(*query)
        assert answer.trajectory is not None
        return replace(answer, trajectory=spoil(answer.trajectory))

    monkeypatch.setattr(client, "plan", plan)
    assert words in str(refusal(planner, ready, ABOVE, PlanningScene()))


def test_reordered_and_extra_joints_of_an_answer_do_not_matter(
    planner: MoveItPlanner,
    client: DirectClient,
    ready: JointState,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = planner.plan(ready, ABOVE, PlanningScene())

    def plan(*query: Any) -> PlanAnswer:
        answer = client.server.plan(*query)
        trajectory = answer.trajectory
        assert trajectory is not None
        column = np.zeros((len(trajectory.times), 1))
        return replace(
            answer,
            trajectory=Trajectory(
                names=("panda_finger_joint1", *reversed(trajectory.names)),
                times=trajectory.times + 3.0,
                positions=np.hstack([column, trajectory.positions[:, ::-1]]),
                velocities=np.hstack([column, trajectory.velocities[:, ::-1]]),
            ),
        )

    monkeypatch.setattr(client, "plan", plan)
    shuffled = planner.plan(ready, ABOVE, PlanningScene())
    assert shuffled.names == arm_joint_names()
    np.testing.assert_allclose(shuffled.positions, plain.positions)
    np.testing.assert_allclose(shuffled.times, plain.times)


def test_a_trajectory_beyond_the_joints_speed_is_slowed(
    planner: MoveItPlanner,
    client: DirectClient,
    ready: JointState,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def plan(*query: Any) -> PlanAnswer:
        answer = client.server.plan(*query)
        trajectory = answer.trajectory
        assert trajectory is not None
        rushed = replace(
            trajectory, times=0.1 * trajectory.times, velocities=10.0 * trajectory.velocities
        )
        return replace(answer, trajectory=rushed)

    monkeypatch.setattr(client, "plan", plan)
    trajectory = planner.plan(ready, ABOVE, PlanningScene())
    speeds = np.diff(trajectory.positions, axis=0) / np.diff(trajectory.times)[:, None]
    assert np.abs(speeds).max() <= 2.62


@pytest.mark.parametrize(
    ("code", "category"),
    [
        (99999, "no_path"),
        (-1, "no_path"),
        (-6, "no_path"),
        (-4, "controller"),
        (-10, "start_in_collision"),
        (-12, "in_collision"),
        (-15, "planner"),
        (-21, "planner"),
        (-31, "unreachable"),
        (-12345, "planner"),
    ],
)
def test_codes_have_words(code: int, category: str) -> None:
    error = code_error(code, what="a motion", detail="why")
    assert error.category == category
    assert describe_code(code).name in str(error)
    assert "why" in str(error)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"planners": ()}, "planners"),
        ({"paddings": (0.01, -0.01)}, "paddings"),
        ({"velocity_scale": 1.5}, "velocity_scale"),
        ({"planning_time_s": 0.0}, "planning_time_s"),
    ],
)
def test_wrong_settings_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        MoveItConfig(**changes)


def test_closing_lets_the_client_go(ready: JointState) -> None:
    client = DirectClient(PlanningServer())
    planner = MoveItPlanner(client)
    planner.close()
    assert client.is_closed
    assert planner.tcp_pose(ready).position[2] > 1.0


def _told(client: DirectClient, name: str) -> list[Any]:
    return [body for diff in client.diffs for body in diff.added if body.name == name]
