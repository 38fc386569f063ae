"""Turn a program into robot commands: first rehearsed as a whole, then for real."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from malmm_ros.agents import arguments
from malmm_ros.agents.call_record import CallRecord, describe_calls
from malmm_ros.agents.code_extraction import redefined_functions
from malmm_ros.agents.interruption import TaskCancelledError, check_cancelled
from malmm_ros.agents.messages import clean_text
from malmm_ros.agents.sandbox import (
    CodeLimits,
    EndProgramError,
    ProgramResult,
    RejectedCallError,
    run_program,
)
from malmm_ros.cancellation import CancelToken
from malmm_ros.robots.robot import GripResult, MotionResult, Robot

Outcome = Literal["done", "stopped", "refused", "code_error"]

_HEADINGS: dict[Outcome, str] = {
    "done": "Done:",
    "stopped": "Stopped:",
    "refused": "Refused before any motion:",
    "code_error": "Code error, nothing has moved:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What came of a program, rehearsed or run.

    Attributes:
        text: For the agents; begins with the outcome's heading.
        wants_check: The program asked for a completion check.
    """

    outcome: Outcome
    text: str
    calls: tuple[CallRecord, ...] = ()
    printed: str = ""
    wants_check: bool = False

    @property
    def is_success(self) -> bool:
        """Whether the whole program went through."""
        return self.outcome == "done"


class CodeRunner:
    """Runs programs against robots; a program is judged by what its calls report."""

    def __init__(self, limits: CodeLimits | None = None) -> None:
        self.limits = limits or CodeLimits()

    def rehearse(self, code: str, robot: Robot, *, cancel: CancelToken) -> StepReport:
        """Check a program and try it on a robot's planning-only twin; nothing moves.

        Every call is tried even after a failing one, so that all reasons come at once; where
        the program asks for results it is told that all went well.
        """
        problem = self._refuse_unrun(code)
        if problem:
            return _code_error(problem)
        calls = _Calls(robot.rehearse(), cancel, limit=self.limits.calls, is_rehearsal=True)
        result = run_program(code, calls, limits=self.limits, check_types=True)
        return _judge_rehearsal(calls, result)

    def execute(
        self,
        code: str,
        robot: Robot,
        *,
        cancel: CancelToken,
        hold: Callable[[], None] = lambda: None,
    ) -> StepReport:
        """Run a rehearsed program for real; it ends at the first call that fails.

        Args:
            code: The program.
            robot: What moves.
            cancel: Ends the program at its next call.
            hold: Called before each command; what it raises ends the program and passes through.
        """
        calls = _Calls(robot, cancel, limit=self.limits.calls, is_rehearsal=False, hold=hold)
        result = run_program(code, calls, limits=self.limits, check_types=False)
        if calls.is_cancelled:
            raise TaskCancelledError(cancel.reason or "cancelled")
        return _judge_execution(calls, result)

    def decline(self, rehearsed: StepReport, words: str) -> StepReport:
        """The report of a step that a person did not want."""
        said = f': "{" ".join(words.split())}"' if words else ""
        text = _report("refused", f"the user does not want this step{said}", "")
        return StepReport(outcome="refused", text=text, calls=rehearsed.calls)

    def _refuse_unrun(self, code: str) -> str:
        if not code.strip():
            return "the answer holds no program; write one fenced block of Python"
        if len(code) > self.limits.code_chars:
            return f"the program is longer than {self.limits.code_chars} characters"
        redefined = redefined_functions(code)
        if redefined:
            names = ", ".join(redefined)
            return f"the program defines or imports {names} itself; they are there already"
        return ""


