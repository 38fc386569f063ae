from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.log import EpisodeLog, log_path
from malmm_ros.evaluation.result import EpisodeEvent

CONFIG = EvaluationConfig(tasks=("put_block",), episodes=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return log_path(tmp_path / "report.json")


def test_the_file_stands_beside_the_report(path: Path) -> None:
    assert path.name == "report.episodes.jsonl"


def test_what_was_written_is_there_again(path: Path, make_result: Any) -> None:
    event = EpisodeEvent(kind="knock", step=2, object="block", text="…", is_noticed=True)
    results = [make_result(0), make_result(1, is_success=False, events=(event,))]
    with EpisodeLog(path, CONFIG) as log:
        assert log.results == []
        for result in results:
            log.append(result)
    with EpisodeLog(path, CONFIG) as log:
        assert log.results == results
    with EpisodeLog(path, CONFIG, is_fresh=True) as log:
        assert log.results == []


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_half_a_line_is_dropped_and_the_next_one_is_whole(
    path: Path, make_result: Any, cut: int
) -> None:
    with EpisodeLog(path, CONFIG) as log:
        log.append(make_result(0))
        log.append(make_result(1))
    path.write_bytes(path.read_bytes()[:-cut])
    with EpisodeLog(path, CONFIG) as log:
        assert [item.index for item in log.results] == [0]
        log.append(make_result(2))
    with EpisodeLog(path, CONFIG) as log:
        assert [item.index for item in log.results] == [0, 2]


def test_half_a_header_begins_anew(path: Path) -> None:
    path.write_text('{"schema_ver', encoding="utf-8")
    with EpisodeLog(path, CONFIG) as log:
        assert log.results == []
    assert path.read_text(encoding="utf-8").startswith('{"schema_version": 1')


def test_another_configuration_is_refused_and_named(path: Path, make_result: Any) -> None:
    with EpisodeLog(path, CONFIG) as log:
        log.append(make_result(0))
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="seed is 0 there, 4 here") as caught:
        EpisodeLog(path, replace(CONFIG, seed=4))
    assert "--fresh" in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["hello\n", "{}\n", '{"schema_version": 9, "config": {}}\n'])
def test_a_foreign_file_is_refused_and_left_alone(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="--fresh"):
        EpisodeLog(path, CONFIG)
    assert path.read_text(encoding="utf-8") == text


def test_two_runs_do_not_write_the_same_file(path: Path) -> None:
    with EpisodeLog(path, CONFIG), pytest.raises(ConfigurationError, match="another evaluation"):
        EpisodeLog(path, CONFIG, is_fresh=True)


def test_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be written"):
        EpisodeLog(tmp_path / "no" / "file.jsonl", CONFIG)
