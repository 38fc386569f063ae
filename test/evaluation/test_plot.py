from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.evaluation.plot import check_plot, save_plot


def test_a_plot_shows_several_runs(tmp_path: Path, report_of: Any) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.png"
    check_plot(path)
    save_plot({"one": report_of("1110"), "other": report_of("1000")}, path)
    with Image.open(path) as picture:
        assert picture.size[0] > 300


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="must end with"):
        check_plot(tmp_path / "plot.txt")


def test_without_matplotlib_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        check_plot(tmp_path / "plot.png")
