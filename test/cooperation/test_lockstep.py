from __future__ import annotations

import threading
import time

import pytest

from malmm_ros.cancellation import CancelToken
from malmm_ros.cooperation.lockstep import Roundup
from malmm_ros.cooperation.naming import check_names, namespace_of
from malmm_ros.cooperation.pace import Pace
from malmm_ros.cooperation.wait_report import WaitReport
from malmm_ros.errors import ConfigurationError


def test_answers_to_another_question_and_second_answers_are_nobodys() -> None:
    roundup: Roundup[str] = Roundup()
    assert not roundup.put(("run", 0), "Alice", "before it was asked")
    roundup.open(("run", 0))
    assert roundup.put(("run", 0), "Alice", "forward")
    assert not roundup.put(("run", 0), "Alice", "drop")
    assert not roundup.put(("other run", 0), "Bob", "forward")
    assert not roundup.put(("run", 1), "Bob", "forward")
    assert roundup.wait(("Alice", "Bob"), 0.01) == {"Alice": "forward"}
    roundup.open(("run", 1))
    assert roundup.wait(("Alice",), 0.0) == {}


def test_a_wait_ends_with_the_last_answer() -> None:
    roundup: Roundup[int] = Roundup()
    roundup.open(0)
    late = threading.Timer(0.05, lambda: roundup.put(0, "Bob", 2))
    late.start()
    roundup.put(0, "Alice", 1)
    started = time.monotonic()
    assert roundup.wait(("Alice", "Bob"), 30.0) == {"Alice": 1, "Bob": 2}
    assert time.monotonic() - started < 10.0
    late.join()


def test_a_wait_is_told_every_five_seconds_with_how_long_it_is() -> None:
    now_s, said = [100.0], []
    report = WaitReport(said.append, clock=lambda: now_s[0])
    report.wait_for("Bob")
    for _ in range(12):
        now_s[0] += 1.0
        report.wait_for("Bob")
        report.look()
    assert said == ["waiting for Bob (5 s)", "waiting for Bob (10 s)"]
    report.wait_for("Alice")
    now_s[0] += 4.9
    report.look()
    report.wait_for("")
    now_s[0] += 60.0
    report.look()
    assert len(said) == 2


def test_a_world_is_held_back_to_its_pace_until_cancelled() -> None:
    cancel = CancelToken()
    started = time.monotonic()
    Pace(0.0).hold(1_000_000, cancel)
    Pace(2.0).hold(6, cancel)
    assert 0.1 <= time.monotonic() - started < 5.0
    cancel.cancel()
    Pace(1.0).hold(1_000_000, cancel)
    assert time.monotonic() - started < 10.0


def test_agents_live_in_their_names() -> None:
    check_names(("Alice", "bob_2", "C"))
    assert namespace_of("Alice") == "alice"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), "1 to 4 agents take part, got 0"),
        (("A", "B", "C", "D", "E"), "1 to 4 agents take part, got 5"),
        (("Alice", "2nd"), "'2nd' must be a letter"),
        (("Alice", "Bob Smith"), "'Bob Smith' must be a letter"),
        (("Alice", "Communication"), "'Communication' is what another node is called"),
        (("Bob", "BOB"), "must differ in more than capitals, got Bob, BOB"),
    ],
)
def test_names_that_would_share_a_place_are_refused(names: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        check_names(names)
