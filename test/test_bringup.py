from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from malmm_ros.bringup import COOPERATION, SIM, SYSTEMS
from malmm_ros.bringup.domain import DomainLease, dds_environment
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.errors import ConfigurationError, NodeDiedError, UnknownNameError

IGNORES_SIGNALS = (
    "import signal, sys, time\n"
    "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('up', flush=True)\n"
    "time.sleep(60)\n"
)


def wait_until(condition: Callable[[], object], *, timeout_s: float = 10.0) -> None:
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline
        pause.wait(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_every_argument_is_documented_and_its_default_is_valid() -> None:
    for system in SYSTEMS.values():
        for argument in system.arguments:
            assert argument.doc
            assert argument.parse(argument.default) == argument.default


def test_arguments_become_parameters_of_their_nodes() -> None:
    nodes = {
        node.name: node
        for node in SIM.resolve(
            {"task": "put_block", "seed": "7", "speed": "0", "model": "gpt-x", "rviz": "false"}
        )
    }
    assert list(nodes) == ["simulator", "scene", "motion", "agents"]
    assert nodes["simulator"].parameters["task"] == "put_block"
    assert nodes["simulator"].parameters["seed"] == 7
    assert nodes["simulator"].parameters["speed"] == 0.0
    assert isinstance(nodes["simulator"].parameters["speed"], float)
    assert nodes["agents"].parameters["model"] == "gpt-x"
    assert nodes["motion"].parameters["planner"] == "roboplan"
    assert "use_sim_time" not in nodes["simulator"].parameters


@pytest.mark.parametrize("name", ["namespace", "robot_name"])
@pytest.mark.parametrize("text", ["my arm", "1st", "a-b", "a//b", "a/", "ä", "a" * 60 + "!"])
def test_a_name_that_ros_would_not_take_is_refused_before_anything_starts(
    name: str, text: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"argument {name}: .* must be "):
        SIM.values({name: text})


@pytest.mark.parametrize("text", ["", "left", "/left", "lab/left_2", "_x"])
def test_a_namespace_may_have_several_parts(text: str) -> None:
    assert SIM.values({"namespace": text})["namespace"] == text


def test_one_name_of_the_robot_reaches_joints_controllers_and_planner() -> None:
    nodes = {node.name: node for node in SIM.resolve({"robot_name": "left", "rviz": "false"})}
    assert nodes["simulator"].parameters["robot_name"] == "left"
    motion = nodes["motion"].parameters
    assert motion["robot_name"] == motion["roboplan.robot_name"] == "left"
    assert motion["controllers.arm_action"] == "left_arm_controller/follow_joint_trajectory"
    assert motion["controllers.gripper_action"] == "left_hand_controller/gripper_cmd"


def test_every_agent_gets_a_namespace_and_everybody_knows_the_names() -> None:
    values = {"agents": "rhp,random,rhp", "names": "Ann,Ben,Eve,Joe", "rviz": "false"}
    nodes = {node.label: node for node in COOPERATION.resolve({**values, "namespace": "lab"})}
    agents = ["ann/agent", "ben/agent", "eve/agent"]
    assert list(nodes) == ["world", "communication", *agents]
    assert [nodes[name].parameters["kind"] for name in agents] == ["rhp", "random", "rhp"]
    assert [nodes[name].namespace for name in agents] == ["lab/ann", "lab/ben", "lab/eve"]
    assert nodes["world"].namespace == nodes["communication"].namespace == "lab"
    for name in ("world", "communication"):
        assert nodes[name].parameters["agents"] == ("Ann", "Ben", "Eve")
    assert "__ns:=/lab/ann" in node_command(nodes["ann/agent"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agents": "mat,mat"}, "'mat' is one mind for all its agents and cannot run as one node"),
        ({"agents": "rph,rhp"}, "'rph' is unknown; .*'rhp'"),
        ({"agents": " , "}, "names no agent"),
        ({"agents": "rhp," * 5}, "1 to 4 take part, got 5"),
        ({"agents": "rhp,rhp,rhp", "names": "Ann,Ben"}, "3 agents need as many names"),
        ({"names": "Ann,ann"}, "must differ in more than capitals, got Ann, ann"),
        ({"names": "Ann,World"}, "'World' is what another node is called"),
        ({"names": "Ann,Ben 2"}, "'Ben 2' must be a letter, then letters"),
    ],
)
def test_a_team_that_cannot_be_is_refused_before_anything_starts(
    given: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        COOPERATION.resolve(given)


def test_rviz_starts_when_asked_for() -> None:
    assert SIM.resolve({"rviz": "true"})[-1].executable == "rviz2"
    with pytest.raises(ConfigurationError, match="ros2 launch"):
        node_command(SIM.resolve({"rviz": "true"})[-1])


def test_wrong_arguments_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'motion'"):
        SIM.resolve({"motoin": "roboplan"})
    with pytest.raises(UnknownNameError, match="Did you mean 'roboplan'"):
        SIM.resolve({"motion": "robplan"})
    with pytest.raises(ConfigurationError, match="'soon' is not a number"):
        SIM.resolve({"speed": "soon"})


def test_texts_stay_texts_on_the_command_line() -> None:
    (simulator, *_) = SIM.resolve(
        {"options": '{color: "red"}', "task": "1", "namespace": "left", "config": __file__}
    )
    command = node_command(simulator)
    assert command[1:3] == ["-m", "malmm_ros.nodes.simulator"]
    assert 'task:="1"' in command
    assert r'options:="{color: \"red\"}"' in command
    assert "speed:=1.0" in command
    assert "__ns:=/left" in command
    assert command[-2:] == ["--params-file", __file__]


RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
PROFILE = "FASTDDS_DEFAULT_PROFILES_FILE"
OLD_PROFILE = "FASTRTPS_DEFAULT_PROFILES_FILE"


@pytest.mark.parametrize("given", [{}, {RANGE: "LOCALHOST"}, {"RMW_IMPLEMENTATION": ""}])
def test_discovery_stays_on_this_machine_unless_it_was_set(given: dict[str, str]) -> None:
    found = dds_environment(environment=given)
    assert found[RANGE] == "SYSTEM_DEFAULT"  # LOCALHOST would bring shared memory
    assert Path(found[PROFILE]).name == "fastdds.xml"
    assert OLD_PROFILE not in found
    assert dds_environment(environment=found) == found
    # A program that is started by one that has it.
    found.pop(RANGE)
    assert dds_environment(environment=found)[RANGE] == "SYSTEM_DEFAULT"


def test_discovery_that_was_set_stays() -> None:
    kept = dds_environment(environment={RANGE: "SUBNET"})
    assert kept[RANGE] == "SUBNET"
    assert PROFILE not in kept
    beyond = dds_environment(environment={}, beyond_this_machine=True)
    assert RANGE not in beyond
    assert PROFILE not in beyond


@pytest.mark.parametrize("given", [{PROFILE: "mine.xml"}, {"RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}])
def test_who_has_a_profile_or_another_middleware_gets_ros_own_discovery_on_this_machine(
    given: dict[str, str],
) -> None:
    found = dds_environment(environment=given)
    assert found[RANGE] == "LOCALHOST"
    assert found.get(PROFILE) == given.get(PROFILE)


def test_fast_dds_2_is_told_by_its_own_variable() -> None:
    found = dds_environment(environment={"ROS_DISTRO": "jazzy"})
    assert OLD_PROFILE in found
    assert PROFILE not in found


def test_two_leases_never_share_a_domain() -> None:
    with DomainLease() as first, DomainLease() as second:
        assert first.domain_id != second.domain_id
        assert first.environment({})["ROS_DOMAIN_ID"] == str(first.domain_id)


def test_output_is_given_line_by_line_with_the_name() -> None:
    lines: list[tuple[str, str]] = []
    with ProcessGroup(on_line=lambda name, line: lines.append((name, line))) as group:
        group.start(
            "talker",
            [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr)"],
            environment=dict(os.environ),
        )
        wait_until(lambda: len(lines) == 2)
    assert lines == [("talker", "out"), ("talker", "err")]


def test_a_child_that_dies_is_reported_by_name() -> None:
    with ProcessGroup() as group:
        pid = group.start("motion", ["sleep", "60"], environment=dict(os.environ))
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(NodeDiedError, match="node 'motion' was killed by SIGKILL"):
            group.watch(threading.Event())


def test_children_that_ignore_signals_are_gone_within_three_seconds() -> None:
    ready: list[str] = []
    group = ProcessGroup(on_line=lambda _, line: ready.append(line))
    pids = [
        group.start(name, [sys.executable, "-c", IGNORES_SIGNALS], environment=dict(os.environ))
        for name in ("a", "b")
    ]
    wait_until(lambda: len(ready) == 2)
    started = time.monotonic()
    group.stop()
    assert time.monotonic() - started < 3.0
    assert not any(is_running(pid) for pid in pids)


def test_no_child_outlives_a_killed_parent() -> None:
    program = (
        "import os, threading\n"
        "from malmm_ros.bringup.processes import ProcessGroup\n"
        "group = ProcessGroup()\n"
        "print(group.start('child', ['sleep', '60'], environment=dict(os.environ)), flush=True)\n"
        "threading.Event().wait(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    parent.wait(timeout=10.0)
    wait_until(lambda: not is_running(child), timeout_s=3.0)
