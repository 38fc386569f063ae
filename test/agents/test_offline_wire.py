"""The offline model answers alike in this process and as a server in another one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from malmm_ros.agents import ModelConfig, TaskResult, build_team, strip_clock
from malmm_ros.testing import FakeRobot, make_area, make_block

SERVER = """
from malmm_ros.agents.offline.server import serve
serve(0, on_ready=lambda url: print(url, flush=True))
"""


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        process.wait(timeout=10.0)


def run(instruction: str, base_url: str, transcript: Path) -> TaskResult:
    robot = FakeRobot(
        [
            make_block("red block 1", (0.2, 0.1, 0.777)),
            make_block("red block 2", (0.1, -0.2, 0.777), yaw=0.4),
            make_block("blue block", (0.35, 0.25, 0.777), color="blue"),
            make_area("green target area", 0.3, -0.1),
        ]
    )
    team = build_team("malmm", ModelConfig(name="offline", base_url=base_url))
    result = team.run(instruction, robot, transcript=transcript, task_id="t")
    team.close()
    return result


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("stack 2 red blocks on the green target area", "completed"),
        ("put the blue block behind the red block 1", "completed"),
        ("stack 3 purple blocks", "impossible"),
        ("frobnicate the gloop", "not_understood"),
    ],
)
def test_transcripts_are_equal_in_process_and_over_the_wire(
    server_url: str, tmp_path: Path, instruction: str, reason: str
) -> None:
    here = run(instruction, "", tmp_path / "here.jsonl")
    there = run(instruction, server_url, tmp_path / "there.jsonl")
    assert here.reason == there.reason == reason
    assert here.usage == there.usage
    lines = [
        [strip_clock(line) for line in (tmp_path / name).read_text().splitlines()]
        for name in ("here.jsonl", "there.jsonl")
    ]
    assert lines[0] == lines[1]
