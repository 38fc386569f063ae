"""The whole system: simulator, scene, motion and agents in processes of their own."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import read_transcript
from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.demo.judge import judge
from malmm_ros.errors import NodeDiedError, SimulationError
from malmm_ros.nodes.task_client import NODES, TaskClient

STACK = "stack 2 red blocks on the green target area"
OPTIONS = "{color: red, other_color: blue, count: 2}"


class System:
    """Nodes in processes, and a client of them."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = environment
        values = {"speed": 0.0, "task": "stack_blocks", "seed": 3, "options": OPTIONS}
        self.nodes = {node.name: node for node in SIM.resolve(values | {"rviz": "false"})}
        self.group = ProcessGroup()
        self.folder = folder
        for name in NODES:
            self.group.start(name, self._command(name), environment=environment)
        self.client = TaskClient("test_system")
        self.client.wait_for_nodes(timeout_s=60.0)

    def _command(self, name: str) -> list[str]:
        command = node_command(self.nodes[name])
        return [*command, "-p", f"transcripts:={self.folder}"] if name == "agents" else command

    def load(self, seed: int = 3, options: str = OPTIONS) -> None:
        self.client.load_task("stack_blocks", seed, options)

    def restart(self, name: str) -> None:
        self.group.restart(name, self._command(name), environment=self.environment)
        self.client.wait_for_nodes(timeout_s=60.0)

    def close(self) -> None:
        self.client.close()
        self.group.stop()


