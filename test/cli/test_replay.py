"""``malmm replay``: the recorded world again, and where it went another way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from malmm_ros.cli import FAILURE, USAGE_ERROR, main
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import run_episode


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    config = EvaluationConfig(tasks=("put_block",), episodes=1, team="multi")
    assert run_episode(config, "put_block", 0, transcripts=folder).is_success
    return folder / "put_block-000.jsonl"


def altered(transcript: Path, folder: Path, before: str, after: str) -> Path:
    text = transcript.read_text(encoding="utf-8")
    assert before in text
    path = folder / "altered.jsonl"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    return path


def test_an_episode_goes_again_as_it_went(transcript: Path, tmp_path: Path) -> None:
    report = tmp_path / "replay.json"
    assert main(["replay", str(transcript), "--quiet", "--json", str(report)]) == 0
    outcome = json.loads(report.read_text())
    assert outcome["is_equal"]
    assert outcome["reason"] == "completed"
    assert outcome["matched"] > 10


def test_another_world_is_noticed_at_its_first_scene(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = json.loads(transcript.read_text().splitlines()[0])["data"]["world"]
    path = altered(transcript, tmp_path, f'"seed": {world["seed"]}', '"seed": 1')
    assert main(["replay", str(path), "--quiet"]) == FAILURE
    out = capsys.readouterr().out
    assert "the first difference is at event 2 of the transcript" in out
    assert "+++ now\nscene of team:" in out


def test_a_transcript_of_a_killed_run_is_told_from_another_way(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = transcript.read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:6]) + lines[6][:30])
    assert main(["replay", str(cut), "--json", str(tmp_path / "r.json")]) == 0
    assert "the transcript ends here, before its run did, after 2 turns" in capsys.readouterr().out
    outcome = json.loads((tmp_path / "r.json").read_text())
    assert outcome["is_equal"]
    assert outcome["end"]


def test_a_transcript_without_a_world_cannot_be_replayed(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = altered(transcript, tmp_path, '"task": "put_block"', '"job": "put_block"')
    assert main(["replay", str(path)]) == USAGE_ERROR
    assert "does not say in which simulated world" in capsys.readouterr().err
