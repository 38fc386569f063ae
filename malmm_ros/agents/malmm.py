"""The MALMM team: a Supervisor routes between Planner, Coder and the executor of code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from malmm_ros.agents.answers import Choice, NextSpeaker, Plan, read_choice, read_code, read_plan
from malmm_ros.agents.messages import AgentRole
from malmm_ros.agents.task_run import TaskEnd, TaskRun
from malmm_ros.agents.task_team import TaskTeam

# The same one may speak twice in a row (a correction), not three times.
_MAX_REPEATS = 2
# Who is next when the Supervisor's choice cannot be followed.
_AFTER: dict[str, NextSpeaker] = {
    "": "planner",
    "planner": "coder",
    "coder": "executor",
    "executor": "planner",
    "finish": "planner",
}


class MalmmTeam(TaskTeam):
    """Supervisor, Planner and Coder; each acts when the Supervisor says so."""

    name: ClassVar[str] = "malmm"
    roles: ClassVar[tuple[AgentRole, ...]] = ("supervisor", "planner", "coder")

    def loop(self, run: TaskRun) -> None:
        """Turn by turn; ended by an exception."""
        _Conversation(run).loop()


@dataclass(slots=True)
class _Conversation:
    """Who spoke last, the newest plan and the newest program of one run."""

    run: TaskRun
    last: str = ""
    repeats: int = 0
    plan: Plan | None = None
    code: str | None = None

    def loop(self) -> None:
        """Let the chosen one act, turn by turn; ended by an exception."""
        moves: dict[NextSpeaker, Callable[[], None]] = {
            "planner": self._plan,
            "coder": self._write_code,
            "executor": self._execute,
            "finish": self.run.verify,
        }
        while True:
            self.run.start_turn()
            speaker = self._choose()
            self.repeats = self.repeats + 1 if speaker == self.last else 1
            self.last = speaker
            moves[speaker]()

    def _choose(self) -> NextSpeaker:
        answer, choice = self.run.ask("supervisor", read_choice)
        if choice is None:
            self.run.say("supervisor", answer[:300] or "(no answer)")
            return self._replace("the supervisor's answer names nobody to act next")
        self.run.say("supervisor", f"{choice.next}: {choice.reason or 'no reason given'}")
        problem = self._objection(choice)
        return self._replace(problem) if problem else choice.next

    def _objection(self, choice: Choice) -> str:
        """Why a choice cannot be followed; empty when it can."""
        if choice.next == self.last and self.repeats >= _MAX_REPEATS:
            return f"{choice.next} has been chosen {self.repeats} times in a row"
        if choice.next == "coder" and self.plan is None:
            return "there is no step of the planner yet to write a program for"
        return ""

    def _replace(self, problem: str) -> NextSpeaker:
        """Choose by rule: the planner's successor is the coder, and so on round."""
        self.run.count_routing_fault()
        speaker = _AFTER[self.last]
        if self.last == "planner" and self.plan is not None and self.plan.kind == "complete":
            speaker = "finish"
        self.run.say("team", f"{problem}; next is {speaker}")
        return speaker

    def _plan(self) -> None:
        answer, plan = self.run.ask("planner", read_plan)
        self.run.say("planner", answer or "(no answer)")
        if plan is None:
            # What stands there is taken for a step; the Coder sees the whole answer anyway.
            self.plan = Plan(kind="step", text=answer)
            self.run.count_error("the planner's answer has none of its three headings")
            return
        self.plan = plan
        if plan.kind == "impossible":
            raise TaskEnd(plan.end_reason, plan.text)

    def _write_code(self) -> None:
        answer, code = self.run.ask("coder", read_code)
        self.run.say("coder", answer or "(no answer)")
        self.code = code
        self.run.record_code(code or "")
        if code is None:
            # The executor says so, and by its words the Supervisor knows whose turn it is.
            self.run.act("")

    def _execute(self) -> None:
        if self.code is None:
            text = "There is no new program to run: the coder has to write one first."
            self.run.say("executor", text)
            self.run.count_error(text)
            return
        code, self.code = self.code, None
        report = self.run.act(code)
        if report.wants_check:
            self.run.verify()
