from __future__ import annotations

from pathlib import Path

import pytest

from malmm_ros.cli import main


def test_an_unknown_part_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--parts", "planing"]) == 2
    assert "Did you mean 'planning'" in capsys.readouterr().err


def test_an_unwritable_file_is_refused_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--json", str(tmp_path / "no" / "bench.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
