"""Rules of the teams beside ``malmm``, and what all teams have in common."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import TEAMS, ModelConfig, TaskResult, build_team, read_transcript
from malmm_ros.robots.robot import GripResult
from malmm_ros.testing import FakeRobot, ScriptedModel, make_area, make_block

PICK = """Step: pick it up.

```python
open_gripper()
execute_trajectory([0.2, 0.1, 0.95], 0.0)
execute_trajectory([0.2, 0.1, 0.777], 0.0)
close_gripper("red block 1")
execute_trajectory([0.2, 0.1, 0.95], 0.0)
```"""
OUTSIDE = "```python\nexecute_trajectory([0.9, 0.0, 1.0], 0.0)\n```"
STEP = "Step: do the next thing."
COMPLETE = "Complete: it lies there."
ACCEPT = '{"is_complete": true, "reason": "it lies there"}'
REJECT = '{"is_complete": false, "reason": "it lies beside"}'
INSTRUCTION = "stack 2 red blocks on the green area"


def stack_robot(**settings: Any) -> FakeRobot:
    return FakeRobot(
        [
            make_block("red block 1", (0.2, 0.1, 0.777)),
            make_block("red block 2", (0.1, -0.2, 0.777), yaw=0.4),
            make_area("green area", 0.3, -0.1),
        ],
        **settings,
    )


def run(team: str, model: ScriptedModel, robot: FakeRobot, **settings: Any) -> TaskResult:
    return build_team(team, model).run(INSTRUCTION, robot, task_id="t", **settings)


@pytest.mark.parametrize("team", TEAMS)
def test_every_team_stacks_with_the_offline_model(team: str) -> None:
    robot = stack_robot()
    result = build_team(team, ModelConfig()).run(INSTRUCTION, robot)
    assert (result.is_success, result.reason) == (True, "completed")
    heights = sorted(item.pose.position[2] for item in robot.observe().objects[:2])
    assert heights == pytest.approx([0.779, 0.829], abs=0.003)


@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize(
    ("instruction", "reason"),
    [("stack 3 purple blocks", "impossible"), ("frobnicate the gloop", "not_understood")],
)
def test_every_team_says_what_it_cannot_do(team: str, instruction: str, reason: str) -> None:
    robot = stack_robot()
    result = build_team(team, ModelConfig()).run(instruction, robot)
    assert (result.is_success, result.reason) == (False, reason)
    # At most it has looked again from where the hand is.
    assert set(robot.commands) <= {"move (0.25, 0.0, 1.15) 0.000"}


@pytest.mark.parametrize("team", ["malmm", "multi", "single"])
def test_teams_with_feedback_pick_up_again_what_was_lost(team: str) -> None:
    lost = GripResult(is_success=False, width=0.0, reason="closed_on_nothing", message="empty")
    result = build_team(team, ModelConfig()).run(INSTRUCTION, stack_robot(failures={3: lost}))
    assert result.is_success


def test_a_team_without_feedback_does_not() -> None:
    lost = GripResult(is_success=False, width=0.0, reason="closed_on_nothing", message="empty")
    robot = stack_robot(failures={3: lost})
    result = build_team("single-open-loop", ModelConfig()).run(INSTRUCTION, robot)
    assert (result.is_success, result.reason) == (False, "program_failed")
    assert "closed_on_nothing" in result.message
    assert len(robot.commands) == 4


def test_an_open_loop_program_is_refused_whole_and_never_revised() -> None:
    robot = stack_robot()
    with ScriptedModel(single=[PICK.removesuffix("```") + OUTSIDE[10:]]) as model:
        result = run("single-open-loop", model, robot)
    assert result.reason == "program_failed"
    assert "outside" in result.message
    assert robot.commands == []


def test_an_open_loop_program_may_be_long() -> None:
    line = "execute_trajectory([0.2, 0.1, 0.95], 0.0)\n"
    with ScriptedModel(single=[f"```python\n{line * 120}```", REJECT]) as model:
        result = run("single-open-loop", model, stack_robot())
    assert (result.reason, result.message) == ("not_completed", "it lies beside")
    assert result.steps == 1


def test_the_single_agent_sees_the_scene_after_each_step() -> None:
    with ScriptedModel(single=[PICK, COMPLETE, ACCEPT]) as model:
        assert run("single", model, stack_robot()).is_success
    assert 'holding "red block 1"' in model.chats[1][1].content
    assert "executor: Done:" in model.chats[1][1].content


def test_a_rejected_claim_of_the_single_agent_goes_into_its_history() -> None:
    with ScriptedModel(single=[COMPLETE, REJECT, COMPLETE, ACCEPT]) as model:
        assert run("single", model, stack_robot()).is_success
    assert "completion rejected: it lies beside" in model.chats[2][1].content


@pytest.mark.parametrize("answer", ["Let me think.", f"{PICK}\n\n{COMPLETE}"])
def test_an_answer_that_is_no_move_or_two_is_repaired(answer: str) -> None:
    with ScriptedModel(single=[answer, PICK, COMPLETE, ACCEPT]) as model:
        result = run("single", model, stack_robot())
    assert (result.is_success, result.repairs) == (True, 1)


def test_multi_goes_round_in_its_order() -> None:
    with ScriptedModel(
        planner=[STEP, STEP, COMPLETE, REJECT, COMPLETE, ACCEPT], coder=[PICK, OUTSIDE]
    ) as model:
        result = run("multi", model, stack_robot())
    assert result.is_success
    assert [chat[0].content.split()[3] for chat in model.chats[:5]] == [
        "Planner",
        "Coder",
        "Planner",
        "Coder",
        "Planner",
    ]
    assert result.routing_faults == 0


@pytest.mark.parametrize("team", ["multi", "single"])
def test_five_errors_in_a_row_end_every_team(team: str) -> None:
    model = ScriptedModel(planner=[STEP] * 5, coder=[OUTSIDE] * 5, single=[OUTSIDE] * 5)
    assert run(team, model, stack_robot()).reason == "too_many_errors"


@pytest.mark.parametrize("team", TEAMS)
def test_a_robot_that_raises_ends_every_team_cleanly(team: str, tmp_path: Path) -> None:
    robot = stack_robot(failures={2: RuntimeError("a planner went wrong")})
    team_of_offline = build_team(team, ModelConfig())
    result = team_of_offline.run(INSTRUCTION, robot, transcript=tmp_path / "t.jsonl")
    assert (result.reason, result.is_success) == ("robot_failed", False)
    assert "RuntimeError: a planner went wrong" in result.message
    assert read_transcript(tmp_path / "t.jsonl")[-1].data["reason"] == "robot_failed"


def hang_up(handler: Any) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
    handler.close_connection = True


@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize(
    ("status", "reply", "reason"),
    [
        (200, b'{"choices": [{"message": ', "model_invalid_answer"),
        (200, hang_up, "model_unreachable"),
        (500, {"error": {"message": "oops"}}, "model_server_error"),
        (429, {"error": {"message": "slow down"}}, "model_rate_limited"),
        (400, {"error": {"message": "maximum context length"}}, "model_context_overflow"),
    ],
)
def test_a_failing_endpoint_ends_every_team_before_anything_moves(
    endpoint: Any, team: str, status: int, reply: Any, reason: str
) -> None:
    endpoint.replies.append((status, {}, reply))
    robot = stack_robot()
    made = build_team(team, ModelConfig(name="tiny", base_url=endpoint.url, retries=0))
    result = made.run(INSTRUCTION, robot)
    made.close()
    assert (result.is_success, result.reason) == (False, reason)
    assert robot.commands == []


def test_a_slow_endpoint_is_waited_for(endpoint: Any) -> None:
    def answer_late(handler: Any) -> None:
        time.sleep(1.0)
        body = json.dumps(completion("Impossible: there is no such block.")).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    endpoint.replies.append((200, {}, answer_late))
    made = build_team("single", ModelConfig(name="tiny", base_url=endpoint.url))
    result = made.run(INSTRUCTION, stack_robot())
    made.close()
    assert result.reason == "impossible"


def completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
