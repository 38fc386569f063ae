"""The thread that owns the world does what it was asked for, once, and only that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import CoppeliasimConfig, MujocoWorld
from malmm_ros.simulation.coppeliasim.world import CoppeliasimWorld


@pytest.fixture
def world() -> MujocoWorld:
    made = MujocoWorld()
    made.reset("stack_blocks", seed=3)
    return made


@pytest.fixture
def physics(world: MujocoWorld) -> Iterator[PhysicsThread]:
    """As fast as possible, and settled: nothing moves until something is asked for."""
    failures: list[BaseException] = []
    thread = PhysicsThread(world, speed=0.0, on_batch=lambda *_: None, on_failure=failures.append)
    thread.start()
    _rest(thread)
    yield thread
    thread.close()
    assert failures == []


def _rest(thread: PhysicsThread) -> None:
    deadline, pause = time.monotonic() + 20.0, threading.Event()
    while True:
        before_s = thread.now_s
        pause.wait(0.2)
        if thread.now_s == before_s:
            return
        assert time.monotonic() < deadline


def test_reading_a_world_that_stands_still_moves_nothing(physics: PhysicsThread) -> None:
    before_s = physics.now_s
    for _ in range(5):
        physics.call(lambda world: world.snapshot())
    threading.Event().wait(0.3)
    assert physics.now_s == before_s


def test_changing_the_world_lets_it_settle(physics: PhysicsThread) -> None:
    before_s = physics.now_s
    physics.call(lambda world: None, changes_world=True)
    deadline, pause = time.monotonic() + 10.0, threading.Event()
    while physics.now_s < before_s + 0.1:
        assert time.monotonic() < deadline
        pause.wait(0.01)


def test_a_command_that_was_given_up_is_never_carried_out(physics: PhysicsThread) -> None:
    done: list[str] = []
    is_busy, may_go_on = threading.Event(), threading.Event()

    def block(_: MujocoWorld) -> None:
        is_busy.set()
        assert may_go_on.wait(10.0)

    physics.post(block)
    assert is_busy.wait(10.0)
    with pytest.raises(SimulationError, match="did not take a command within"):
        physics.call(lambda _: done.append("late"), timeout_s=0.1)
    may_go_on.set()
    physics.call(lambda _: done.append("next"))
    assert done == ["next"]


def test_a_command_that_has_begun_is_waited_for(physics: PhysicsThread) -> None:
    def slow(_: MujocoWorld) -> str:
        threading.Event().wait(0.3)
        return "done"

    assert physics.call(slow, timeout_s=0.2) == "done"


def test_a_load_that_fails_leaves_time_and_goals_as_they_were(physics: PhysicsThread) -> None:
    before_s, generation = physics.now_s, physics.generation

    def load(world: MujocoWorld) -> Any:
        world.reset("no_such_task", 0)

    with pytest.raises(UnknownNameError, match="no_such_task"):
        physics.reset(load, timeout_s=10.0)
    assert physics.generation == generation
    assert physics.now_s >= before_s


def test_a_load_that_fails_after_the_world_was_replaced_ends_what_was_under_way(
    physics: PhysicsThread,
) -> None:
    generation, before_s = physics.generation, physics.now_s

    def load(world: MujocoWorld) -> None:
        world.reset("stack_blocks", 5)
        raise RuntimeError("half done")

    with pytest.raises(RuntimeError, match="half done"):
        physics.reset(load, timeout_s=10.0)
    assert physics.generation == generation + 1
    assert physics.now_s >= before_s


def test_every_moment_of_a_new_world_is_later_than_any_of_the_old_one(
    physics: PhysicsThread,
) -> None:
    moments: list[float] = []

    def load(world: MujocoWorld) -> None:
        moments.append(physics.now_s)
        world.reset("put_block", 1)

    physics.reset(load, timeout_s=10.0, after=lambda _: moments.append(physics.now_s))
    last_of_old_s, first_of_new_s = moments
    assert first_of_new_s > last_of_old_s


def test_a_load_that_left_no_world_is_survived_and_the_next_one_taken(tmp_path: Path) -> None:
    pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")
    from coppeliasim_scenes import write_description
    from coppeliasim_server import CoppeliasimServer

    for task in ("put_block", "close_jar"):
        write_description(tmp_path, task, 3, changes={"scene": f"{task}.ttt"})
    failures: list[BaseException] = []
    generations: list[int] = []
    with CoppeliasimServer("put_block", 3, scenes={"close_jar": {}}, absent=("/lid",)) as server:
        world = CoppeliasimWorld(CoppeliasimConfig(port=server.port, scenes=str(tmp_path)))
        world.reset("put_block", 0)
        thread = PhysicsThread(
            world,
            speed=1.0,
            on_batch=lambda now, _time_s, _all: generations.append(now.generation),
            on_failure=failures.append,
        )
        thread.start()
        with pytest.raises(SimulationError, match="lacks /lid"):
            thread.reset(lambda now: now.reset("close_jar", 0), timeout_s=20.0)
        with pytest.raises(SimulationError, match="empty"):
            thread.call(lambda now: now.success())
        before = thread.now_s
        thread.reset(lambda now: now.reset("put_block", 0), timeout_s=20.0)
        thread.call(lambda now: now.step(5))
        assert thread.now_s > before
        thread.close(timeout_s=10.0)
    assert failures == []
    assert sorted(set(generations))[-1] == world.generation
    assert server.calls[-1] == "stopSimulation"  # it is let go at the end
