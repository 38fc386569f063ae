"""Every example runs as it is."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from malmm_ros.errors import MissingDependencyError

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(path)])
    try:
        runpy.run_path(str(path), run_name="__main__")
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert capsys.readouterr().out.strip()
