"""The arm's controller keeps what a real one promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError, MotionError
from malmm_ros.geometry import top_down
from malmm_ros.models import READY_POSITIONS
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.controllers import ArmControllerConfig
from malmm_ros.simulation.reach import reach_of
from malmm_ros.trajectory import Trajectory

MakeTrajectory = Callable[..., Trajectory]
LIMIT = np.asarray(ArmControllerConfig().acceleration_limit)
PERIOD_S = 0.004


def commanded(world: MujocoWorld, *, periods: int) -> tuple[NDArray[np.float64], ...]:
    """Commanded positions and velocities of the coming control periods."""
    positions, velocities = [], []
    for _ in range(periods):
        world.step(2)
        status = world.arm().controller.status
        positions.append(status.desired.copy())
        velocities.append(status.velocity.copy())
    return np.array(positions), np.array(velocities)


def test_tracks_to_a_hundredth_of_a_radian_at_full_speed(
    drive: Callable[..., float],
) -> None:
    turn = np.array([1.0, 0.5, -0.8, -0.6, 0.8, 0.7, -1.2])
    # The fastest of these joints reaches 2.2 rad/s.
    assert drive(np.asarray(READY_POSITIONS) + turn, duration_s=1.05) < 0.01
    assert drive(np.asarray(READY_POSITIONS), duration_s=1.05) < 0.01


def test_ends_where_the_trajectory_ends(world: MujocoWorld, drive: Callable[..., float]) -> None:
    goal = np.asarray(READY_POSITIONS) + 0.2
    drive(goal)
    world.step(100)
    assert np.abs(world.joint_state().positions - goal).max() < 0.001


def test_a_new_goal_takes_over_without_a_jolt(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    arm = world.arm()
    arm.controller.start(make_trajectory(offset=0.6, duration_s=1.2))
    before = commanded(world, periods=150)
    back = make_trajectory(np.asarray(READY_POSITIONS), duration_s=1.5)
    arm.controller.start(back)
    after = commanded(world, periods=500)
    positions = np.concatenate((before[0], after[0]))
    velocities = np.concatenate((before[1], after[1]))
    assert np.abs(np.diff(positions, axis=0)).max() < 2.7 * PERIOD_S
    accelerations = np.diff(velocities, axis=0) / PERIOD_S
    assert (np.abs(accelerations) <= LIMIT).all()
    assert arm.controller.status.state == "succeeded"
    assert np.abs(world.joint_state().positions - READY_POSITIONS).max() < 0.002


def test_cancel_brakes_at_once_and_holds(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    arm = world.arm()
    arm.controller.start(make_trajectory(offset=0.8, duration_s=1.2))
    before = commanded(world, periods=150)
    arm.controller.cancel()
    after = commanded(world, periods=125)
    velocities = np.concatenate((before[1], after[1]))
    assert (np.abs(np.diff(velocities, axis=0)) / PERIOD_S <= LIMIT).all()
    assert arm.controller.status.state == "cancelled"
    assert not arm.controller.is_active
    held = world.joint_state().positions
    world.step(500)
    assert np.abs(world.joint_state().positions - held).max() < 0.002
    assert np.abs(world.joint_state().velocities).max() < 0.01


def test_a_cancel_without_a_goal_changes_nothing(world: MujocoWorld) -> None:
    world.arm().controller.cancel()
    world.step(10)
    assert world.arm().controller.status.state == "idle"


def test_an_obstacle_aborts_the_motion_with_its_numbers(
    world: MujocoWorld, drive: Callable[..., float], make_trajectory: MakeTrajectory
) -> None:
    reach = reach_of()
    above = reach.solve(top_down((0.25, 0.0, TABLE_TOP_Z + 0.10), 0.0))
    assert above is not None
    drive(above)
    below = reach.solve(top_down((0.25, 0.0, TABLE_TOP_Z - 0.15), 0.0), seed=above)
    assert below is not None
    world.arm().controller.start(make_trajectory(below))
    world.step_until(lambda: not world.arm().controller.is_active, 4.0)
    status = world.arm().controller.status
    assert (status.state, status.reason) == ("aborted", "path_tolerance")
    assert "panda_joint" in status.message
    world.step(500)
    assert np.abs(world.joint_state().velocities).max() < 0.05


@pytest.mark.parametrize(
    ("depth", "reason"),
    [(-0.03, "goal_tolerance"), (0.15, "path_tolerance"), (-0.03, "cancelled")],
)
def test_the_arm_presses_on_nothing_after_a_motion_that_failed(
    world: MujocoWorld,
    drive: Callable[..., float],
    make_trajectory: MakeTrajectory,
    depth: float,
    reason: str,
) -> None:
    reach, controller = reach_of(), world.arm().controller
    above = reach.solve(top_down((0.25, 0.0, TABLE_TOP_Z + 0.10), 0.0))
    assert above is not None
    drive(above)
    below = reach.solve(top_down((0.25, 0.0, TABLE_TOP_Z - depth), 0.0), seed=above)
    assert below is not None
    controller.start(make_trajectory(below))
    if reason == "cancelled":
        # Pressed against the table, but not yet given up.
        world.step(900)
        controller.cancel()
    world.step_until(lambda: not controller.is_active, 6.0)
    assert controller.status.reason == reason
    world.step(500)
    torque = world.physics.data.qfrc_actuator[:7]
    # Gravity is compensated: little is left of the 87 N m that the shoulder pressed with.
    assert np.abs(torque).max() < 10.0
    # The next goal starts from where the arm is: nothing jumps.
    controller.start(make_trajectory(above))
    positions, velocities = commanded(world, periods=500)
    assert (np.abs(np.diff(velocities, axis=0)) / PERIOD_S <= LIMIT).all()
    assert np.abs(np.diff(positions, axis=0)).max() < 2.7 * PERIOD_S
    assert controller.status.state == "succeeded"


def moved(trajectory: Trajectory, **changes: object) -> Trajectory:
    values = {
        name: getattr(trajectory, name) for name in ("names", "times", "positions", "velocities")
    }
    return Trajectory(**{**values, **changes})  # type: ignore[arg-type]


def test_refuses_other_joints(world: MujocoWorld, make_trajectory: MakeTrajectory) -> None:
    wrong = moved(make_trajectory(), names=tuple(f"joint{i}" for i in range(7)))
    with pytest.raises(MotionError, match="needed are exactly panda_joint1") as caught:
        world.arm().controller.start(wrong)
    assert caught.value.category == "wrong_joints"


def test_refuses_a_start_far_from_the_arm(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    trajectory = make_trajectory()
    far = moved(trajectory, positions=trajectory.positions + 0.06)
    with pytest.raises(MotionError, match=r"starts 0\.060 rad from") as caught:
        world.arm().controller.start(far)
    assert caught.value.category == "start_too_far"


def test_refuses_positions_beyond_the_joints(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    goal = np.asarray(READY_POSITIONS)
    goal[0] = 3.2
    with pytest.raises(MotionError, match=r"panda_joint1 would reach 3\.2") as caught:
        world.arm().controller.start(make_trajectory(goal, duration_s=5.0))
    assert caught.value.category == "limits"


def test_refuses_speeds_beyond_the_joints(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    with pytest.raises(MotionError, match="rad/s") as caught:
        world.arm().controller.start(make_trajectory(offset=0.6, duration_s=0.4))
    assert caught.value.category == "limits"


@pytest.mark.parametrize("joint", range(7))
def test_refuses_accelerations_beyond_the_joints(world: MujocoWorld, joint: int) -> None:
    def wave(share_of_limit: float) -> Trajectory:
        """A joint there and back; accelerations swing by a share of its limit."""
        times, rate = np.linspace(0.0, 2.0, 201), 12.0 * np.pi
        amplitude = share_of_limit * LIMIT[joint] / rate**2
        positions, velocities = np.tile(np.asarray(READY_POSITIONS), (201, 1)), np.zeros((201, 7))
        window = np.sin(0.5 * np.pi * times) ** 2
        change = 0.5 * np.pi * np.sin(np.pi * times)
        positions[:, joint] += amplitude * window * np.sin(rate * times)
        velocities[:, joint] = amplitude * (
            change * np.sin(rate * times) + window * rate * np.cos(rate * times)
        )
        return Trajectory(
            names=world.arm().joint_names, times=times, positions=positions, velocities=velocities
        )

    controller = world.arm().controller
    with pytest.raises(
        MotionError, match=rf"panda_joint{joint + 1} would reach .* rad/s²"
    ) as error:
        controller.start(wave(1.8))
    assert error.value.category == "limits"
    controller.start(wave(1.0))


def test_a_planned_switch_of_accelerations_is_not_refused_at_any_spacing(
    world: MujocoWorld,
) -> None:
    """Time-optimal timing goes from full acceleration to full braking between two waypoints."""
    for spacing_s in (0.01, 0.02, 0.05, 0.1):
        count = round(0.4 / spacing_s) + 1
        times = np.linspace(0.0, 0.4, count)
        positions = np.tile(np.asarray(READY_POSITIONS), (count, 1))
        velocities = np.zeros((count, 7))
        switch_s = 0.2
        for joint, limit in enumerate(LIMIT):
            pull = min(limit, 0.99 * world.arm().controller.limits.speed[joint] / switch_s)
            rising = np.minimum(times, switch_s)
            falling = np.maximum(times - switch_s, 0.0)
            sign = -1.0 if joint == 5 else 1.0
            velocities[:, joint] = sign * pull * (rising - falling)
            positions[:, joint] += (
                sign * pull * (0.5 * rising**2 + switch_s * falling - 0.5 * falling**2)
            )
        shifted = np.concatenate(([0.0], times[1:] + 0.3 * spacing_s))
        for moments in (times, shifted):
            world.reset("stack_blocks", seed=3)
            world.arm().controller.start(
                Trajectory(
                    names=world.arm().joint_names,
                    times=moments,
                    positions=positions,
                    velocities=velocities,
                )
            )


def test_refuses_a_trajectory_that_does_not_end_at_rest(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    trajectory = make_trajectory(offset=0.2)
    velocities = trajectory.velocities.copy()
    velocities[-1, 2] = 0.3
    with pytest.raises(MotionError, match=r"panda_joint3 would end at 0\.300 rad/s"):
        world.arm().controller.start(moved(trajectory, velocities=velocities))


def test_refuses_a_takeover_that_would_swing_beyond_the_joints(
    world: MujocoWorld, drive: Callable[..., float]
) -> None:
    controller = world.arm().controller
    away = np.asarray(READY_POSITIONS)
    away[3] = -0.6
    drive(away, duration_s=2.0)
    # The limit is at -0.07: the arm speeds up to 2 rad/s and brakes hard just before it.
    moments = np.linspace(0.0, 0.52, 53)
    speeds = np.maximum(np.minimum(5.0 * moments, 18.0 * (0.51 - moments)), 0.0)
    way = np.concatenate(([0.0], np.cumsum(0.5 * (speeds[1:] + speeds[:-1]) * 0.01)))
    rush = Trajectory(
        names=controller.joint_names,
        times=moments,
        positions=np.tile(away, (53, 1)),
        velocities=np.zeros((53, 7)),
    )
    rush.positions[:, 3] += way
    rush.velocities[:, 3] = speeds
    goal = controller.start(rush)
    world.step_until(lambda: world.joint_state().positions[3] > -0.13, 3.0, check_steps=2)
    still = Trajectory(
        names=controller.joint_names,
        times=np.array([0.0, 2.0]),
        positions=np.tile(world.joint_state().positions, (2, 1)),
        velocities=np.zeros((2, 7)),
    )
    with pytest.raises(MotionError, match=r"panda_joint4 would reach -0\.0\d+ rad, .* beyond"):
        controller.start(still)
    world.step_until(lambda: not controller.is_active, 3.0)
    assert controller.status.goal == goal


def test_refuses_times_that_do_not_increase(make_trajectory: MakeTrajectory) -> None:
    with pytest.raises(MotionError, match="increase") as caught:
        moved(make_trajectory(), times=np.zeros(60))
    assert caught.value.category == "invalid_trajectory"


def test_refuses_numbers_that_are_not_finite(make_trajectory: MakeTrajectory) -> None:
    with pytest.raises(MotionError, match="finite"):
        moved(make_trajectory(), positions=np.full((60, 7), np.nan))


def test_a_refused_goal_leaves_the_running_one_alone(
    world: MujocoWorld, make_trajectory: MakeTrajectory
) -> None:
    controller = world.arm().controller
    goal = controller.start(make_trajectory(offset=0.3))
    world.step(100)
    with pytest.raises(MotionError):
        controller.start(make_trajectory(offset=0.6, duration_s=0.3))
    world.step_until(lambda: not controller.is_active, 5.0)
    assert controller.status.goal == goal
    assert controller.status.state == "succeeded"


def test_takes_joints_in_any_order_and_a_first_point_in_the_future(
    world: MujocoWorld,
) -> None:
    controller = world.arm().controller
    names = tuple(reversed(controller.joint_names))
    goal = np.asarray(READY_POSITIONS) + 0.1
    controller.start(
        Trajectory(
            names=names,
            times=np.array([1.0]),
            positions=goal[None, ::-1],
            velocities=np.zeros((1, 7)),
        )
    )
    world.step_until(lambda: not controller.is_active, 5.0)
    assert controller.status.state == "succeeded"
    assert np.abs(world.joint_state().positions - goal).max() < 0.002


def test_tolerances_must_be_positive() -> None:
    with pytest.raises(ConfigurationError, match="start_tolerance"):
        ArmControllerConfig(start_tolerance=0.0)
    with pytest.raises(ConfigurationError, match="acceleration_limit"):
        ArmControllerConfig(acceleration_limit=(1.0,) * 6)
    with pytest.raises(ConfigurationError, match="acceleration_margin"):
        ArmControllerConfig(acceleration_margin=0.9)
