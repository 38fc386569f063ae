"""The team ``multi``: Planner, Coder and executor in a fixed order, round after round."""

from __future__ import annotations

from typing import ClassVar

from malmm_ros.agents.answers import Plan, read_code, read_plan
from malmm_ros.agents.messages import AgentRole
from malmm_ros.agents.task_run import TaskEnd, TaskRun
from malmm_ros.agents.task_team import TaskTeam


class MultiTeam(TaskTeam):
    """Nobody chooses who is next: after each report it is the Planner's turn again."""

    name: ClassVar[str] = "multi"
    roles: ClassVar[tuple[AgentRole, ...]] = ("planner", "coder")

    def loop(self, run: TaskRun) -> None:
        """Go round; ended by an exception."""
        while True:
            run.start_turn()
            plan = _plan(run)
            if plan.kind == "complete":
                run.verify()
                continue
            run.start_turn()
            answer, code = run.ask("coder", read_code)
            run.say("coder", answer or "(no answer)")
            run.record_code(code or "")
            run.start_turn()
            if run.act(code or "").wants_check:
                run.verify()


def _plan(run: TaskRun) -> Plan:
    answer, plan = run.ask("planner", read_plan)
    run.say("planner", answer or "(no answer)")
    if plan is None:
        run.count_error("the planner's answer has none of its three headings")
        return Plan(kind="step", text=answer)
    if plan.kind == "impossible":
        raise TaskEnd(plan.end_reason, plan.text)
    return plan
