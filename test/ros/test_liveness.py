from __future__ import annotations

import os
import queue
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rclpy.event_handler import QoSLivelinessChangedInfo
from rclpy.node import Node
from rclpy.utilities import get_rmw_implementation_identifier
from std_srvs.srv import Trigger

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes import liveness
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import WaitCancelledError, await_result, call_service

SLEEPY = [sys.executable, str(Path(__file__).with_name("sleepy_node.py"))]


@pytest.fixture(params=["leases", "signs"])
def judged_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By the middleware's leases, or as with a middleware that tells of none."""
    if request.param == "signs":
        monkeypatch.setattr(liveness, "_WITHOUT_LEASES", (get_rmw_implementation_identifier(),))
        assert not liveness.has_leases()
    return str(request.param)


def test_a_middleware_that_tells_of_no_leases_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, expected in (("rmw_fastrtps_cpp", True), ("rmw_zenoh_cpp", False)):
        monkeypatch.setattr(liveness, "get_rmw_implementation_identifier", lambda name=name: name)
        assert liveness.has_leases() is expected


@pytest.mark.usefixtures("judged_by")
def test_a_killed_node_is_named_within_two_seconds_and_taken_back_after_a_restart(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    lost: queue.Queue[str] = queue.Queue()
    watch = NodeWatch(client, ["sleepy"], on_lost=lost.put)
    assert watch.missing() == ("sleepy",)
    assert not watch.is_lost("sleepy")
    pid = processes.start("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    first = watch.incarnation("sleepy")

    os.kill(pid, signal.SIGKILL)
    started = time.monotonic()
    assert lost.get(timeout=5.0) == "sleepy"
    assert time.monotonic() - started < 2.0
    assert watch.is_lost("sleepy")
    processes._children["sleepy"].process.wait(timeout=5.0)

    processes.restart("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    assert not watch.is_lost("sleepy")
    assert watch.incarnation("sleepy") != first
    watch.destroy()


def test_waiting_for_a_node_ends_with_its_name(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    watch = NodeWatch(client, ["sleepy"])
    with pytest.raises(NodeDiedError, match=r"not running: sleepy \(waited 0\.3 s\)"):
        watch.require(timeout_s=0.3)
    processes.start("sleepy", SLEEPY, environment=ros_environment)
    watch.require(timeout_s=30.0)
    watch.destroy()


@pytest.mark.usefixtures("judged_by")
def test_a_stopped_process_is_dead_and_alive_again_when_it_goes_on(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    lost: queue.Queue[str] = queue.Queue()
    watch = NodeWatch(client, ["sleepy"], on_lost=lost.put)
    pid = processes.start("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    os.kill(pid, signal.SIGSTOP)
    assert lost.get(timeout=2.5) == "sleepy"
    os.kill(pid, signal.SIGCONT)
    assert watch.wait_for(timeout_s=5.0) == ()
    watch.destroy()


def test_a_node_that_goes_on_giving_signs_is_alive_whatever_was_told_of_its_lease(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    watch = NodeWatch(client, ["sleepy"])
    pid = processes.start("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    # The lease was lost for a moment, and its return was told first, or not at all.
    watch._judge("sleepy", QoSLivelinessChangedInfo())
    assert watch.missing() == ("sleepy",)
    assert watch.wait_for(timeout_s=5.0) == ()
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 2.0
    while not watch.is_lost("sleepy"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    watch.destroy()


def test_one_late_sign_of_a_dead_node_is_no_sign_of_life(client: Node) -> None:
    watch = NodeWatch(client, ["nobody"])
    watch._see("nobody", "1 first")
    assert watch.missing() == ("nobody",)
    watch.destroy()


def test_an_answer_that_never_comes_ends_with_the_death_of_its_node(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    watch = NodeWatch(client, ["sleepy"])
    pid = processes.start("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    future = client.executor.create_future()
    os.kill(pid, signal.SIGKILL)
    started = time.monotonic()
    with pytest.raises(NodeDiedError, match="'sleepy' is gone while we waited for an answer"):
        await_result(future, timeout_s=30.0, watch=watch, needed=["sleepy"])
    assert time.monotonic() - started < 2.0
    watch.destroy()


def test_silence_and_cancellation_end_a_wait_too(client: Node) -> None:
    future = client.executor.create_future()
    with pytest.raises(NodeDiedError, match=r"'motion' did not give an answer within 0\.05 s"):
        await_result(future, timeout_s=0.05, needed=["motion"])
    token = CancelToken()
    token.cancel("enough")
    with pytest.raises(WaitCancelledError, match="enough"):
        await_result(future, timeout_s=5.0, cancel=token)


def test_a_service_that_is_not_there_is_reported_with_its_name(client: Node) -> None:
    nobody = client.create_client(Trigger, "nobody/home")
    with pytest.raises(NodeDiedError, match="service nobody/home of node 'nobody'"):
        call_service(nobody, Trigger.Request(), timeout_s=0.1, needed=["nobody"])


def test_a_service_call_gives_the_answer(client: Node) -> None:
    from rclpy.callback_groups import ReentrantCallbackGroup

    group = ReentrantCallbackGroup()

    def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = "here"
        return response

    client.create_service(Trigger, "somebody/home", answer, callback_group=group)
    caller = client.create_client(Trigger, "somebody/home", callback_group=group)
    assert call_service(caller, Trigger.Request(), timeout_s=10.0).message == "here"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_node_ends_cleanly_within_two_seconds_of_a_signal(
    number: signal.Signals,
    processes: ProcessGroup,
    ros_environment: dict[str, str],
    wait_until: Callable[..., None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        pid = group.start("sleepy", SLEEPY, environment=ros_environment)
        wait_until(lambda: "ready" in lines, timeout_s=15.0, what="the start")
        started = time.monotonic()
        os.kill(pid, number)
        wait_until(group.dead, timeout_s=3.0, what="the end")
        assert time.monotonic() - started < 2.0
        assert group.dead() == {"sleepy": 0}
    assert lines == ["ready", "closed"]


def test_a_node_that_hangs_while_closing_goes_within_two_seconds_anyway(
    ros_environment: dict[str, str], wait_until: Callable[..., None]
) -> None:
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        pid = group.start("sleepy", [*SLEEPY, "hang"], environment=ros_environment)
        wait_until(lambda: "ready" in lines, timeout_s=15.0, what="the start")
        os.kill(pid, signal.SIGINT)
        wait_until(group.dead, timeout_s=2.5, what="the end")


def test_a_wrong_configuration_is_one_line_and_exit_code_two(
    ros_environment: dict[str, str], wait_until: Callable[..., None]
) -> None:
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        group.start("sleepy", [*SLEEPY, "broken"], environment=ros_environment)
        wait_until(group.dead, timeout_s=15.0, what="the end")
        assert group.dead() == {"sleepy": 2}
    assert lines == ["node 'sleepy': is broken on purpose"]


def test_a_command_line_that_ros_does_not_understand_is_said_without_a_traceback(
    ros_environment: dict[str, str], wait_until: Callable[..., None]
) -> None:
    lines: list[str] = []
    command = [*SLEEPY, "--ros-args", "--params-file", "nowhere.yaml"]
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        group.start("sleepy", command, environment=ros_environment)
        wait_until(group.dead, timeout_s=15.0, what="the end")
        assert group.dead() == {"sleepy": 2}
    assert "nowhere.yaml" in lines[-1]
    assert not any("Traceback" in line for line in lines)


def test_a_node_that_ends_in_order_is_lost_as_well(
    client: Node, processes: ProcessGroup, ros_environment: dict[str, str]
) -> None:
    lost: queue.Queue[str] = queue.Queue()
    watch = NodeWatch(client, ["sleepy"], on_lost=lost.put)
    pid = processes.start("sleepy", SLEEPY, environment=ros_environment)
    assert watch.wait_for(timeout_s=15.0) == ()
    os.kill(pid, signal.SIGINT)
    assert lost.get(timeout=3.0) == "sleepy"
    watch.destroy()
