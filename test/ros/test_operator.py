"""People in the loop, through nodes: approve, refuse, pause, resume, speak."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import read_transcript
from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.nodes.task_client import NODES, TaskClient

STACK = "stack 2 red blocks on the green target area"
OPTIONS = "{color: red, other_color: blue, count: 2}"


@pytest.fixture(scope="module")
def client(
    ros_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TaskClient]:
    """A client of a system in which every step waits for a person."""
    values = {"speed": 0.0, "task": "stack_blocks", "seed": 3, "options": OPTIONS}
    nodes = {node.name: node for node in SIM.resolve(values | {"rviz": "false"})}
    folder = tmp_path_factory.mktemp("transcripts")
    settings = ["-p", f"transcripts:={folder}", "-p", "approve:=true"]
    with ProcessGroup() as group:
        for name in NODES:
            command = node_command(nodes[name]) + (settings if name == "agents" else [])
            group.start(name, command, environment=ros_environment)
        with TaskClient("test_operator") as made:
            made.wait_for_nodes(timeout_s=60.0)
            yield made


def test_steps_wait_for_a_person_who_can_also_pause_and_speak(client: TaskClient) -> None:
    asked: list[Any] = []
    waits = threading.Event()

    def on_event(event: Any) -> None:
        if event.kind == "approval":
            asked.append(event)
            waits.set()

    box: list[Any] = []
    run = threading.Thread(
        target=lambda: box.append(client.run(STACK, timeout_s=100.0, on_event=on_event)),
        daemon=True,
    )
    assert not client.decide("yes")
    run.start()
    answers = ["no", "correct"]
    while run.is_alive():
        if not waits.wait(0.05):
            continue
        waits.clear()
        if len(asked) == 1:
            client.say("be careful")
            client.pause()
            client.resume()
        assert client.decide(answers.pop(0) if answers else "yes", "gently")
    assert box[0].success, box[0].message
    operator = [e for e in read_transcript(Path(box[0].transcript)) if e.kind == "operator"]
    assert [
        event.data["verdict"]
        for event in operator
        if event.data["verdict"] in ("yes", "no", "correct")
    ][:3] == [
        "no",
        "correct",
        "yes",
    ]
    assert "be careful" in [event.text for event in operator]
    assert "The robot will" in asked[0].text
