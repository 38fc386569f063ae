"""Long histories are trimmed by a rule that never loses the plan."""

from __future__ import annotations

import pytest

from malmm_ros.agents import TeamConfig
from malmm_ros.agents.history import History
from malmm_ros.errors import ConfigurationError


def long_history(*, max_chars: int = 4000, rounds: int = 30) -> History:
    history = History(max_chars=max_chars)
    for number in range(rounds):
        history.add("planner", f"Goal 1: at ({number}).\n\nStep: plan {number}.")
        history.add("coder", f"program {number} " + "x" * 100)
        history.add("executor", f"Done: report {number}")
        if number == 3:
            history.add("user", "but leave the blue one")
    return history


def test_the_first_and_the_newest_plan_the_user_and_the_end_stay() -> None:
    text = long_history().render("supervisor")
    assert len(text) <= 4100
    for kept in ("plan 0.", "plan 29.", "leave the blue one", "report 29", "program 29"):
        assert kept in text
    assert "plan 10." not in text


def test_what_is_left_out_is_counted() -> None:
    text = long_history().render("supervisor")
    first = text.splitlines()[0]
    shown = sum(line.startswith("[") for line in text.splitlines())
    assert first == f"(left out: {91 - shown} older entries)"


def test_a_cut_stays_until_there_is_no_room_again() -> None:
    history = long_history(rounds=20)
    before = history.render("supervisor")
    history.add("executor", "Done: once more")
    after = history.render("supervisor")
    # All but the counting line and the plan that was newest grows at its end.
    assert after.startswith(before)


def test_short_histories_are_whole() -> None:
    text = long_history(max_chars=60_000).render("supervisor")
    assert "left out" not in text
    assert text.count("Step: plan") == 30


def test_a_flood_in_one_entry_keeps_its_beginning_and_its_end() -> None:
    history = History()
    history.add("planner", "The start. " + "x" * 100_000 + "\n\nStep: the end.")
    text = history.render("planner")
    assert len(text) < 7000
    assert "The start." in text
    assert "Step: the end." in text


def test_room_has_to_be_sensible() -> None:
    with pytest.raises(ConfigurationError, match="history_chars"):
        TeamConfig(history_chars=10)
