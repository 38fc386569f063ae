from __future__ import annotations

import math
import queue
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import JointTolerance
from malmm_ros.msg import SceneState
from malmm_ros.srv import CheckSuccess, Disturb, LoadTask, ResetWorld
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import seconds, trajectory_message
from malmm_ros.nodes.images import color_value, depth_value
from malmm_ros.nodes.lens import Lens
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import await_result, call_service, wait_for_server
from malmm_ros.trajectory import Trajectory

NAMES = arm_joint_names()
Result = FollowJointTrajectory.Result
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SIMULATOR = [sys.executable, "-m", "malmm_ros.nodes.simulator", "--ros-args"]


class Simulator:
    """The client side of a running simulator node."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.arm = ActionClient(
            node, FollowJointTrajectory, "panda_arm_controller/follow_joint_trajectory"
        )
        self.hand = ActionClient(node, GripperCommand, "panda_hand_controller/gripper_cmd")

    def call(self, service: Any, name: str, /, **fields: Any) -> Any:
        client = self.node.create_client(service, name)
        try:
            return call_service(
                client, service.Request(**fields), timeout_s=30.0, needed=["simulator"]
            )
        finally:
            self.node.destroy_client(client)

    def send(self, client: ActionClient, goal: Any) -> Any:
        wait_for_server(client, timeout_s=20.0, needed=["simulator"])
        handle = await_result(client.send_goal_async(goal), timeout_s=10.0)
        assert handle.accepted
        return handle

    def follow(self, trajectory: Trajectory, **fields: Any) -> Any:
        goal = FollowJointTrajectory.Goal(trajectory=trajectory_message(trajectory), **fields)
        return self.send(self.arm, goal)

    def result(self, handle: Any, timeout_s: float = 20.0) -> Any:
        return await_result(handle.get_result_async(), timeout_s=timeout_s).result

    def grip(self, position: float) -> Any:
        goal = GripperCommand.Goal()
        goal.command.position = position
        return self.result(self.send(self.hand, goal))

    def next(self, kind: Any, topic: str, qos: Any = 10, *, timeout_s: float = 15.0) -> Any:
        """The next message of a topic."""
        messages: queue.Queue[Any] = queue.Queue()
        subscription = self.node.create_subscription(kind, topic, messages.put, qos)
        try:
            return messages.get(timeout=timeout_s)
        finally:
            self.node.destroy_subscription(subscription)

    def positions(self) -> np.ndarray:
        message = self.next(JointState, "joint_states")
        return np.array([message.position[message.name.index(name)] for name in NAMES])


def swing(start: np.ndarray, change: float, duration_s: float, *, joint: int = 0) -> Trajectory:
    """One joint there by a smooth step, velocities given, as planners send it."""
    times = np.linspace(0.0, duration_s, 21)
    phase = times / duration_s
    positions = np.tile(start, (21, 1))
    velocities = np.zeros((21, 7))
    positions[:, joint] += change * (3 * phase**2 - 2 * phase**3)
    velocities[:, joint] = change * (6 * phase - 6 * phase**2) / duration_s
    return Trajectory(names=NAMES, times=times, positions=positions, velocities=velocities)


@pytest.fixture(scope="module")
def simulator(client: Node, ros_environment: dict[str, str]) -> Iterator[Simulator]:
    watch = NodeWatch(client, ["simulator"])
    with ProcessGroup() as group:
        parameters = ["-p", "task:=stack_blocks", "-p", "seed:=3", "-p", "image_width_px:=160"]
        parameters += ["-p", "image_height_px:=120"]
        group.start("simulator", [*SIMULATOR, *parameters], environment=ros_environment)
        assert watch.wait_for(timeout_s=30.0) == ()
        yield Simulator(client)
    watch.destroy()


@pytest.fixture
def at_ready(simulator: Simulator) -> Simulator:
    """The simulator with a fresh world, the arm at its ready position."""
    assert simulator.call(ResetWorld, "reset_world", use_seed=True, seed=3).success
    return simulator


def test_the_clock_runs_with_wall_time_at_no_more_than_two_hundred_hertz(
    simulator: Simulator,
) -> None:
    stamps: queue.Queue[tuple[float, float]] = queue.Queue()
    subscription = simulator.node.create_subscription(
        Clock,
        "/clock",
        lambda message: stamps.put((time.monotonic(), seconds(message.clock))),
        qos_profile_sensor_data,
    )
    wall_0, simulated_0 = stamps.get(timeout=10.0)
    count, wall, simulated = 0, wall_0, simulated_0
    while wall - wall_0 < 1.0:
        wall, simulated = stamps.get(timeout=5.0)
        count += 1
    simulator.node.destroy_subscription(subscription)
    assert count <= 201
    assert 0.7 < (simulated - simulated_0) / (wall - wall_0) < 1.3


def test_joint_states_hold_the_arm_and_both_fingers(at_ready: Simulator) -> None:
    message = at_ready.next(JointState, "joint_states")
    assert message.name == [*NAMES, "panda_finger_joint1", "panda_finger_joint2"]
    np.testing.assert_allclose(message.position[:7], READY_POSITIONS, atol=0.02)
    np.testing.assert_allclose(message.position[7:], 0.04, atol=0.001)


def test_every_frame_leads_to_the_world_and_the_tool_point_agrees_with_the_physics(
    at_ready: Simulator,
) -> None:
    from malmm_ros.geometry import Pose
    from malmm_ros.nodes.conversions import pose_value

    frames: dict[str, tuple[str, Pose]] = {}
    for topic, qos in (("/tf_static", LATCHED), ("/tf", 10)):
        for item in at_ready.next(TFMessage, topic, qos).transforms:
            move, turn = item.transform.translation, item.transform.rotation
            pose = Pose((move.x, move.y, move.z), (turn.x, turn.y, turn.z, turn.w))
            frames[item.child_frame_id] = (item.header.frame_id, pose)

    def in_world(frame: str) -> Pose:
        pose = Pose((0.0, 0.0, 0.0))
        while frame != "world":
            frame, parent_from_child = frames[frame]
            pose = parent_from_child @ pose
        return pose

    for frame in frames:
        in_world(frame)
    truth = pose_value(at_ready.next(SceneState, "ground_truth", LATCHED).gripper.tcp)
    np.testing.assert_allclose(in_world("panda_hand_tcp").position, truth.position, atol=1e-3)
    front = in_world("front_optical_frame")
    np.testing.assert_allclose(front.position, (1.35, 0.0, 1.58), atol=1e-6)
    np.testing.assert_allclose(front.matrix()[:3, 2], (-0.906, 0.0, -0.423), atol=1e-3)
    assert "panda_hand" in frames["wrist_optical_frame"][0]


def test_the_description_is_latched(simulator: Simulator) -> None:
    assert "panda_joint7" in simulator.next(String, "robot_description", LATCHED).data


def test_cameras_send_colour_depth_and_intrinsics_when_somebody_listens(
    at_ready: Simulator,
) -> None:
    color = at_ready.next(Image, "camera/front/color/image_raw", timeout_s=30.0)
    depth = at_ready.next(Image, "camera/front/depth/image_rect_raw", timeout_s=30.0)
    info = at_ready.next(CameraInfo, "camera/front/color/camera_info", timeout_s=30.0)
    assert color.header.frame_id == depth.header.frame_id == "front_optical_frame"
    assert color_value(color).shape == (120, 160, 3)
    assert color_value(color).std() > 10.0
    assert 1.0 < depth_value(depth)[60, 80] < 2.5
    assert Lens(info).camera.fx == pytest.approx(60.0 / math.tan(math.radians(20.0)))


def test_a_trajectory_is_tracked_to_within_a_hundredth_of_a_radian(at_ready: Simulator) -> None:
    start = np.array(READY_POSITIONS)
    errors: list[float] = []
    goal = FollowJointTrajectory.Goal(trajectory=trajectory_message(swing(start, 0.6, 1.5)))
    wait_for_server(at_ready.arm, timeout_s=20.0)
    handle = await_result(
        at_ready.arm.send_goal_async(
            goal,
            feedback_callback=lambda message: errors.append(
                max(abs(value) for value in message.feedback.error.positions)
            ),
        ),
        timeout_s=10.0,
    )
    result = at_ready.result(handle)
    assert (result.error_code, result.error_string) == (Result.SUCCESSFUL, "")
    assert len(errors) > 5
    assert max(errors) < 0.01
    assert at_ready.positions()[0] == pytest.approx(0.6, abs=0.005)


def test_joints_in_another_order_are_sorted(at_ready: Simulator) -> None:
    trajectory = swing(np.array(READY_POSITIONS), 0.2, 1.0)
    reverse = Trajectory(
        names=NAMES[::-1],
        times=trajectory.times,
        positions=trajectory.positions[:, ::-1],
        velocities=trajectory.velocities[:, ::-1],
    )
    assert at_ready.result(at_ready.follow(reverse)).error_code == Result.SUCCESSFUL
    assert at_ready.positions()[0] == pytest.approx(0.2, abs=0.005)


def bad(change: Callable[[Any], None]) -> Any:
    message = trajectory_message(swing(np.array(READY_POSITIONS), 0.3, 1.0))
    change(message)
    return message


def _wrong_joints(message: Any) -> None:
    message.joint_names = [*message.joint_names[:-1], "panda_elbow"]


def _standing_time(message: Any) -> None:
    message.points[3].time_from_start = message.points[2].time_from_start


def _far_start(message: Any) -> None:
    for point in message.points:
        point.positions = [value + 0.3 for value in point.positions]


def _beyond_limits(message: Any) -> None:
    message.points[-1].positions = [4.0, *message.points[-1].positions[1:]]


def _old(message: Any) -> None:
    message.header.stamp.nanosec = 1


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (_wrong_joints, Result.INVALID_JOINTS, "needed are exactly panda_joint1"),
        (_standing_time, Result.INVALID_GOAL, "times must increase"),
        (_far_start, Result.INVALID_GOAL, "it starts 0.300 rad from where"),
        (_beyond_limits, Result.INVALID_GOAL, "beyond its limit"),
        (lambda message: message.points.clear(), Result.INVALID_GOAL, "no points"),
        (_old, Result.OLD_HEADER_TIMESTAMP, "would have ended"),
    ],
)
def test_a_bad_trajectory_is_refused_with_its_reason_and_nothing_moves(
    simulator: Simulator, change: Callable[[Any], None], code: int, words: str
) -> None:
    simulator.call(ResetWorld, "reset_world", use_seed=True, seed=3)
    if change is _old:
        # A simulated second must have passed for the trajectory to be over.
        deadline = time.monotonic() + 10.0
        while seconds(simulator.next(Clock, "/clock", qos_profile_sensor_data).clock) < 1.5:
            assert time.monotonic() < deadline
    before = simulator.positions()
    handle = simulator.send(simulator.arm, FollowJointTrajectory.Goal(trajectory=bad(change)))
    result = simulator.result(handle)
    assert result.error_code == code
    assert words in result.error_string
    np.testing.assert_allclose(simulator.positions(), before, atol=1e-3)


def test_a_goal_of_its_own_tolerances_is_held_to_them(at_ready: Simulator) -> None:
    handle = at_ready.follow(
        swing(np.array(READY_POSITIONS), 0.3, 1.0),
        goal_tolerance=[JointTolerance(name="panda_joint2", position=1e-15)],
    )
    result = at_ready.result(handle)
    assert result.error_code == Result.GOAL_TOLERANCE_VIOLATED
    assert "panda_joint2" in result.error_string


def test_cancel_brakes_at_once_and_holds(at_ready: Simulator) -> None:
    moving: queue.Queue[float] = queue.Queue()

    def on_state(message: JointState) -> None:
        if abs(message.velocity[0]) > 0.2:
            moving.put(message.position[0])

    subscription = at_ready.node.create_subscription(JointState, "joint_states", on_state, 10)
    handle = at_ready.follow(swing(np.array(READY_POSITIONS), 1.5, 4.0))
    moving.get(timeout=10.0)
    answer = await_result(handle.cancel_goal_async(), timeout_s=5.0)
    assert len(answer.goals_canceling) == 1
    started = time.monotonic()
    response = await_result(handle.get_result_async(), timeout_s=5.0)
    assert time.monotonic() - started < 1.0
    assert response.status == 5  # canceled
    assert "cancelled" in response.result.error_string
    at_ready.node.destroy_subscription(subscription)
    held = at_ready.positions()
    assert held[0] < 1.0
    later = at_ready.next(JointState, "joint_states")
    assert max(abs(value) for value in later.velocity[:7]) < 0.02


def test_a_new_goal_takes_over_the_old_one(at_ready: Simulator) -> None:
    first = at_ready.follow(swing(np.array(READY_POSITIONS), 1.0, 4.0))
    # Its first point lies ahead, as when a planner starts from a moving arm.
    goal = np.array(READY_POSITIONS)
    goal[0] += 0.3
    ahead = Trajectory(
        names=NAMES,
        times=np.array([1.5]),
        positions=goal[None, :],
        velocities=np.zeros((1, 7)),
    )
    second = at_ready.follow(ahead)
    old = at_ready.result(first)
    assert old.error_code == Result.INVALID_GOAL
    assert "a newer goal took over" in old.error_string
    assert at_ready.result(second).error_code == Result.SUCCESSFUL
    assert at_ready.positions()[0] == pytest.approx(0.3, abs=0.005)


def test_the_hand_closes_and_opens_by_half_the_opening(at_ready: Simulator) -> None:
    closed = at_ready.grip(0.0)
    assert closed.reached_goal
    assert closed.position == pytest.approx(0.0, abs=0.001)
    opened = at_ready.grip(0.03)
    assert opened.reached_goal
    assert opened.position == pytest.approx(0.03, abs=0.001)
    fingers = at_ready.next(JointState, "joint_states").position[7:]
    np.testing.assert_allclose(fingers, 0.03, atol=0.001)


def test_an_opening_that_the_hand_does_not_have_is_refused(at_ready: Simulator) -> None:
    goal = GripperCommand.Goal()
    goal.command.position = 0.5
    handle = at_ready.send(at_ready.hand, goal)
    response = await_result(handle.get_result_async(), timeout_s=10.0)
    assert response.status == 6  # aborted


def test_tasks_are_loaded_checked_and_disturbed(simulator: Simulator) -> None:
    before = seconds(simulator.next(Clock, "/clock", qos_profile_sensor_data).clock)
    loaded = simulator.call(
        LoadTask, "load_task", task="stack_blocks", seed=7, options="{color: red, count: 2}"
    )
    assert loaded.success
    assert "red" in loaded.instruction
    names = {item.name for item in simulator.next(SceneState, "ground_truth", LATCHED).objects}
    assert "red block 1" in names
    verdict = simulator.call(CheckSuccess, "check_success")
    assert not verdict.success
    assert verdict.message
    knocked = simulator.call(Disturb, "disturb", kind="knock", object_name="red block 1", seed=1)
    assert knocked.success
    assert "red block 1" in knocked.message
    assert seconds(simulator.next(Clock, "/clock", qos_profile_sensor_data).clock) > before


@pytest.mark.parametrize(
    ("kind", "name", "fields", "words"),
    [
        (LoadTask, "load_task", {"task": "stack_bloks"}, "Did you mean 'stack_blocks'"),
        (LoadTask, "load_task", {"task": "stack_blocks", "options": "{color: redd}"}, "'red'"),
        (LoadTask, "load_task", {"task": "stack_blocks", "options": "red"}, "mapping"),
        (Disturb, "disturb", {"kind": "kick"}, "valid: knock, shift"),
        (Disturb, "disturb", {"kind": "knock", "object_name": "moon"}, "'moon' is unknown"),
    ],
)
def test_wrong_requests_are_answered_in_words(
    simulator: Simulator, kind: Any, name: str, fields: dict[str, Any], words: str
) -> None:
    answer = simulator.call(kind, name, **fields)
    assert not answer.success
    assert words in answer.message


@pytest.mark.parametrize(
    "fields", [{"task": "no_such_task"}, {"task": "stack_blocks", "options": "{count: 99}"}]
)
def test_a_world_that_cannot_be_loaded_ends_nothing(
    at_ready: Simulator, fields: dict[str, Any]
) -> None:
    handle = at_ready.follow(swing(np.array(READY_POSITIONS), 0.4, 2.0))
    assert not at_ready.call(LoadTask, "load_task", **fields).success
    result = at_ready.result(handle)
    assert (result.error_code, result.error_string) == (Result.SUCCESSFUL, "")
    assert at_ready.positions()[0] == pytest.approx(0.4, abs=0.005)


def test_a_reset_ends_what_was_under_way(at_ready: Simulator) -> None:
    handle = at_ready.follow(swing(np.array(READY_POSITIONS), 1.0, 4.0))
    assert at_ready.call(ResetWorld, "reset_world").success
    assert "the world was reset" in at_ready.result(handle).error_string


def test_as_fast_as_possible_the_world_stands_still_until_the_arm_is_commanded(
    client: Node, ros_environment: dict[str, str]
) -> None:
    watch = NodeWatch(client, ["fast/simulator"])
    fast = ["-p", "speed:=0", "-r", "__ns:=/fast", "-r", "/clock:=/fast/clock"]
    with ProcessGroup() as group:
        group.start("simulator", [*SIMULATOR, *fast], environment=ros_environment)
        assert watch.wait_for(timeout_s=30.0) == ()
        simulator = Simulator(client)
        simulator.arm = ActionClient(
            client, FollowJointTrajectory, "fast/panda_arm_controller/follow_joint_trajectory"
        )
        wait_for_server(simulator.arm, timeout_s=20.0)

        def now() -> float:
            message = simulator.next(Clock, "fast/clock", qos_profile_sensor_data)
            return seconds(message.clock)

        standing = [now() for _ in range(10)]
        assert standing[-1] == standing[-5]
        started = time.monotonic()
        result = simulator.result(simulator.follow(swing(np.array(READY_POSITIONS), 0.9, 6.0)))
        assert result.error_code == Result.SUCCESSFUL
        assert time.monotonic() - started < 4.0
        assert now() - standing[-1] > 5.9
        state = simulator.next(JointState, "fast/joint_states")
        assert state.position[0] == pytest.approx(0.9, abs=0.005)
    watch.destroy()


def test_speed_can_be_set_while_it_runs_and_the_seed_cannot(at_ready: Simulator) -> None:
    def change(name: str, value: Any) -> Any:
        parameter = Parameter(name, value=value).to_parameter_msg()
        answer = at_ready.call(SetParameters, "simulator/set_parameters", parameters=[parameter])
        return answer.results[0]

    assert change("speed", 4).successful
    started = time.monotonic()
    result = at_ready.result(at_ready.follow(swing(np.array(READY_POSITIONS), 0.9, 6.0)))
    assert result.error_code == Result.SUCCESSFUL
    assert time.monotonic() - started < 5.0
    refused = change("speed", -1.0)
    assert not refused.successful
    assert not change("seed", 4).successful
    assert change("speed", 1.0).successful
