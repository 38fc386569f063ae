"""The teams of one agent: step by step with feedback, or everything at once without."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from malmm_ros.agents.answers import Plan, read_move
from malmm_ros.agents.messages import AgentRole
from malmm_ros.agents.prompting import Turn
from malmm_ros.agents.task_run import TaskEnd, TaskRun
from malmm_ros.agents.task_team import TaskTeam
from malmm_ros.agents.team import TeamConfig

# A program for a whole task makes the calls of ten usual ones.
_CALLS_AT_ONCE = 300


_LONGEST_REASON = 500


class SingleTeam(TaskTeam):
    """One agent plans and codes a step, sees what came of it, and goes on."""

    name: ClassVar[str] = "single"
    roles: ClassVar[tuple[AgentRole, ...]] = ("single",)

    def loop(self, run: TaskRun) -> None:
        """Step by step; ended by an exception."""
        while True:
            run.start_turn()
            move = _ask(run, "single")
            if isinstance(move, Plan) or run.act(move).wants_check:
                run.verify()


class SingleOpenLoopTeam(TaskTeam):
    """One agent writes one program for the whole task; it is run once, and that was all.

    The program is rehearsed as a whole like any other and refused when the rehearsal fails. The
    end is judged against a fresh scene for the record only: nothing is done about it.
    """

    name: ClassVar[str] = "single-open-loop"
    roles: ClassVar[tuple[AgentRole, ...]] = ("single",)

    @classmethod
    def adapt(cls, config: TeamConfig) -> TeamConfig:
        """A program for a whole task makes the calls of many steps."""
        calls = max(config.code.calls, _CALLS_AT_ONCE)
        return replace(
            config,
            prompts=replace(config.prompts, max_calls=calls),
            code=replace(config.code, calls=calls),
        )

    def loop(self, run: TaskRun) -> None:
        """Ask once, run once; ended by an exception."""
        run.start_turn()
        move = _ask(run, "single_open_loop")
        if not isinstance(move, Plan):
            report = run.act(move)
            if not report.is_success:
                raise TaskEnd("program_failed", _short(report.text))
        verdict = run.judge()
        reason = "completed" if verdict.is_complete else "not_completed"
        raise TaskEnd(reason, verdict.reason or "no reason given")


def _ask(run: TaskRun, turn: Turn) -> Plan | str:
    """The agent's claim of completion, or its program (empty when there was none)."""
    answer, move = run.ask("single", read_move, turn=turn)
    run.say("single", answer or "(no answer)")
    if isinstance(move, Plan):
        if move.kind == "impossible":
            raise TaskEnd(move.end_reason, move.text)
        return move
    run.record_code(move or "", author="single")
    return move or ""


def _short(text: str) -> str:
    """One line of a report; where it is too long, its end, which says what failed."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_REASON else f"… {line[-_LONGEST_REASON:]}"
