from __future__ import annotations

import pytest

from malmm_ros.agents.code_runner import CodeRunner
from malmm_ros.agents.interruption import TaskCancelledError
from malmm_ros.agents.sandbox import CodeLimits
from malmm_ros.cancellation import CancelToken
from malmm_ros.robots.robot import GripResult, MotionResult
from malmm_ros.testing import FakeRobot, make_block

MOVE = "execute_trajectory([0.2, 0.1, 0.9], 0.0)"


@pytest.fixture
def runner() -> CodeRunner:
    return CodeRunner()


@pytest.fixture
def cancel() -> CancelToken:
    return CancelToken()


def test_a_rehearsal_moves_nothing(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    before = robot.observe()
    report = runner.rehearse(f"open_gripper()\n{MOVE}", robot, cancel=cancel)
    assert (report.outcome, len(report.calls)) == ("done", 2)
    assert robot.commands == []
    assert robot.observe().gripper == before.gripper


def test_a_rehearsal_takes_the_branch_of_success(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    code = (
        "motion = execute_trajectory([0.9, 0.0, 1.0], 0.0)\n"
        "if motion['success']:\n    open_gripper()\nelse:\n    close_gripper('red block 1')"
    )
    report = runner.rehearse(code, robot, cancel=cancel)
    assert report.outcome == "refused"
    assert [call.call.split("(")[0] for call in report.calls] == [
        "execute_trajectory",
        "open_gripper",
    ]


def test_a_refusal_leaves_out_what_only_follows_from_the_first_failure(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    code = f"{MOVE}\nexecute_trajectory([0.2, 0.9, 0.8], 0.0)\nclose_gripper('red block 1')"
    report = runner.rehearse(code, robot, cancel=cancel)
    assert "line 2" in report.text
    assert "closed_on_nothing" not in report.text
    assert "line 1" not in report.text


def test_an_unknown_object_is_refused_before_any_motion(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    report = runner.rehearse(f"{MOVE}\nclose_gripper('blue jar')", robot, cancel=cancel)
    assert report.text.startswith("Refused before any motion:\n")
    assert "'blue jar' is not in the scene" in report.text


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("", "holds no program"),
        ("x = 1", "calls none of the robot's functions"),
        ("x = = 1", "Expected an expression"),
        ("def open_gripper(): pass\nopen_gripper()", "open_gripper itself"),
        ("#" * 30_000, "longer than"),
        ("execute_trajectory([200, 100, 900], 0.0)", "millimetres"),
        ("execute_trajectory([0.2, 0.1, 0.9], 90)", "degrees"),
        ("execute_trajectory([0.2, 0.1], 0.0)", "three numbers"),
        ("execute_trajectory([0.2, 0.1, 0.9])", "yaw missing"),
        ("execute_trajectory([0.2, 0.1, float('nan')], 0.0)", "finite"),
        ("close_gripper('')", "a string"),
        ("open_gripper()\n1 / 0", "ZeroDivisionError"),
        ("for i in range(40):\n    open_gripper()", "30 times at most"),
    ],
)
def test_wrong_code_is_reported_and_nothing_has_moved(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken, code: str, problem: str
) -> None:
    report = runner.rehearse(code, robot, cancel=cancel)
    assert report.outcome == "code_error"
    assert report.text.startswith("Code error, nothing has moved:\n")
    assert problem in report.text
    assert robot.commands == []


def test_the_report_tells_each_call_and_the_output(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    code = f"open_gripper()\nm = {MOVE}\nprint(m['position'], m['yaw'])"
    report = runner.execute(code, robot, cancel=cancel)
    where = "(0.200, 0.100, 0.900)"
    call = "execute_trajectory([0.200, 0.100, 0.900], 0.000)"
    assert report.text.splitlines() == [
        "Done:",
        "line 1: open_gripper(): ok; opening 0.080, holding nothing",
        f"line 2: {call}: ok; tool point at {where}",
        "printed:",
        "[0.2, 0.1, 0.9] 0.0",
    ]


def test_execution_stops_at_the_first_failing_call(
    runner: CodeRunner, cancel: CancelToken
) -> None:
    failure = MotionResult(is_success=False, reason="controller", message="lost the controller")
    robot = FakeRobot([make_block("b", (0.2, 0.1, 0.777))], failures={1: failure})
    report = runner.execute(f"open_gripper()\n{MOVE}\n{MOVE}", robot, cancel=cancel)
    assert (report.outcome, report.is_success) == ("stopped", False)
    assert len(robot.commands) == 2
    assert "FAILED, controller; lost the controller" in report.text


def test_an_error_that_shows_only_in_execution_is_reported_with_what_was_done(
    runner: CodeRunner, cancel: CancelToken
) -> None:
    robot = FakeRobot([make_block("b", (0.25, 0.0, 1.15))])
    code = "g = close_gripper('b')\nopen_gripper()\nif g['width'] < 0.06:\n    print(undefined)"
    report = runner.execute(code, robot, cancel=cancel)
    assert report.outcome == "stopped"
    assert "the program then failed" in report.text
    assert "NameError" in report.text


def test_a_program_ends_with_its_claim_of_completion(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken
) -> None:
    code = "open_gripper()\ncheck_task_completion()\nclose_gripper('red block 1')"
    assert runner.rehearse(code, robot, cancel=cancel).wants_check
    report = runner.execute(code, robot, cancel=cancel)
    assert report.wants_check
    assert robot.commands == ["open"]


def test_a_claim_after_a_failure_is_not_heard(runner: CodeRunner, cancel: CancelToken) -> None:
    failure = GripResult(is_success=False, width=0.0, reason="controller")
    robot = FakeRobot(failures={0: failure})
    report = runner.execute("open_gripper()\ncheck_task_completion()", robot, cancel=cancel)
    assert not report.wants_check


def test_a_cancelled_program_makes_no_call(runner: CodeRunner, robot: FakeRobot) -> None:
    cancel = CancelToken()
    cancel.cancel()
    for act in (runner.rehearse, runner.execute):
        with pytest.raises(TaskCancelledError):
            act("open_gripper()", robot, cancel=cancel)
    assert robot.commands == []


def test_the_number_of_calls_is_limited_as_configured(
    robot: FakeRobot, cancel: CancelToken
) -> None:
    runner = CodeRunner(CodeLimits(calls=2))
    assert runner.rehearse("open_gripper()\n" * 2, robot, cancel=cancel).is_success
    assert not runner.rehearse("open_gripper()\n" * 3, robot, cancel=cancel).is_success


@pytest.mark.parametrize("end", ["open_gripper()", "raise ValueError('\\x1b[2J\\u202e')", "]"])
def test_nothing_that_a_program_says_can_command_a_terminal(
    runner: CodeRunner, robot: FakeRobot, cancel: CancelToken, end: str
) -> None:
    report = runner.execute(f"print('\\x1b]0;title\\x07')\n{end}", robot, cancel=cancel)
    assert not {"\x1b", "\x07", "\u202e"} & set(report.text + report.printed)
