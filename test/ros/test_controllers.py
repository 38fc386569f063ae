"""The driver before controllers that behave, and that do not."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import controller_double
import numpy as np
import pytest
import rclpy
from controller_double import ControllerDouble
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import ConfigurationError, NodeDiedError
from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.nodes.joint_listener import JointListener
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.ros_driver import ControllerConfig, RosDriver
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.robots.driver import DriveResult
from malmm_ros.trajectory import Trajectory

SETTINGS: dict[str, Any] = {
    "arm_action": "arm/follow_joint_trajectory",
    "gripper_action": "hand/gripper_cmd",
    "server_timeout_s": 5.0,
}
HANDS: dict[str, dict[str, Any]] = {
    "gripper_command": {},
    "parallel_gripper_command": {
        "gripper_interface": "parallel_gripper_command",
        "gripper_action": "hand/parallel",
    },
    "franka": {"gripper_interface": "franka", "gripper_action": "franka"},
}


@pytest.fixture(scope="module")
def kept_controllers(ros_context: rclpy.Context) -> Iterator[ControllerDouble]:
    node = ControllerDouble(context=ros_context)
    spinning = SpinThread(node, threads=8)
    yield node
    spinning.close()
    node.destroy_node()


@pytest.fixture
def controllers(kept_controllers: ControllerDouble) -> ControllerDouble:
    made = kept_controllers
    made.mode, made.hand_mode, made.states = "follow", "follow", "whole"
    made.positions, made.width = np.array(READY_POSITIONS), 0.08
    made.object_width = 0.0
    made.goals.clear()
    made.hand_goals.clear()
    return made


MakeDriver = Callable[..., RosDriver]


@pytest.fixture
def make_driver(ros_context: rclpy.Context) -> Iterator[MakeDriver]:
    made: list[tuple[Node, SpinThread]] = []

    def make(namespace: str = "", **changes: Any) -> RosDriver:
        name = f"driver_{len(made)}_{time.monotonic_ns()}"
        node = Node(name, context=ros_context, namespace=namespace)
        made.append((node, SpinThread(node)))
        return RosDriver(
            node,
            watch=NodeWatch(node, ()),
            needed=(),
            robot_name="panda",
            config=ControllerConfig(**SETTINGS | changes),
        )

    yield make
    for node, spinning in made:
        spinning.close()
        node.destroy_node()


@pytest.fixture
def driver(make_driver: MakeDriver) -> RosDriver:
    return make_driver()


def arm_states(position: float) -> JointState:
    return JointState(name=list(arm_joint_names()), position=[position] * 7)


def swing(duration_s: float = 0.4) -> Trajectory:
    start = np.array(READY_POSITIONS)
    end = start.copy()
    end[0] += 0.3
    return Trajectory(
        names=arm_joint_names(),
        times=np.array([0.0, duration_s]),
        positions=np.stack([start, end]),
        velocities=np.zeros((2, 7)),
    )


def in_thread(run: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    box: list[Any] = []

    def catch() -> None:
        try:
            box.append(run())
        except NodeDiedError as error:
            box.append(error)

    thread = threading.Thread(target=catch, daemon=True)
    thread.start()
    return thread, box


# The arm.


def test_a_trajectory_is_followed_to_its_end(
    driver: RosDriver, controllers: ControllerDouble
) -> None:
    assert driver.follow(swing(), CancelToken()) == DriveResult(is_success=True)
    np.testing.assert_allclose(driver.joint_state().positions, swing().positions[-1])


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [
        ("reject", "rejected", "rejected the trajectory"),
        ("abort", "controller", "told to abort"),
        ("preempt", "controller", "told to preempt"),
        ("path_tolerance", "tolerance", "told to path_tolerance"),
        ("goal_tolerance", "tolerance", "told to goal_tolerance"),
    ],
)
def test_a_trajectory_that_fails_says_why(
    driver: RosDriver, controllers: ControllerDouble, mode: str, reason: str, words: str
) -> None:
    controllers.mode = mode
    driven = driver.follow(swing(), CancelToken())
    assert not driven.is_success
    assert driven.reason == reason
    assert words in driven.message


def test_a_cancelled_trajectory_brakes(driver: RosDriver, controllers: ControllerDouble) -> None:
    token = CancelToken()
    thread, box = in_thread(lambda: driver.follow(swing(5.0), token))
    assert controllers.is_moving.wait(5.0)
    token.cancel("enough")
    driver.stop()
    thread.join(5.0)
    assert box[0].reason == "cancelled"
    assert box[0].message.startswith("enough")
    assert not controllers.is_moving.is_set()


def test_an_emergency_stop_ends_foreign_goals_too(
    make_driver: MakeDriver, controllers: ControllerDouble
) -> None:
    foreign, ours = make_driver(), make_driver()
    thread, box = in_thread(lambda: foreign.follow(swing(20.0), CancelToken()))
    assert controllers.is_moving.wait(5.0)
    deadline = time.monotonic() + 10.0
    while thread.is_alive():
        assert time.monotonic() < deadline
        ours.emergency_stop()  # again, until its client has found the server
        thread.join(0.1)
    assert box[0].reason == "cancelled"
    assert "another client" in box[0].message


def test_a_server_that_is_not_there_is_named(make_driver: MakeDriver) -> None:
    driver = make_driver(arm_action="no_arm/follow_joint_trajectory", server_timeout_s=0.3)
    with pytest.raises(NodeDiedError, match=r"no_arm/follow_joint_trajectory.*did not appear"):
        driver.follow(swing(), CancelToken())


def test_a_server_that_goes_away_ends_the_motion(
    ros_context: rclpy.Context, make_driver: MakeDriver
) -> None:
    node = ControllerDouble(
        context=ros_context,
        cli_args=["--ros-args", "-r", "__ns:=/going"],
        use_global_arguments=False,
    )
    spinning = SpinThread(node, threads=8)
    node.mode = "hang"
    driver = make_driver("going")
    driver.joint_state()
    thread, box = in_thread(lambda: driver.follow(swing(), CancelToken()))
    assert node.is_moving.wait(5.0)
    node.vanish()
    thread.join(10.0)
    node.mode = "follow"
    spinning.close()
    node.destroy_node()
    assert isinstance(box[0], NodeDiedError)
    assert "is gone" in str(box[0])


def test_a_killed_controller_ends_the_motion_by_its_silence(
    processes: ProcessGroup,
    ros_environment: dict[str, str],
    make_driver: MakeDriver,
    wait_until: Callable[..., None],
) -> None:
    command = [
        *(sys.executable, str(Path(controller_double.__file__))),
        *("--ros-args", "-r", "__ns:=/killed"),
    ]
    pid = processes.start("controllers", command, environment=ros_environment)
    driver = make_driver("killed", server_timeout_s=20.0, vanish_s=1.5)
    wait_until(
        lambda: driver._states.silence_s(arm_joint_names()) < 1.0, timeout_s=30.0, what="a state"
    )
    thread, box = in_thread(lambda: driver.follow(swing(60.0), CancelToken()))
    wait_until(
        lambda: driver.joint_state().positions[0] > READY_POSITIONS[0] + 1e-4,
        timeout_s=15.0,
        what="a motion",
    )
    os.kill(pid, signal.SIGKILL)
    thread.join(10.0)
    assert isinstance(box[0], NodeDiedError)
    assert "silent" in str(box[0])


def test_the_speed_scale_stretches_time(driver: RosDriver, controllers: ControllerDouble) -> None:
    driver.speed_scale = 0.5
    assert driver.follow(swing(0.2), CancelToken()).is_success
    assert controllers.goals[0].duration == pytest.approx(0.4)


# Joint states.


@pytest.mark.parametrize("states", ["whole", "parts"])
def test_joints_in_any_order_extra_ones_and_parts_are_understood(
    driver: RosDriver, controllers: ControllerDouble, states: str
) -> None:
    controllers.states = states
    state = driver.joint_state()
    assert state.names == arm_joint_names()
    np.testing.assert_allclose(state.positions, READY_POSITIONS)
    assert driver.gripper_width() == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ("silent", "no joint states on joint_states for"),
        ("stale", r"stamps [23]\d\.\d s old; synchronise"),
        ("armless", "lack panda_joint1.*they hold panda_finger_joint1"),
        ("broken", "lack panda_joint1"),
    ],
)
def test_joint_states_that_are_of_no_use_are_told_apart(
    make_driver: MakeDriver,
    controllers: ControllerDouble,
    monkeypatch: pytest.MonkeyPatch,
    states: str,
    words: str,
) -> None:
    monkeypatch.setattr("malmm_ros.nodes.joint_listener._SILENCE_S", 0.5)
    controllers.states = states
    time.sleep(0.05)  # what is under way still arrives
    driver = make_driver()
    with pytest.raises(NodeDiedError, match=words) as caught:
        driver.joint_state()
    assert caught.value.node == "controllers"


def test_a_finger_that_is_not_published_stands_as_the_other(
    driver: RosDriver, controllers: ControllerDouble
) -> None:
    controllers.states = "mimicless"
    time.sleep(1.1)  # until what was heard of it is stale
    assert driver.gripper_width() == pytest.approx(0.08)


def test_fingers_with_a_topic_of_their_own_are_read_from_nowhere_else(
    make_driver: MakeDriver, controllers: ControllerDouble, client: Node
) -> None:
    publisher = client.create_publisher(JointState, "hand/joint_states", 10)
    stop = threading.Event()

    def publish() -> None:
        while not stop.wait(0.01):
            stamp = client.get_clock().now().to_msg()
            message = JointState(name=list(finger_joint_names()), position=[0.013, 0.013])
            message.header.stamp = stamp
            publisher.publish(message)

    thread = threading.Thread(target=publish, daemon=True)
    thread.start()
    driver = make_driver(gripper_states="hand/joint_states")
    widths = [driver.gripper_width() for _ in range(20)]
    stop.set()
    thread.join(5.0)
    client.destroy_publisher(publisher)
    assert widths == pytest.approx([0.026] * 20)


def test_joint_states_of_a_best_effort_publisher_are_heard(
    make_driver: MakeDriver, controllers: ControllerDouble, client: Node
) -> None:
    publisher = client.create_publisher(JointState, "lossy", qos_profile_sensor_data)
    driver = make_driver(arm_states="lossy")
    deadline = time.monotonic() + 10.0
    while driver._states.silence_s(arm_joint_names()) > 1.0:
        assert time.monotonic() < deadline
        publisher.publish(arm_states(0.1))
        time.sleep(0.02)
    client.destroy_publisher(publisher)


def test_of_a_flood_of_joint_states_the_newest_few_are_read(
    driver: RosDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[float] = []
    listener = JointListener(driver._node, "flood", stale_s=1.0, blame=lambda: "nobody")
    whole = listener._read

    def counted(message: JointState, received_at: float) -> None:
        read.append(message.position[0])
        whole(message, received_at)

    monkeypatch.setattr(listener, "_read", counted)
    flood = [serialize_message(arm_states(float(index))) for index in range(2000)]
    started = time.monotonic()
    for message in flood:
        listener._receive(message)
    looks = 2.0 + (time.monotonic() - started) / 0.02
    assert len(read) <= 4 * looks
    assert listener.silence_s(arm_joint_names()) < 1.0
    assert read[-1] == 1999.0


def test_joint_states_that_fall_silent_end_the_motion(
    make_driver: MakeDriver, controllers: ControllerDouble
) -> None:
    driver = make_driver(vanish_s=0.3)
    driver.joint_state()
    thread, box = in_thread(lambda: driver.follow(swing(10.0), CancelToken()))
    assert controllers.is_moving.wait(5.0)
    controllers.states = "silent"
    thread.join(10.0)
    assert isinstance(box[0], NodeDiedError)
    assert "silent" in str(box[0])
    # And the arm does not go on without anybody who looks.
    deadline = time.monotonic() + 5.0
    while controllers.is_moving.is_set():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# The hand.


@pytest.fixture(params=sorted(HANDS))
def hand(request: pytest.FixtureRequest, make_driver: MakeDriver) -> RosDriver:
    return make_driver(**HANDS[request.param])


def test_every_hand_closes_on_an_object_and_opens(
    hand: RosDriver, controllers: ControllerDouble
) -> None:
    controllers.object_width = 0.05
    closed = hand.grip(0.0, CancelToken())
    assert closed.is_success, closed.message
    assert closed.is_stalled
    assert closed.width == pytest.approx(0.05, abs=1e-4)
    opened = hand.grip(0.08, CancelToken())
    assert opened.is_success, opened.message
    assert not opened.is_stalled
    assert opened.width == pytest.approx(0.08, abs=1e-4)


def test_every_hand_closes_on_nothing(hand: RosDriver, controllers: ControllerDouble) -> None:
    closed = hand.grip(0.0, CancelToken())
    assert closed.is_success, closed.message
    assert not closed.is_stalled
    assert closed.width == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("mode", ["reject", "abort"])
def test_a_hand_that_fails_says_so(
    hand: RosDriver, controllers: ControllerDouble, mode: str
) -> None:
    controllers.hand_mode = mode
    reading = hand.grip(0.0, CancelToken())
    assert not reading.is_success
    assert not reading.is_stalled
    assert reading.reason == ("rejected" if mode == "reject" else "controller")


def test_a_stall_that_the_controller_calls_a_failure_is_a_grasp(
    driver: RosDriver, controllers: ControllerDouble
) -> None:
    controllers.hand_mode, controllers.object_width = "abort_on_stall", 0.03
    reading = driver.grip(0.0, CancelToken())
    assert reading.is_success
    assert reading.is_stalled
    assert reading.width == pytest.approx(0.03, abs=1e-4)


def test_a_franka_grasp_outside_its_epsilon_is_judged_by_the_width(
    make_driver: MakeDriver, controllers: ControllerDouble
) -> None:
    driver = make_driver(**HANDS["franka"], grasp_epsilon=0.005)
    controllers.object_width = 0.05
    reading = driver.grip(0.0, CancelToken())
    assert reading.is_success
    assert reading.is_stalled
    assert reading.width == pytest.approx(0.05, abs=1e-4)


def test_a_position_is_half_or_all_of_the_opening(
    make_driver: MakeDriver, controllers: ControllerDouble
) -> None:
    make_driver().grip(0.06, CancelToken())
    make_driver(gripper_position="full").grip(0.03, CancelToken())
    assert [goal.position for goal in controllers.hand_goals] == pytest.approx([0.03, 0.03])


def test_a_cancelled_hand_stays_where_it_is(
    driver: RosDriver, controllers: ControllerDouble
) -> None:
    token = CancelToken()
    token.cancel("enough")
    reading = driver.grip(0.0, token)
    assert reading.reason == "cancelled"
    assert reading.width == pytest.approx(0.08)


@pytest.mark.parametrize(
    "changes", [{"vanish_s": 0.0}, {"gripper_action": ""}, {"max_effort": -1.0}]
)
def test_wrong_settings_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, ConfigurationError)):
        ControllerConfig(**changes)
