"""The world itself: equal seeds, robots, disturbances, speed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time

import numpy as np
import pytest

from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.simulation import MujocoWorld, RobotPlacement, World
from malmm_ros.trajectory import Trajectory

EPISODE = """
import hashlib
import numpy as np
from malmm_ros.simulation import MujocoWorld
from malmm_ros.trajectory import Trajectory

def episode(world, *, look=False):
    world.reset("stack_blocks", seed=11)
    state = world.joint_state()
    goal = state.positions + 0.3
    world.arm().controller.start(Trajectory(
        names=state.names, times=np.array([0.0, 1.0]),
        positions=np.array([state.positions, goal]), velocities=np.zeros((2, 7))))
    world.arm().gripper.command(0.02)
    for _ in range(60):
        world.step(10)
        if look:
            world.ground_truth(), world.success()
    data = world.physics.data
    return hashlib.sha256(data.qpos.tobytes() + data.qvel.tobytes()).hexdigest()
"""
_names: dict[str, object] = {}
exec(EPISODE, _names)  # the same code here and in another process
episode = _names["episode"]


def test_equal_seeds_give_bit_equal_states_in_one_process() -> None:
    world = MujocoWorld()
    first = episode(world)  # type: ignore[operator]
    assert episode(world) == first  # type: ignore[operator]
    assert episode(MujocoWorld()) == first  # type: ignore[operator]


def test_looking_changes_nothing() -> None:
    world = MujocoWorld()
    assert episode(world, look=True) == episode(world)  # type: ignore[operator]


def test_equal_seeds_give_bit_equal_states_in_another_process() -> None:
    other = subprocess.run(
        [sys.executable, "-c", f"{EPISODE}\nprint(episode(MujocoWorld()))"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert other.stdout.strip() == episode(MujocoWorld())  # type: ignore[operator]


def test_other_seeds_give_other_worlds(world: MujocoWorld) -> None:
    digests = set()
    for seed in range(5):
        world.reset("stack_blocks", seed)
        digests.add(hashlib.sha256(world.physics.data.qpos.tobytes()).hexdigest())
    assert len(digests) == 5


def test_it_is_a_world(world: MujocoWorld) -> None:
    contract: World = world
    assert contract.robot_names == ("panda",)
    assert contract.camera_names[0] == "front"


def test_an_empty_world_says_so() -> None:
    with pytest.raises(SimulationError, match="reset it to a task first"):
        MujocoWorld().step()


def test_an_unknown_task_lists_the_known_ones(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match=r"put_block, .*stack_blocks"):
        world.reset("stack_block", 0)


def test_an_unknown_robot_lists_the_known_ones(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="panda"):
        world.joint_state("bob")


def test_two_robots_stand_in_one_world_and_move_apart() -> None:
    world = MujocoWorld()
    bob = RobotPlacement(name="bob", base=Pose.from_yaw((0.85, 0.0, 0.752), np.pi))
    world.reset("put_block", 1, robots=(RobotPlacement(name="alice"), bob))
    assert world.robot_names == ("alice", "bob")
    assert world.camera_names[-2:] == ("alice_wrist", "bob_wrist")
    still = world.joint_state("alice").positions
    state = world.joint_state("bob")
    world.arm("bob").controller.start(
        Trajectory(
            names=state.names,
            times=np.array([0.0, 1.0]),
            positions=np.array([state.positions, state.positions + 0.2]),
            velocities=np.zeros((2, 7)),
        )
    )
    assert world.step_until(lambda: not world.arm("bob").is_active, 3.0)
    assert np.abs(world.joint_state("bob").positions - state.positions - 0.2).max() < 0.005
    assert np.abs(world.joint_state("alice").positions - still).max() < 1e-3
    assert world.ground_truth("bob").gripper.tcp != world.ground_truth("alice").gripper.tcp


def test_a_knocked_object_moves_away(world: MujocoWorld) -> None:
    world.settle()
    before = world.physics.pose("red block 2")
    said = world.disturb("knock", "red block 2", np.random.default_rng(1))
    assert "knocked red block 2" in said
    world.settle()
    after = world.physics.pose("red block 2")
    assert np.linalg.norm(np.subtract(after.position, before.position)) > 0.01


def test_a_shifted_object_lies_elsewhere_on_the_table(world: MujocoWorld) -> None:
    before = world.physics.pose("red block 2")
    world.disturb("shift", "red block 2", np.random.default_rng(1))
    after = world.physics.pose("red block 2")
    assert after.position[2] == pytest.approx(before.position[2])
    assert np.linalg.norm(np.subtract(after.position, before.position)) > 0.05


def test_what_the_hand_holds_is_not_shifted(world: MujocoWorld) -> None:
    tcp = world.ground_truth().gripper.tcp

    def is_gripped() -> bool:
        if world.arm().is_active:  # held up until the fingers have it
            world.physics.place("red block 1", Pose.from_yaw(tcp.position, tcp.yaw))
        return not world.arm().is_active

    world.arm().gripper.command(0.0)
    world.step_until(is_gripped, 3.0)
    world.step(250)
    assert world.is_touched_by_robot("red block 1")
    with pytest.raises(SimulationError, match="the robot touches it"):
        world.disturb("shift", "red block 1", np.random.default_rng(1))


def test_an_object_to_disturb_is_drawn_when_none_is_named(world: MujocoWorld) -> None:
    assert "block" in world.disturb("shift", "", np.random.default_rng(1))


def test_unknown_disturbances_and_objects_are_named(world: MujocoWorld) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(UnknownNameError, match="knock, shift"):
        world.disturb("explode", "", rng)
    with pytest.raises(UnknownNameError, match="red block 1"):
        world.disturb("knock", "green target area", rng)


def test_waiting_ends_when_the_time_is_out(world: MujocoWorld) -> None:
    assert not world.step_until(lambda: False, 0.5)
    assert world.time_s == pytest.approx(0.5)


def test_steps_count_time(world: MujocoWorld) -> None:
    for count in (1, 3, 10, 7):
        world.step(count)
    assert world.time_s == pytest.approx(21 * 0.002)
    assert world.physics.data.time == pytest.approx(world.time_s)


@pytest.mark.slow
def test_runs_at_fifteen_times_real_time_with_the_arm_moving(world: MujocoWorld) -> None:
    state = world.joint_state()
    world.arm().controller.start(
        Trajectory(
            names=state.names,
            times=np.array([0.0, 4.0]),
            positions=np.array([state.positions, state.positions + 0.5]),
            velocities=np.zeros((2, 7)),
        )
    )
    # Processor time: other work on the machine is not the simulator's.
    start = time.process_time()
    world.step(2000)
    assert 4.0 / (time.process_time() - start) > 15.0
