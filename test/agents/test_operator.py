"""People in the loop: approving, correcting, pausing and speaking in mid-task."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import AgentEvent, Desk, ModelConfig, TaskResult, build_team, read_transcript
from malmm_ros.agents.operator import ApprovalRequest
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import UnknownNameError
from malmm_ros.testing import FakeRobot, make_area, make_block

INSTRUCTION = "stack 2 red blocks on the green area"


def stack_robot() -> FakeRobot:
    return FakeRobot(
        [
            make_block("red block 1", (0.2, 0.1, 0.777)),
            make_block("red block 2", (0.1, -0.2, 0.777), yaw=0.4),
            make_area("green area", 0.3, -0.1),
        ]
    )


def run(desk: Desk, robot: FakeRobot, **settings: Any) -> TaskResult:
    return build_team("malmm", ModelConfig()).run(
        INSTRUCTION, robot, operator=desk, task_id="t", **settings
    )


def approving(*answers: tuple[str, str]) -> tuple[Desk, list[ApprovalRequest]]:
    """A desk that gives these decisions in turn, then only yes."""
    left, seen = list(answers), list[ApprovalRequest]()

    def decide(request: ApprovalRequest) -> None:
        seen.append(request)
        desk.decide(*(left.pop(0) if left else ("yes", "")))

    desk = Desk(approves_steps=True, on_ask=decide)
    return desk, seen


def test_each_step_is_shown_as_code_and_sentence() -> None:
    desk, seen = approving()
    assert run(desk, stack_robot()).is_success
    assert len(seen) == 4
    assert "close_gripper(" in seen[0].code
    assert seen[0].summary.startswith("The robot will open the hand, move to (")
    assert "close the hand on 'red block" in seen[0].summary
    assert seen[0].summary.endswith("rise to z = 0.902.")


def test_a_no_moves_nothing_and_is_no_error_of_the_team() -> None:
    robot = stack_robot()
    desk, _ = approving(("no", ""))
    result = run(desk, robot)
    assert result.is_success
    assert result.steps == 4


def test_a_correction_reaches_the_planner(tmp_path: Path) -> None:
    desk, _ = approving(("correct", "take the other block first"))
    run(desk, stack_robot(), transcript=tmp_path)
    told = read_transcript(tmp_path / "t.jsonl")
    operator = [event for event in told if event.kind == "operator"]
    assert operator[0].data == {"verdict": "correct", "text": "take the other block first"}
    prompts = [
        event.data["prompt"]
        for event in told
        if event.kind == "message" and event.agent == "planner" and event.index > operator[0].index
    ]
    assert "user: take the other block first" in prompts[0]
    assert "the user does not want this step" in prompts[0]


def test_waiting_for_a_decision_can_be_cancelled() -> None:
    robot, cancel = stack_robot(), CancelToken()
    desk = Desk(approves_steps=True, on_ask=lambda _request: cancel.cancel("enough"))
    result = run(desk, robot, cancel=cancel)
    assert (result.reason, result.message) == ("cancelled", "enough")
    assert robot.commands == []


def test_a_pause_holds_before_the_next_command_until_resumed() -> None:
    robot, desk = stack_robot(), Desk()
    counted: list[int] = []

    def on_event(event: AgentEvent) -> None:
        if event.kind == "rehearsal" and not counted:
            desk.pause()
            timer.start()

    def look() -> None:
        counted.append(len(robot.commands))
        desk.resume()

    timer = threading.Timer(0.4, look)
    assert run(desk, robot, on_event=on_event).is_success
    assert counted == [0]


def test_a_paused_task_can_be_cancelled() -> None:
    desk, cancel = Desk(), CancelToken()
    desk.pause()
    threading.Timer(0.2, cancel.cancel).start()
    start = time.monotonic()
    assert run(desk, stack_robot(), cancel=cancel).reason == "cancelled"
    assert time.monotonic() - start < 5.0


def test_a_sentence_in_mid_task_is_read_by_all(tmp_path: Path) -> None:
    desk = Desk()
    desk.say("be quick\nabout it")
    run(desk, stack_robot(), transcript=tmp_path)
    messages = [e for e in read_transcript(tmp_path / "t.jsonl") if e.kind == "message"]
    assert {event.agent for event in messages} == {"supervisor", "planner", "coder"}
    assert all("user: be quick\n    about it" in event.data["prompt"] for event in messages)


def test_a_decision_without_a_question_is_refused() -> None:
    desk = Desk(approves_steps=True)
    assert not desk.decide("yes")
    with pytest.raises(UnknownNameError, match="correct, no, yes"):
        desk.decide("maybe")


@pytest.mark.parametrize("team", ["malmm", "multi", "single"])
def test_a_sentence_in_mid_task_becomes_a_goal_of_the_offline_model(team: str) -> None:
    robot, desk = stack_robot(), Desk()
    robot.place(make_block("blue block", (0.45, 0.2, 0.777), color="blue"))
    robot.place(make_area("yellow area", 0.45, -0.25, color="yellow"))

    def speak(event: AgentEvent) -> None:
        if event.kind == "execution" and len(robot.commands) == 5:
            desk.say("put the blue block on the yellow area")

    result = build_team(team, ModelConfig()).run(INSTRUCTION, robot, operator=desk, on_event=speak)
    assert result.is_success
    blue = robot.observe().find("blue block")
    assert blue is not None
    assert blue.pose.position[:2] == pytest.approx((0.45, -0.25), abs=0.005)
