"""How much faster than real time the simulator runs with a task loaded."""

from __future__ import annotations

import time

from malmm_ros.bench.measurement import Measurement, Progress, median
from malmm_ros.cancellation import CancelToken
from malmm_ros.geometry import top_down
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.robots.simulated import SimulationDriver
from malmm_ros.simulation import MujocoWorld

TASK = "stack_blocks"
_RUNS = 3
_IDLE_S = 5.0
# Above all that lies on the table, left and right.
_PLACES = ((0.15, 0.25, 1.1), (0.15, -0.25, 1.1))


def measure(progress: Progress) -> Measurement:
    """Let the arm wave over the blocks; then let everything stand still."""
    world = MujocoWorld()
    world.reset(TASK, 0)
    planner, driver = RoboplanPlanner(), SimulationDriver(world)
    moving: list[float] = []
    for run in range(_RUNS):
        progress(f"run {run + 1} of {_RUNS}")
        simulated_s = spent_s = 0.0
        for place in _PLACES:
            scene = PlanningScene.from_scene(world.ground_truth())
            trajectory = planner.plan(driver.joint_state(), top_down(place, 0.0), scene)
            before_s, started = world.time_s, time.perf_counter()
            driver.follow(trajectory, cancel=CancelToken())
            spent_s += time.perf_counter() - started
            simulated_s += world.time_s - before_s
        moving.append(simulated_s / spent_s)
    before_s, started = world.time_s, time.perf_counter()
    world.step(round(_IDLE_S / 0.002))
    idle = (world.time_s - before_s) / (time.perf_counter() - started)
    world.close()
    return Measurement(
        values={
            "simulator.real_time_factor": median(moving),
            "simulator.idle_real_time_factor": median([idle]),
            "simulator.task": TASK,
        }
    )
