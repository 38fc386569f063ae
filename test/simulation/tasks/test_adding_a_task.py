"""The guide to adding a task, followed from scratch."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from malmm_ros.errors import UnknownNameError
from malmm_ros.simulation import TASKS, MujocoWorld, list_tasks

GUIDE = Path(__file__).parents[3] / "docs" / "adding_a_task.md"


def load_block(index: int, path: Path) -> ModuleType:
    """Write one of the guide's Python blocks to a file and import it."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    path.write_text(blocks[index])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guide's task in the registry, as its second step says."""
    task = load_block(0, tmp_path / "shelve_can.py").ShelveCan
    monkeypatch.setitem(TASKS, task.name, task)


@pytest.mark.usefixtures("registered")
def test_a_task_of_one_file_is_known_everywhere() -> None:
    assert "shelve_can" in list_tasks()
    world = MujocoWorld()
    for seed in range(10):
        world.reset("shelve_can", seed)
        assert world.settle()
        assert world.success()[0] is False
        assert "box" in world.instruction
    with pytest.raises(UnknownNameError, match="Did you mean 'color'"):
        world.reset("shelve_can", 0, options={"colour": "red"})


@pytest.mark.usefixtures("registered")
def test_the_guides_script_does_the_task(tmp_path: Path) -> None:
    script = load_block(1, tmp_path / "script.py")
    for seed in range(3):
        is_success, message = script.shelve_can(seed)
        assert is_success, (seed, message)


def test_the_guide_is_no_longer_registered_afterwards() -> None:
    assert "shelve_can" not in list_tasks()
