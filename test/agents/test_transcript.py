from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from malmm_ros.agents.transcript import (
    SCHEMA_VERSION,
    AgentEvent,
    Transcript,
    TranscriptError,
    read_transcript,
    strip_clock,
)
from malmm_ros.errors import ConfigurationError

WRITER = """
import sys
from pathlib import Path
from malmm_ros.agents.transcript import Transcript
with Transcript(Path(sys.argv[1])) as record:
    record.add("header", "team", "start")
    while True:
        record.add("note", "team", "x" * 5000)
        print(flush=True)
"""


def write(path: Path, *texts: str) -> None:
    with Transcript(path) as record:
        record.add("header", "team", "start", {"host": {"python": "3"}, "team": "malmm"})
        for text in texts:
            record.add("note", "team", text)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.jsonl"
    write(path, "one", "two")
    events = read_transcript(path)
    assert [event.text for event in events] == ["start", "one", "two"]
    assert [event.index for event in events] == [0, 1, 2]
    assert json.loads(path.read_text().splitlines()[0])["schema_version"] == SCHEMA_VERSION


def test_each_line_is_on_disk_as_it_happens(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record = Transcript(path)
    record.add("header", "team", "start")
    assert len(read_transcript(path)) == 1
    record.close()


def test_a_killed_process_loses_at_most_the_line_it_was_writing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.stdout.read()
        process.wait(timeout=10.0)
    with path.open("a") as file:
        file.write('{"index": 99, "ki')
    assert len(read_transcript(path)) >= 21


def test_events_go_to_the_caller_with_or_without_a_file(tmp_path: Path) -> None:
    got: list[AgentEvent] = []
    with Transcript(on_event=got.append) as record:
        record.add("header", "team", "start")
        record.add("scene", "team", "text", {"a": 1}, duration_s=0.25)
    assert got[1].data == {"a": 1}
    assert got[1].clock["duration_s"] == 0.25
    assert AgentEvent.from_line(got[1].to_line()) == got[1]


def test_equality_without_clock_and_host(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for path in (a, b):
        write(path, "one")
    first, second = a.read_text().splitlines(), b.read_text().splitlines()
    assert [strip_clock(line) for line in first] == [strip_clock(line) for line in second]
    assert "clock" not in strip_clock(first[0])
    assert strip_clock(first[0])["data"] == {"team": "malmm"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["not json"], "line 1 is not JSON"),
        (["[]"], "line 1 is not an event"),
        (['{"index": 0}'], "line 1 is not an event"),
        ([], "no whole line"),
    ],
)
def test_what_is_no_transcript_is_refused(tmp_path: Path, lines: list[str], problem: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(TranscriptError, match=problem):
        read_transcript(path)


def test_lost_doubled_and_foreign_lines_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(path, "one", "two")
    lines = path.read_text().splitlines()
    for wrong, problem in (
        ([lines[0], lines[2]], "line 2 has index 2 where 1 was due"),
        ([lines[0], lines[1], lines[1]], "line 3 has index 1 where 2 was due"),
        ([lines[1]], "has index 1 where 0"),
        ([lines[0], lines[1].replace("note", "song")], "unknown kind 'song'"),
        ([lines[0].replace('"schema_version": 1', '"schema_version": 7')], "version 7"),
    ):
        path.write_text("\n".join(wrong) + "\n")
        with pytest.raises(TranscriptError, match=problem):
            read_transcript(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="nowhere"):
        read_transcript(tmp_path / "nowhere.jsonl")


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Transcript(tmp_path / "file" / "t.jsonl")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None)))
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    write(path, text)
    assert read_transcript(path)[1].text == text
