"""The wheel works in an environment of its own, away from the source tree.

The new environment borrows the dependencies of the one that runs the tests (1.5 GB); everything of
malmm_ros itself must come out of the wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SITE = f"lib/python3.{sys.version_info.minor}/site-packages"
BORROWED = f"""{sysconfig.get_path("purelib")}
import cmeel_pth
import ros_wheels_bootstrapper
"""


def run(
    *command: str, environment: dict[str, str] | None = None, cwd: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=500,
    )


@pytest.fixture(scope="module")
def wheel(
    tree: Path, build_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = run(
        *(sys.executable, "-m", "pip", "wheel", str(tree), "--wheel-dir", str(folder)),
        *("--no-deps", "--no-build-isolation", "--disable-pip-version-check"),
        environment=build_environment,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return next(folder.glob("malmm_ros-*.whl"))


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it."""
    venv = tmp_path_factory.mktemp("wheel_env") / "venv"
    made = run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=venv.parent)
    assert made.returncode == 0, made.stderr
    (venv / SITE / "borrowed.pth").write_text(BORROWED)
    done = run(
        *(sys.executable, "-m", "pip", "--python", str(venv / "bin/python"), "install"),
        *(
            "--no-deps",
            "--no-index",
            "--ignore-installed",
            "--disable-pip-version-check",
            str(wheel),
        ),
        cwd=venv.parent,
    )
    assert done.returncode == 0, done.stderr
    return venv


@pytest.fixture
def clean_environment(venv: Path) -> dict[str, str]:
    """No trace of the environment that runs the tests but for where its libraries are."""
    dropped = ("PYTHONPATH", "AMENT_PREFIX_PATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    return environment | {"PATH": f"{venv / 'bin'}:/usr/bin:/bin"}


def test_the_wheel_holds_every_file_of_the_package(wheel: Path, package_files: set[Path]) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    assert not {str(file) for file in package_files if f"malmm_ros/{file}" not in held}


def test_the_wheel_names_no_folder_of_the_build_machine(wheel: Path, tree: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = [n for n in archive.namelist() if n.endswith((".py", ".json", ".xml", ".txt"))]
        guilty = [name for name in texts if str(tree).encode() in archive.read(name)]
    assert not guilty


def test_share_holds_launch_config_and_model(venv: Path, share_files: set[Path]) -> None:
    share = venv / "share/malmm_ros"
    assert not {str(file) for file in share_files if not (share / file).exists()}


def test_ros2_run_finds_the_executables(venv: Path, executables: set[str]) -> None:
    folder = venv / "lib/malmm_ros"
    assert {file.name for file in folder.iterdir() if os.access(file, os.X_OK)} == executables
    assert os.access(venv / "bin/malmm", os.X_OK)


def test_a_clean_process_runs_the_wheels_copy(
    venv: Path, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    code = """
import malmm_ros, malmm_ros.msg
from malmm_ros.msg import SceneState
SceneState.__class__.__import_type_support__()
print(malmm_ros.__file__, malmm_ros.msg.__file__)
"""
    done = run(str(venv / "bin/python"), "-c", code, environment=clean_environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(venv)) for path in done.stdout.split()), done.stdout


def test_doctor_says_that_the_wheels_copy_runs(
    venv: Path, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    done = run(str(venv / "bin/malmm"), "doctor", environment=clean_environment, cwd=tmp_path)
    assert str(venv / SITE / "malmm_ros") in done.stdout, done.stdout + done.stderr
