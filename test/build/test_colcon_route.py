"""colcon builds this tree against the wheels' prefix as it would against apt's ROS 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="module")
def installed(
    tree: Path, build_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The workspace's install folder."""
    workspace = tmp_path_factory.mktemp("workspace")
    command = [
        *(sys.executable, "-m", "colcon", "--log-base", str(workspace / "log"), "build"),
        *("--paths", str(tree)),
        *("--build-base", str(workspace / "build"), "--install-base", str(workspace / "install")),
        *("--event-handlers", "console_direct+"),
        *("--cmake-args", "-GNinja", "-DBUILD_TESTING=OFF"),
        f"-DPython3_EXECUTABLE={sys.executable}",
    ]
    done = subprocess.run(
        command,
        check=False,
        env=build_environment,
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return workspace / "install"


def test_every_file_of_the_package_is_installed(installed: Path, package_files: set[Path]) -> None:
    package = next((installed / "malmm_ros/lib").glob("python3*/site-packages")) / "malmm_ros"
    missing = {str(file) for file in package_files if not (package / file).exists()}
    assert not missing


def test_share_holds_launch_config_and_model(installed: Path, share_files: set[Path]) -> None:
    share = installed / "malmm_ros/share/malmm_ros"
    assert not {str(file) for file in share_files if not (share / file).exists()}


def test_ros2_run_finds_the_executables(installed: Path, executables: set[str]) -> None:
    found = {
        file.name
        for file in (installed / "malmm_ros/lib/malmm_ros").iterdir()
        if os.access(file, os.X_OK)
    }
    assert found == executables
    assert os.access(installed / "malmm_ros/bin/malmm", os.X_OK)


def test_a_clean_process_runs_the_installed_copy(
    installed: Path, build_environment: dict[str, str]
) -> None:
    code = """
import malmm_ros, malmm_ros.msg
from ament_index_python import get_package_share_directory
from malmm_ros.msg import SceneState
SceneState.__class__.__import_type_support__()
assert SceneState.__class__._TYPE_SUPPORT is not None
print(malmm_ros.__file__, malmm_ros.msg.__file__, get_package_share_directory("malmm_ros"))
"""
    done = subprocess.run(
        ["sh", "-c", '. ./local_setup.sh && exec "$0" -c "$1"', sys.executable, code],
        check=False,
        env=build_environment,
        cwd=installed,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(installed)) for path in done.stdout.split()), done.stdout
