"""The wheel works in an environment of its own, away from the source tree.

The new environment borrows the dependencies of the one that runs the tests (1.5 GB), file by file
and without what `make install` built there: malmm_ros itself, tf2_msgs and control_msgs must come
out of the wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]  # three packages to compile
SITE = f"lib/python3.{sys.version_info.minor}/site-packages"
BUILT_HERE = (
    *("malmm_ros", "tf2_msgs", "control_msgs", "moveit_msgs", "octomap_msgs"),
    *("object_recognition_msgs", "franka_msgs"),
)


def is_borrowed(path: Path) -> bool:
    """Whether the new environment may use a file of the one that runs the tests."""
    name = path.name.removeprefix("lib")
    return not name.startswith(BUILT_HERE) and name != "__pycache__"


def borrow(venv: Path) -> None:
    """Link to all dependencies, but to nothing that `make install` built."""
    for folder in (SITE, "share", "lib"):
        (venv / folder).mkdir(parents=True, exist_ok=True)
        for path in (Path(sys.prefix) / folder).iterdir():
            link = venv / folder / path.name
            if is_borrowed(path) and not link.exists():
                link.symlink_to(path)
    (venv / "bin/monty").symlink_to(Path(sys.prefix) / "bin/monty")  # the sandbox's worker
    index = "share/ament_index/resource_index"
    (venv / "share/ament_index").unlink()
    for kind in (Path(sys.prefix) / index).iterdir():
        (venv / index / kind.name).mkdir(parents=True)
        for path in kind.iterdir():
            if is_borrowed(path):
                (venv / index / kind.name / path.name).symlink_to(path)


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
        timeout=1200,
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
    borrow(venv)
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
    """No trace of the environment that runs the tests."""
    dropped = (
        *("PYTHONPATH", "AMENT_PREFIX_PATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE", "VIRTUAL_ENV"),
        "LD_LIBRARY_PATH",
    )
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
import pathlib, control_msgs, malmm_ros, malmm_ros.msg, tf2_msgs
from control_msgs.action import FollowJointTrajectory, ParallelGripperCommand
from malmm_ros.msg import SceneState
from tf2_msgs.msg import TFMessage
for interface in (FollowJointTrajectory, ParallelGripperCommand, SceneState, TFMessage):
    interface.__class__.__import_type_support__()
    assert interface.__class__._TYPE_SUPPORT is not None
print(malmm_ros.__file__, malmm_ros.msg.__file__, control_msgs.__file__, tf2_msgs.__file__)
for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
    path = line.split()[-1]
    if any(name in path for name in ("malmm_ros_", "tf2_msgs", "control_msgs")):
        print(path)
"""
    done = run(str(venv / "bin/python"), "-c", code, environment=clean_environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(venv)) for path in done.stdout.split()), done.stdout


def test_doctor_says_that_the_wheels_copy_runs(
    venv: Path, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    done = run(str(venv / "bin/malmm"), "doctor", environment=clean_environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(venv / SITE / "malmm_ros") in done.stdout, done.stdout + done.stderr


@pytest.mark.ros
def test_real_nodes_run_from_the_wheel(
    venv: Path, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    """Simulator, scene, motion and agents: a task is loaded, and the arm moves."""
    done = run(
        *(str(venv / "bin/python"), "-m", "malmm_ros.demo", "--speed", "0"),
        *("--instruction", "pick up the block", "--output", str(tmp_path)),
        environment=clean_environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "demo: success" in done.stdout
