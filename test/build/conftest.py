"""A copy of the tree to build from, so that no build leaves traces in the one under test."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(sys.prefix)
LEFT_OUT = (".*", "build", "dist", "install", "log", "runs", "docs", "__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree as a fresh clone would have it."""
    copy = tmp_path_factory.mktemp("source") / "malmm_ros"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return copy


@pytest.fixture(scope="module")
def build_environment() -> dict[str, str]:
    """The environment variables of somebody who uses the wheels' prefix as his ROS 2."""
    if not shutil.which("c++"):
        pytest.skip("no C++ compiler")
    return {
        **os.environ,
        "PATH": f"{PREFIX / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "AMENT_PREFIX_PATH": str(PREFIX),
        "CMAKE_PREFIX_PATH": str(PREFIX),
        "PYTHONPATH": "",
    }


@pytest.fixture(scope="module")
def package_files(tree: Path) -> set[Path]:
    """Every file of the Python package, relative to it."""
    package = tree / "malmm_ros"
    return {
        file.relative_to(package)
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.fixture(scope="module")
def share_files(tree: Path) -> set[Path]:
    """What belongs into share/malmm_ros, relative to it."""
    files = {
        file.relative_to(tree)
        for folder in ("launch", "config")
        for file in (tree / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    panda = tree / "malmm_ros/models/panda"
    files |= {
        file.relative_to(tree / "malmm_ros")
        for file in panda.rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"}
    }
    return files | {Path("package.xml")}


@pytest.fixture(scope="module")
def executables(tree: Path) -> set[str]:
    """What `ros2 run malmm_ros` offers."""
    return {file.name for file in (tree / "scripts").iterdir() if file.is_file()}
