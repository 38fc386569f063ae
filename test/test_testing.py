from __future__ import annotations

import pytest

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.robots.robot import MotionResult, Robot
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.testing import FakeRobot, ScriptedModel, UnscriptedError, make_area, make_block


def ask(model: ScriptedModel, role: str) -> str:
    chat = [ChatMessage("system", f"You are the {role} of a team."), ChatMessage("user", "?")]
    return ModelClient(model).ask(chat, check=lambda: None).text


def test_a_scripted_model_answers_role_by_role_in_order() -> None:
    with ScriptedModel(planner=["one", "two"], coder=["code"]) as model:
        assert [ask(model, role) for role in ("Planner", "Coder", "Planner")] == [
            "one",
            "code",
            "two",
        ]
    assert [chat[1].content for chat in model.chats_of("planner")] == ["?", "?"]


def test_an_answer_that_nobody_asked_for_fails_the_test() -> None:
    with (
        pytest.raises(UnscriptedError, match=r"nobody asked for: \{'coder': 1\}"),
        ScriptedModel(coder=["code"]),
    ):
        pass


def test_a_question_without_answer_fails_the_test() -> None:
    with pytest.raises(UnscriptedError, match="the planner was asked once more"):
        ask(ScriptedModel(), "Planner")


def test_what_is_held_follows_the_hand_and_falls_on_what_is_below() -> None:
    robot: Robot = FakeRobot(
        [
            make_block("a", (0.2, 0.1, 0.777)),
            make_block("b", (0.3, -0.1, 0.777)),
            make_area("area", 0.3, -0.1),
        ]
    )
    robot.execute_trajectory([0.2, 0.1, 0.777], 0.0)
    assert robot.close_gripper("a").held_object == "a"
    robot.execute_trajectory([0.3, -0.1, 0.9], 0.5)
    held = robot.observe().find("a")
    assert held is not None
    assert held.is_held
    assert held.pose.position == pytest.approx((0.3, -0.1, 0.9))
    assert held.yaw == pytest.approx(0.5)
    robot.open_gripper()
    fallen = robot.observe().find("a")
    assert fallen is not None
    assert fallen.bottom_z == pytest.approx(TABLE_TOP_Z + 0.05)


def test_failures_come_as_scripted() -> None:
    failure = MotionResult(is_success=False, reason="dropped")
    robot = FakeRobot(failures={1: failure, 2: ConnectionError("gone")})
    assert robot.rehearse().execute_trajectory([0.2, 0.1, 0.9], 0.0).is_success
    assert robot.open_gripper().is_success
    assert robot.execute_trajectory([0.2, 0.1, 0.9], 0.0) is failure
    with pytest.raises(ConnectionError):
        robot.open_gripper()
    assert robot.commands == ["open", "move (0.2, 0.1, 0.9) 0.000", "open"]
