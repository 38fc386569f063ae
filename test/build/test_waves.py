"""Stand-ins that need each other are built one after the other, the rest side by side."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def load_interfaces(search_path: list[str]) -> Any:
    search_path.insert(0, str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location("interfaces", ROOT / "tools/interfaces.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_package_needs_is_built_in_an_earlier_wave(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    interfaces = load_interfaces(sys.path)
    folders = [path.parent for path in (ROOT / "interfaces_compat").glob("*/package.xml")]
    waves = [[folder.name for folder in wave] for wave in interfaces.in_waves([ROOT, *folders])]
    assert sorted(name for wave in waves for name in wave) == sorted(
        folder.name for folder in [ROOT, *folders]
    )
    wave_of = {name: index for index, wave in enumerate(waves) for name in wave}
    for name in ("octomap_msgs", "object_recognition_msgs"):
        assert wave_of[name] < wave_of["moveit_msgs"]
