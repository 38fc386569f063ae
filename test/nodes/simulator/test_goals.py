"""A goal belongs to the world that it was accepted in."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.action.server import GoalResponse

from malmm_ros.errors import MotionError
from malmm_ros.nodes.simulator.goals import AcceptedGoals
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import MujocoWorld


@pytest.fixture
def physics() -> Iterator[PhysicsThread]:
    world = MujocoWorld()
    world.reset("stack_blocks", seed=3)
    thread = PhysicsThread(world, speed=0.0, on_batch=lambda *_: None, on_failure=lambda _: None)
    thread.start()
    yield thread
    thread.close()


def reset(physics: PhysicsThread) -> None:
    physics.reset(lambda world: world.reset("stack_blocks", seed=3), timeout_s=10.0)


def test_a_goal_that_was_accepted_before_a_reset_does_not_begin_after_it(
    physics: PhysicsThread,
) -> None:
    goals, begun = AcceptedGoals(physics), list[Any]()
    request = SimpleNamespace()
    assert goals.accept(request) == GoalResponse.ACCEPT
    reset(physics)
    with pytest.raises(MotionError, match="the world was reset"):
        goals.begin(goals.take(request), begun.append)
    assert begun == []


def test_a_goal_that_was_accepted_after_a_reset_begins(physics: PhysicsThread) -> None:
    goals = AcceptedGoals(physics)
    reset(physics)
    request = SimpleNamespace()
    goals.accept(request)
    assert goals.begin(goals.take(request), lambda world: world.robot_names) == ("panda",)