@pytest.fixture(scope="module")
def system(
    ros_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[System]:
    made = System(ros_environment, tmp_path_factory.mktemp("transcripts"))
    yield made
    made.close()


class Events:
    """Collects a task's events and says when an execution was reported."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.indices: list[int] = []
        self.moved = threading.Event()
        self.coded = threading.Event()

    def __call__(self, event: Any) -> None:
        self.kinds.append(event.kind)
        self.indices.append(event.index)
        if event.kind == "execution":
            self.moved.set()
        if event.kind == "rehearsal":
            self.coded.set()


def run_in_thread(
    system: System, instruction: str, events: Events
) -> tuple[threading.Thread, list[Any]]:
    box: list[Any] = []

    def run() -> None:
        try:
            box.append(system.client.run(instruction, timeout_s=90.0, on_event=events))
        except NodeDiedError as error:
            box.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, box


def test_a_sentence_becomes_a_tower_and_a_transcript_without_gaps(system: System) -> None:
    system.load()
    before = system.client.ground_truth()
    events = Events()
    result = system.client.run(STACK, timeout_s=90.0, on_event=events)
    assert result.success, result.message
    assert judge(STACK, before, system.client.ground_truth()).is_success
    assert system.client.check_success()[0]
    lines = read_transcript(Path(result.transcript))
    assert [line.index for line in lines] == list(range(len(lines)))
    # Feedback is best effort at the very end; what came is in order and without repeats.
    assert events.indices == sorted(set(events.indices))
    assert {"instruction", "scene", "message", "execution", "check"} <= set(events.kinds)


@pytest.mark.parametrize(
    ("instruction", "reason", "words"),
    [
        ("", "refused", "empty"),
        ("frobnicate the quux", "not_understood", "frobnicate"),
        ("put the purple block on the green target area", "impossible", "purple"),
        ("stack 9 red blocks on the green target area", "impossible", "4"),
    ],
)
def test_a_sentence_that_cannot_be_done_gets_a_clear_answer(
    system: System, instruction: str, reason: str, words: str
) -> None:
    system.load()
    result = system.client.run(instruction, timeout_s=60.0)
    assert not result.success
    assert result.reason == reason, result.message
    assert words in result.message


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        ("stack_block", "", "Did you mean 'stack_blocks'"),
        ("stack_blocks", "{color: rde}", "Did you mean 'red'"),
        ("stack_blocks", "{count: 9}", "2, 3 or 4"),
        ("stack_blocks", "{coutn: 3}", "count"),
        ("stack_blocks", "[", "YAML"),
    ],
)
def test_a_world_that_cannot_be_built_is_refused_and_the_present_one_stays(
    system: System, task: str, options: str, words: str
) -> None:
    system.load()
    names = system.client.ground_truth().names
    with pytest.raises(SimulationError, match=words.replace("(", r"\(")):
        system.client.load_task(task, 0, options)
    assert system.client.ground_truth().names == names


def test_a_task_sent_while_one_runs_is_turned_away_and_the_first_goes_on(system: System) -> None:
    system.load()
    events = Events()
    thread, box = run_in_thread(system, STACK, events)
    assert events.coded.wait(60.0)
    with TaskClient("second_client") as second:
        second.wait_for_nodes(timeout_s=20.0)
        result = second.run("put the blue block on the green target area", timeout_s=30.0)
    assert result.reason == "busy"
    thread.join(timeout=90.0)
    assert box[0].success, box[0].message


def test_cancel_in_mid_motion_brakes_the_arm_before_it_arrives(system: System) -> None:
    system.load()
    events = Events()
    thread, box = run_in_thread(system, STACK, events)
    start = system.client.ground_truth().gripper.tcp.position
    assert events.coded.wait(60.0)
    # The first motion after the rehearsal goes from the ready pose to above a block.
    deadline = time.monotonic() + 20.0
    while math.dist(system.client.ground_truth().gripper.tcp.position, start) < 0.02:
        assert time.monotonic() < deadline, "the arm does not move"
    system.client.cancel()
    thread.join(timeout=20.0)
    assert box
    assert not box[0].success
    assert box[0].reason == "cancelled"
    first = system.client.ground_truth().gripper.tcp.position
    second = system.client.ground_truth().gripper.tcp.position
    assert first == pytest.approx(second, abs=1e-4)
    lines = read_transcript(Path(box[0].transcript))
    executions = [line for line in lines if line.kind == "execution"]
    assert all(line.data["outcome"] != "done" for line in executions)
    assert not system.client.ground_truth().gripper.width < 0.05


def test_a_stop_ends_the_task_and_nothing_starts_until_it_is_released(system: System) -> None:
    system.load()
    events = Events()
    thread, box = run_in_thread(system, STACK, events)
    assert events.coded.wait(60.0)
    call_malmm(system, "stop")
    thread.join(timeout=20.0)
    assert box
    assert box[0].reason == "cancelled"
    assert "stopped by the service motion/stop" in box[0].message
    refused = system.client.run(STACK, timeout_s=30.0)
    assert refused.reason == "stopped"
    assert "motion/release_stop" in refused.message
    assert "accepted again" in call_malmm(system, "stop", "--release")
    system.load()
    result = system.client.run(STACK, timeout_s=90.0)
    assert result.success, result.message


def test_a_stop_that_nobody_hears_says_so(system: System) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        call_malmm(system, "stop", "--namespace", "elsewhere", "--timeout", "1")
    assert caught.value.returncode == 1
    assert "'motion'" in caught.value.stderr


def call_malmm(system: System, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "malmm_ros", *words],
        env=system.environment,
        capture_output=True,
        text=True,
        timeout=60.0,
        check=True,
    ).stdout


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ["simulator", "scene", "motion", "agents"])
def test_a_node_that_dies_in_mid_task_is_named_within_three_seconds_and_taken_back(
    system: System, name: str
) -> None:
    system.load()
    events = Events()
    thread, box = run_in_thread(system, STACK, events)
    assert events.coded.wait(60.0)
    os.kill(system.group.pid(name), signal.SIGKILL)
    killed_at = time.monotonic()
    thread.join(timeout=20.0)
    waited_s = time.monotonic() - killed_at
    assert box, "the client hangs"
    text = str(box[0]) if isinstance(box[0], NodeDiedError) else box[0].message
    assert name in text
    assert waited_s < 3.0
    system.restart(name)
    system.load(seed=5)
    result = system.client.run(STACK, timeout_s=90.0)
    assert result.success, result.message
