"""Descriptions of scenes are checked before anything is sent to a simulator."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml

from malmm_ros.errors import (
    ConfigurationError,
    MissingDependencyError,
    SimulationError,
    UnknownNameError,
)
from malmm_ros.simulation.coppeliasim.description import (
    SceneDescription,
    load_description,
    scene_folder,
)
from malmm_ros.simulation.coppeliasim.scene_files import scene_file

OURS = sorted(path.stem for path in scene_folder("").glob("*.yaml"))
GOOD: dict[str, Any] = {
    "objects": [{"path": "/block", "name": "block", "category": "block"}],
    "instructions": ["lift the block"],
    "success": [{"kind": "nothing_grasped"}],
}


def _load(folder: Path, content: Any, **options: Any) -> SceneDescription:
    (folder / "task.yaml").write_text(yaml.safe_dump(content))
    return load_description(folder, "task", options, np.random.default_rng(0))


@pytest.mark.parametrize("task", OURS)
def test_our_own_descriptions_are_whole(task: str) -> None:
    description = load_description(scene_folder(""), task, {}, np.random.default_rng(1))
    assert len(description.objects) >= 2
    assert len({item.path for item in description.objects}) == len(description.objects)


def test_options_fill_texts_and_numbers_and_drawn_colours_differ() -> None:
    description = load_description(
        scene_folder(""), "stack_blocks", {"color": "red", "count": 3}, np.random.default_rng(1)
    )
    assert description.success[0].count == 3
    assert description.instructions[0] == "stack 3 red blocks on the green target area"
    assert description.objects[0].color == "red"
    assert description.objects[4].color != "red"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"objects": []}, "objects"),
        ({"instructions": []}, "instructions"),
        ({"succes": []}, "Did you mean 'success'"),
        ({"layout": "drawn"}, "sampled"),
        ({"success": [{"kind": "within", "objects": ["block"]}]}, "needs 'of'"),
        ({"success": [{"kind": "within", "objects": ["block"], "of": "block"}]}, "half"),
        ({"success": [{"kind": "detected", "objects": ["block"]}]}, "sensor"),
        ({"success": [{"kind": "stacked", "of": "block"}]}, "names no objects"),
        ({"success": [{"kind": "stacked", "objects": ["blok"], "of": "block"}]}, "'block'"),
        ({"objects": [*GOOD["objects"], *GOOD["objects"]]}, "named twice: block"),
        ({"objects": [{**GOOD["objects"][0], "path": "block"}]}, "begin with /"),
        ({"objects": [{**GOOD["objects"][0], "color": "rde"}]}, "Did you mean 'red'"),
        ({"instructions": ["lift the {thing}"]}, "names no option"),
        ({"arm": {"joints": ["/a"]}}, "must be 7"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        _load(tmp_path, {**GOOD, **change})


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="must hold a mapping"):
        _load(tmp_path, ["block"])
    with pytest.raises(UnknownNameError, match="Did you mean 'task'"):
        load_description(tmp_path, "tsk", {}, np.random.default_rng(0))
    with pytest.raises(ConfigurationError, match="no folder"):
        scene_folder(str(tmp_path / "nowhere"))


def test_files_of_rlbench_are_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scene_file("/home/me/scene.ttt") == "/home/me/scene.ttt"
    monkeypatch.setitem(sys.modules, "rlbench", None)
    with pytest.raises((MissingDependencyError, ValueError), match="rlbench"):
        scene_file("rlbench:task_design.ttt")
    monkeypatch.delitem(sys.modules, "rlbench")
    package = tmp_path / "rlbench"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "task_design.ttt").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert scene_file("rlbench:task_design.ttt") == str(package / "task_design.ttt")
    with pytest.raises(SimulationError, match="does not have"):
        scene_file("rlbench:other.ttt")
    assert not isinstance(sys.modules.get("rlbench"), ModuleType)
