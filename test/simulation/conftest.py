from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots import PlannedRobot
from malmm_ros.robots.scripted import Script
from malmm_ros.robots.simulated import SimulationDriver, StateScenes
from malmm_ros.simulation import MujocoWorld
from malmm_ros.trajectory import Trajectory

Joints = NDArray[np.float64]


@pytest.fixture
def world() -> Iterator[MujocoWorld]:
    """A world with three red blocks to stack."""
    new = MujocoWorld()
    new.reset("stack_blocks", seed=3, options={"color": "red", "count": 3})
    yield new
    new.close()


def quintic(
    names: tuple[str, ...], start: Joints, goal: Joints, *, duration_s: float = 1.5
) -> Trajectory:
    """From rest to rest without a jump in acceleration."""
    times = np.linspace(0.0, duration_s, 60)
    s = times / duration_s
    share = (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))[:, None]
    rate = (30.0 * s**2 * (1.0 - s) ** 2 / duration_s)[:, None]
    return Trajectory(
        names=names,
        times=times,
        positions=start + share * (goal - start),
        velocities=rate * (goal - start),
    )


@pytest.fixture
def make_trajectory(world: MujocoWorld) -> Callable[..., Trajectory]:
    """A trajectory from where the arm is to joint positions, or to an offset."""

    def make(
        goal: Joints | None = None, *, offset: float = 0.0, duration_s: float = 1.5
    ) -> Trajectory:
        state = world.joint_state()
        end = state.positions + offset if goal is None else goal
        return quintic(state.names, state.positions, end, duration_s=duration_s)

    return make


@pytest.fixture
def drive(world: MujocoWorld, make_trajectory: Callable[..., Trajectory]) -> Callable[..., float]:
    """Drive the arm to joint positions; gives the largest tracking error on the way."""

    def run(goal: Joints, *, duration_s: float = 1.5) -> float:
        arm = world.arm()
        arm.controller.start(make_trajectory(goal, duration_s=duration_s))
        worst = 0.0
        while arm.controller.is_active:
            world.step(2)
            worst = max(worst, float(np.abs(arm.controller.status.error).max()))
        assert arm.controller.status.state == "succeeded", arm.controller.status.message
        return worst

    return run


@pytest.fixture(scope="session")
def planner() -> RoboplanPlanner:
    return RoboplanPlanner()


@pytest.fixture
def load(planner: RoboplanPlanner) -> Callable[..., tuple[MujocoWorld, Script]]:
    """Load a task and put a script's robot into it; keyword arguments are the task's options."""

    def make(task: str, seed: int, **options: object) -> tuple[MujocoWorld, Script]:
        new = MujocoWorld()
        new.reset(task, seed, options=options)
        return new, Script(PlannedRobot(planner, SimulationDriver(new), StateScenes(new)))

    return make