class _Calls:
    """Answers a program's calls with a robot, and keeps a record of them."""

    def __init__(
        self,
        robot: Robot,
        cancel: CancelToken,
        *,
        limit: int,
        is_rehearsal: bool,
        hold: Callable[[], None] = lambda: None,
    ) -> None:
        self._hold = hold
        self._robot = robot
        self._cancel = cancel
        self._limit = limit
        self._is_rehearsal = is_rehearsal
        self.records: list[CallRecord] = []
        self.wants_check = False
        self.is_cancelled = False

    def __call__(
        self, function: str, args: tuple[Any, ...], named: Mapping[str, Any], *, line: int
    ) -> dict[str, Any]:
        self._hold()
        self._check_call()
        try:
            if function == "execute_trajectory":
                return self._move(*arguments.waypoint(args, named), line=line)
            if function == "close_gripper":
                name = arguments.object_name(args, named)
                grip = self._robot.close_gripper(name)
                return self._gripped(grip, f"close_gripper({name!r})", line=line)
            arguments.nothing(function, args, named)
        except arguments.ArgumentError as error:
            raise RejectedCallError(str(error)) from error
        if function == "open_gripper":
            return self._gripped(self._robot.open_gripper(), "open_gripper()", line=line)
        self.wants_check = True
        raise EndProgramError

    def _check_call(self) -> None:
        try:
            check_cancelled(self._cancel)
        except TaskCancelledError as error:
            self.is_cancelled = True
            raise EndProgramError from error
        if len(self.records) >= self._limit:
            raise RejectedCallError(f"a program may call the robot {self._limit} times at most")

    def _move(
        self, position: tuple[float, float, float], yaw: float, *, line: int
    ) -> dict[str, Any]:
        result = self._robot.execute_trajectory(position, yaw)
        record = CallRecord.of_motion(result, position=position, yaw=yaw, line=line)
        self._keep(record, result)
        x, y, z = position if self._is_rehearsal or result.tcp is None else result.tcp.position
        reached = yaw if self._is_rehearsal or result.tcp is None else result.tcp.yaw
        return {"success": True, "reason": "", "position": [x, y, z], "yaw": reached}

    def _gripped(self, result: GripResult, call: str, *, line: int) -> dict[str, Any]:
        self._keep(CallRecord.of_grip(result, call=call, line=line), result)
        return {
            "success": True,
            "reason": "",
            "width": result.width,
            "holding": result.held_object,
        }

    def _keep(self, record: CallRecord, result: MotionResult | GripResult) -> None:
        self.records.append(record)
        if self._cancel.is_cancelled:
            self.is_cancelled = True
            raise EndProgramError
        if not result.is_success and not self._is_rehearsal:
            raise EndProgramError


def _judge_rehearsal(calls: _Calls, result: ProgramResult) -> StepReport:
    records = tuple(calls.records)
    if calls.is_cancelled:
        raise TaskCancelledError("cancelled")
    if result.error:
        return _code_error(result.error, calls=records, printed=result.printed)
    if not records and not calls.wants_check:
        return _code_error("the program calls none of the robot's functions")
    failures = [item for item in records if not item.is_success]
    moved_wrong = next((item for item in failures if item.is_motion), None)
    if moved_wrong is not None:
        # Where the hand did not get, closing it on nothing is no news.
        first = records.index(moved_wrong)
        failures = [item for item in failures if item.is_motion or records.index(item) < first]
    outcome: Outcome = "refused" if failures else "done"
    lines = describe_calls(failures) if failures else "every call is possible."
    return StepReport(
        outcome=outcome,
        text=_report(outcome, lines, result.printed if failures else ""),
        calls=records,
        printed=result.printed,
        wants_check=calls.wants_check,
    )


def _judge_execution(calls: _Calls, result: ProgramResult) -> StepReport:
    records = tuple(calls.records)
    failed = any(not item.is_success for item in records)
    outcome: Outcome = "stopped" if failed or result.error else "done"
    lines = describe_calls(records)
    if result.error:
        lines += f"\nthe program then failed:\n{result.error}"
    return StepReport(
        outcome=outcome,
        text=_report(outcome, lines.strip("\n"), result.printed),
        calls=records,
        printed=result.printed,
        wants_check=calls.wants_check and outcome == "done",
    )


def _code_error(
    problem: str, *, calls: tuple[CallRecord, ...] = (), printed: str = ""
) -> StepReport:
    return StepReport(
        outcome="code_error",
        text=_report("code_error", problem, printed),
        calls=calls,
        printed=printed,
    )


def _report(outcome: Outcome, lines: str, printed: str) -> str:
    text = f"{_HEADINGS[outcome]}\n{lines}" if lines else _HEADINGS[outcome]
    return clean_text(f"{text}\nprinted:\n{printed}" if printed else text)
