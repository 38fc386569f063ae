"""What a terminal shows of a conversation is bounded and harmless."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from malmm_ros.cli.conversation import ConversationPrinter, printable


def shown(kind: str, agent: str, text: str) -> str:
    out = io.StringIO()
    ConversationPrinter(Console(file=out, width=60)).show(kind, agent, text)
    return out.getvalue()


@pytest.mark.parametrize("text", ["x" * 5_000_000, "y\n" * 500_000, "a b " * 100_000])
def test_a_flood_is_cut_and_says_where_the_rest_is(text: str) -> None:
    out = shown("message", "coder", text)
    assert len(out) < 20_000
    assert "further characters are in the transcript" in " ".join(out.split())


def test_a_usual_answer_is_shown_whole() -> None:
    program = "\n".join(f"open_gripper()  # {number}" for number in range(120))
    assert printable(program) == program


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in shown("message", "planner", "\x1b[2JStep: \x1b]0;title\x07wait")


def test_waits_of_the_model_are_shown_as_its_own() -> None:
    assert (
        shown("model", "team", "waiting 60 s") == "model:\n" + "    waiting 60 s".ljust(60) + "\n"
    )


def test_an_empty_answer_is_said_to_be_none() -> None:
    assert "(no answer)" in shown("message", "coder", "")
