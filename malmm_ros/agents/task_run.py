"""One run of a team: what every architecture needs to ask, act, look, record and end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TypeVar

from malmm_ros.agents.answers import Verdict, read_verdict
from malmm_ros.agents.asking import Asking, Question
from malmm_ros.agents.code_runner import CodeRunner, StepReport
from malmm_ros.agents.history import History
from malmm_ros.agents.injection import Injector
from malmm_ros.agents.interruption import check_cancelled
from malmm_ros.agents.messages import AgentRole, Speaker
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.operator import Operator
from malmm_ros.agents.operator_link import OperatorLink
from malmm_ros.agents.progress import ProgressWatch
from malmm_ros.agents.prompting import Prompts, Turn
from malmm_ros.agents.scene_json import scene_to_json
from malmm_ros.agents.scene_text import render_scene
from malmm_ros.agents.transcript import Transcript
from malmm_ros.agents.usage import Spending
from malmm_ros.cancellation import CancelToken
from malmm_ros.robots.robot import Robot
from malmm_ros.scene import Scene

ReadT = TypeVar("ReadT")


class TaskEnd(Exception):  # noqa: N818  # an ending, not an error
    """The run is over; carries how it ended."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class TaskRun:
    """The state of one run and the moves that change it."""

    def __init__(
        self,
        instruction: str,
        robot: Robot,
        *,
        prompts: Prompts,
        clients: Mapping[AgentRole, ModelClient],
        history: History,
        runner: CodeRunner,
        spending: Spending,
        transcript: Transcript,
        cancel: CancelToken,
        operator: Operator,
        injector: Injector,
    ) -> None:
        self.instruction = instruction
        self.history = history
        self.steps = self.repairs = self.routing_faults = self.errors = 0
        self._robot = robot
        self._prompts = prompts
        self._clients = clients
        self._runner = runner
        self._spending = spending
        self._transcript = transcript
        self._cancel = cancel
        self._scene: Scene | None = None
        self._progress = ProgressWatch()
        self._injector = injector
        self._asking = Asking(
            spending=spending, transcript=transcript, injector=injector, check=self._check
        )
        self._operator = OperatorLink(
            operator,
            transcript=transcript,
            say=lambda text: self.say("user", text),
            check=self._check,
            waiting=self._spending.stopped_clock,
        )
        # Who judges whether the instruction is fulfilled.
        self._judge: AgentRole = "single" if "single" in clients else "planner"

    def start_turn(self) -> None:
        """Begin a turn of the team.

        Raises:
            TaskCancelledError: A stop was asked for.
            BudgetError: Nothing is left.
        """
        self._check()
        self._operator.heed()
        self._spending.start_turn()

    def observe(self) -> Scene:
        """Sense the scene anew; it is what agents read from now on."""
        start_s = time.monotonic()
        scene = self._robot.observe()
        self._scene = scene
        self._transcript.add(
            "scene",
            "team",
            render_scene(scene),
            scene_to_json(scene),
            duration_s=time.monotonic() - start_s,
        )
        return scene

    def ask(
        self, role: AgentRole, read: Callable[[str], ReadT], *, turn: Turn | None = None
    ) -> tuple[str, ReadT | None]:
        """Ask a role for its answer; an unusable one is sent back once.

        Args:
            role: Who is asked.
            read: Turns the text into a value or raises :class:`UnusableAnswerError`.
            turn: What is asked, where it is not the role's usual turn.

        Returns:
            The last answer and its value, ``None`` when that was unusable, too.
        """
        system = self._prompts.system(role)
        user = self._prompts.user(
            instruction=self.instruction,
            history=self.history.render(role),
            scene=render_scene(self._scene or self.observe()),
            turn=turn or role,
        )
        return self._asking.ask(
            self._clients[role],
            [system, user],
            Question(
                speaker=role,
                role=role,
                purpose=turn or "turn",
                wants_json=role == "supervisor" or turn == "verify",
                step=self.steps,
                is_spoilt=turn != "verify",
            ),
            read=read,
            repair=self._prompts.repair,
            on_repair=self._count_repair,
        )

    def act(self, code: str) -> StepReport:
        """Rehearse a program, run it when it may, look again, and tell the team.

        Raises:
            TaskEnd: This was one error too many.
        """
        start_s = time.monotonic()
        report = self._runner.rehearse(code, self._robot, cancel=self._cancel)
        self._record("rehearsal", report, start_s)
        if not report.is_success:
            self.say("executor", report.text)
            self.count_error(report.text)
            self._injector.acted()
            return report
        decision = self._operator.approve(code, report.calls)
        if decision.verdict != "yes":
            report = self._runner.decline(report, decision.text)
            self.say("executor", report.text)
            return report
        start_s = time.monotonic()
        report = self._runner.execute(
            code, self._robot, cancel=self._cancel, hold=self._operator.hold
        )
        self.steps += 1
        self._record("execution", report, start_s)
        self.say("executor", report.text)
        problem = self._progress.objection(self.observe()) if report.calls else ""
        if problem:
            self.say("team", problem)
            self.count_error(problem)
        elif not report.is_success:
            self.count_error(report.text)
        elif report.calls:
            # A program that only claims completion has done nothing that would excuse errors.
            self.errors = 0
        self._injector.acted()
        return report

    def judge(self) -> Verdict:
        """Have the present scene judged for whether the instruction is fulfilled."""
        self.observe()
        _, verdict = self.ask(self._judge, read_verdict, turn="verify")
        if verdict is None:
            verdict = Verdict(is_complete=False, reason="the check gave no usable answer")
        words = "accepted" if verdict.is_complete else "rejected"
        text = f"completion {words}: {verdict.reason or 'no reason given'}"
        self._transcript.add("check", self._judge, text, asdict(verdict))
        return verdict

    def verify(self) -> None:
        """Check a claim of completion against a fresh observation; go on when it is wrong.

        Raises:
            TaskEnd: The task is completed, or this was one error too many.
        """
        verdict = self.judge()
        reason = verdict.reason or "no reason given"
        if verdict.is_complete:
            raise TaskEnd("completed", verdict.reason or "the instruction is fulfilled")
        text = f"completion rejected: {reason}"
        self.say("team", text)
        self.count_error(text)

    def say(self, speaker: Speaker, text: str) -> None:
        """Append to the history that the agents read."""
        entry = self.history.add(speaker, text)
        if speaker == "team":
            self._transcript.add("note", "team", text, {"entry": entry.number})

    def record_code(self, code: str, *, author: AgentRole = "coder") -> None:
        """Write down the program taken from an answer."""
        self._transcript.add("code", author, code, {"code": code})

    def count_routing_fault(self) -> None:
        """Count a choice of the next speaker that cannot be followed."""
        self.routing_faults += 1
        self._injector.notice()

    def count_error(self, what: str) -> None:
        """Count an error of code, planning or a claim.

        Raises:
            TaskEnd: There were too many without a successful step between.
        """
        self.errors += 1
        self._injector.notice()
        if self.errors >= self._spending.budget.errors:
            flaw = self._asking.flaw
            raise TaskEnd(
                "too_many_errors",
                f"gave up after {self.errors} errors in a row; the last: {_gist(what)}"
                + (f" (the model's answer {flaw.fact})" if flaw else ""),
            )

    def _count_repair(self) -> None:
        self.repairs += 1

    def _record(self, kind: str, report: StepReport, start_s: float) -> None:
        self._transcript.add(
            "rehearsal" if kind == "rehearsal" else "execution",
            "executor",
            report.text,
            {
                "outcome": report.outcome,
                "calls": [item.to_json() for item in report.calls],
                "printed": report.printed,
                "wants_check": report.wants_check,
            },
            duration_s=time.monotonic() - start_s,
        )

    def _check(self) -> None:
        check_cancelled(self._cancel)
        self._spending.check()


def _gist(report: str) -> str:
    """The line of a report that says what went wrong: of a traceback, the last."""
    lines = [line.strip() for line in report.splitlines() if line.strip()] or [report]
    details = lines[1:] or lines
    return (lines[-1] if details[0].startswith("Traceback") else details[0])[:300]
