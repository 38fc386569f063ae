from __future__ import annotations

import io
import os

import pytest

from malmm_ros.cli.operator import TerminalOperator


class RecordingDesk:
    def __init__(self) -> None:
        self.said: list[tuple[str, ...]] = []

    def decide(self, verdict: str, text: str = "") -> bool:
        self.said.append(("decide", verdict, text))
        return True

    def pause(self) -> None:
        self.said.append(("pause",))

    def resume(self) -> None:
        self.said.append(("resume",))

    def say(self, sentence: str) -> None:
        self.said.append(("say", sentence))


@pytest.fixture
def desk() -> RecordingDesk:
    return RecordingDesk()


def operator(desk: RecordingDesk, cancelled: list[str], lines: str = "") -> TerminalOperator:
    return TerminalOperator(
        desk, cancel=cancelled.append, lines=io.StringIO(lines), out=io.StringIO()
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y", ("decide", "yes", "")),
        ("NO", ("decide", "no", "")),
        ("take the blue one", ("decide", "correct", "take the blue one")),
        ("pause", ("pause",)),
    ],
)
def test_a_line_answers_the_step_that_waits(
    desk: RecordingDesk, line: str, expected: tuple[str, ...]
) -> None:
    person = operator(desk, [])
    person.show("The robot will wait.", "open_gripper()")
    person.take(line)
    assert desk.said == [expected]


def test_without_a_step_a_line_is_a_sentence_but_never_a_yes(desk: RecordingDesk) -> None:
    person = operator(desk, [])
    for line in ("yes", "no", "mind the cup", "resume"):
        person.take(line)
    assert desk.said == [("say", "mind the cup"), ("resume",)]


def test_an_answer_counts_once(desk: RecordingDesk) -> None:
    person = operator(desk, [])
    person.show("", "")
    person.take("yes")
    person.take("yes")
    assert len(desk.said) == 1


def test_stop_cancels(desk: RecordingDesk) -> None:
    cancelled: list[str] = []
    operator(desk, cancelled).take("stop")
    assert cancelled == ["stopped by the user"]


def test_nobody_left_to_approve_ends_the_task(desk: RecordingDesk) -> None:
    cancelled: list[str] = []
    person = operator(desk, cancelled)
    person._read()
    person.show("", "")
    assert "input ended" in cancelled[0]


def test_lines_are_read_as_they_come(desk: RecordingDesk) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as lines, os.fdopen(writer, "w") as pipe:
        pipe.write("pause\n\nresume\n")
        pipe.close()
        TerminalOperator(desk, cancel=lambda _: None, lines=lines, out=io.StringIO())._read()
    assert desk.said == [("pause",), ("resume",)]
