from __future__ import annotations

import pytest

from malmm_ros.agents import AgentEvent
from malmm_ros.bench.team import turn_times


def event(index: int, kind: str, agent: str, elapsed_s: float, spent_s: float = 0.0) -> AgentEvent:
    clock = {"elapsed_s": elapsed_s, "duration_s": spent_s}
    return AgentEvent(
        index=index, kind=kind, agent=agent, text="", data={"purpose": "turn"}, clock=clock
    )  # type: ignore[arg-type]  # any kind


def test_turns_are_split_at_the_supervisor_and_the_model_is_taken_out() -> None:
    turns = turn_times(
        [
            event(0, "scene", "team", 0.5),
            event(1, "message", "supervisor", 1.2, 0.2),
            event(2, "message", "coder", 1.9, 0.5),
            event(3, "message", "supervisor", 2.5, 0.1),
            event(4, "rehearsal", "executor", 3.0, 0.4),
            event(5, "result", "team", 5.4),
        ]
    )
    assert [turn.speaker for turn in turns] == ["coder", "executor"]
    assert [turn.own_s for turn in turns] == pytest.approx([1.4 - 0.7, 3.0 - 0.1])
