"""Set up the virtual environment, its libraries and the ROS interfaces: what `make install` runs.

Every step leaves a stamp in the environment once it is done, so an interrupted set-up continues
where it stopped and a finished one costs a few hash comparisons. The interfaces are built again
only when they change; the Python modules always run from the source tree.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from extras import install_group, read_groups

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
NEWEST = (3, 13)
GL_PACKAGES = ("libegl1", "libegl-mesa0", "libgl1-mesa-dri", "libgl1")
OPEN3D_PACKAGES = ("libusb-1.0-0",)
INTERFACE_SOURCES = (
    "CMakeLists.txt",
    "package.xml",
    "cmake",
    "msg",
    "srv",
    "action",
    "interfaces_compat",
    "tools/ament_build.py",
    "tools/interfaces.py",
)
RENDER = """
import mujoco
renderer = mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8)
renderer.render()
renderer.close()
"""
LAUNCHER = """#!/bin/sh
# -P: the source tree of this environment, never a copy that happens to lie in the current folder.
here=$(dirname "$(readlink -f "$0")")
exec "$here/python" -P -c 'import sys
sys.argv[0] = "malmm"
from malmm_ros.cli import main
sys.exit(main())' "$@"
"""


class Stamps:
    """What has been done to an environment, and from which inputs."""

    def __init__(self, venv: Path) -> None:
        self._path = venv / "malmm_ros_setup.json"

    def get(self, step: str) -> str | None:
        try:
            value = json.loads(self._path.read_text()).get(step)
        except (OSError, ValueError):
            return None
        return None if value is None else str(value)

    def set(self, step: str, value: str) -> None:
        try:
            stamps = json.loads(self._path.read_text())
        except (OSError, ValueError):
            stamps = {}
        stamps[step] = value
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(stamps, indent=2) + "\n")
        fresh.replace(self._path)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Say what happens and how long it took."""
    print(f"{text} …", flush=True)
    start = time.monotonic()
    yield
    print(f"  done in {time.monotonic() - start:.0f} s", flush=True)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let a second set-up of this tree wait for the first."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with (build / "install.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another set-up of this folder …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def apt_install(packages: list[str], *, why: str) -> None:
    """Install Debian packages, or say which ones to install.

    Raises:
        SystemExit: They are missing and could not be installed from here.
    """
    wish = f"{why}\n  sudo apt-get install {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise SystemExit(f"{why}\nInstall what these Debian packages hold: {' '.join(packages)}")
    sudo: list[str] = []
    if os.geteuid() != 0:
        sudo = ["sudo", "-n"]
        if (
            shutil.which("sudo") is None
            or subprocess.run([*sudo, "true"], check=False, capture_output=True).returncode
        ):
            raise SystemExit(wish)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with step(f"installing {' '.join(packages)} with apt"):
        for command in (
            ["update", "-q"],
            ["install", "-qy", "--no-install-recommends", *packages],
        ):
            done = subprocess.run(
                [*sudo, "apt-get", *command],
                check=False,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            # A failed update is no harm where the lists are fresh enough.
            if done.returncode and command[0] == "install":
                raise SystemExit(f"{done.stderr.strip()}\n{wish}")


def check_python() -> None:
    """Refuse an interpreter for which there are no ROS 2 wheels or pins."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    found = ".".join(map(str, sys.version_info[:2]))
    raise SystemExit(
        f"{sys.executable} is Python {found}; needed: 3.11, 3.12 or 3.13. "
        "Name one: make install PYTHON=/usr/bin/python3.12"
    )


def check_build_tools() -> None:
    """See to a compiler, Python's headers and the venv module."""
    minor = f"python3.{sys.version_info.minor}"
    missing = []
    if shutil.which("c++") is None and shutil.which("g++") is None:
        missing.append("g++")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append(f"{minor}-dev")
    # Debian splits ensurepip off; in a subprocess, so that it is found again after apt.
    probe = [sys.executable, "-c", "import ensurepip, venv"]
    if subprocess.run(probe, check=False, capture_output=True).returncode:
        missing.append(f"{minor}-venv")
    if missing:
        apt_install(missing, why="The set-up needs a C++ compiler, Python's headers and venv:")


def is_usable(venv: Path, stamps: Stamps) -> bool:
    """Tell whether the environment belongs to this folder and interpreter and was finished."""
    version = ".".join(map(str, sys.version_info[:2]))
    if stamps.get("environment") is not None:
        return stamps.get("environment") == f"{venv} {version}"
    probe = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        found = subprocess.run(
            [str(venv / "bin/python"), "-c", probe], check=False, capture_output=True, text=True
        )
    except OSError:
        return False
    return found.stdout.strip() == version


def make_environment(venv: Path, stamps: Stamps) -> None:
    """Create the virtual environment, unless a usable one is there.

    Raises:
        SystemExit: The folder is something else.
    """
    if not is_usable(venv, stamps):
        if venv.exists() and any(venv.iterdir()) and not (venv / "pyvenv.cfg").exists():
            raise SystemExit(f"{venv} is not a virtual environment; move it away first")
        made_for = stamps.get("environment")
        if made_for:
            print(f"the environment was made for {made_for}: making a new one")
        with step(f"creating {venv.name} with {sys.executable}"):
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
    version = ".".join(map(str, sys.version_info[:2]))
    stamps.set("environment", f"{venv} {version}")


def site_packages(venv: Path) -> Path:
    """Where the environment's packages are."""
    return venv / f"lib/python3.{sys.version_info.minor}/site-packages"


def install_requirements(venv: Path, stamps: Stamps) -> None:
    """Install the pinned packages."""
    requirements = ROOT / "requirements.txt"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamps.get("requirements") == wanted:
        return
    for info in site_packages(venv).glob("*.dist-info"):
        if not (info / "RECORD").exists():  # left by an interrupted run; pip takes it for whole
            shutil.rmtree(info)
    command = [str(venv / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check"]
    with step("installing the packages of requirements.txt (takes some minutes the first time)"):
        # All are listed: there is nothing to resolve.
        command += ["-qq", "--no-deps", "-r", str(requirements)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    stamps.set("requirements", wanted)


def install_extras(venv: Path, stamps: Stamps) -> None:
    """Install the optional packages, group by group; what fails is named and left out."""
    extras, core = ROOT / "requirements-extras.txt", ROOT / "requirements.txt"
    wanted = hashlib.sha256(extras.read_bytes() + core.read_bytes()).hexdigest()
    for group in read_groups(extras):
        if stamps.get(f"extra {group.name}") == wanted:
            continue
        with step(f"installing the optional packages '{group.name}'"):
            problem = install_group(venv / "bin/python", group, (core, extras))
            if not problem and group.name == "open3d":
                problem = see_to_open3d(venv)
        if problem:
            print(f"warning: '{group.name}' is left out, its tests are skipped: {problem}")
        else:
            stamps.set(f"extra {group.name}", wanted)


def see_to_open3d(venv: Path) -> str:
    """Install the system library that open3d's wheel needs; say why that failed."""

    def error() -> str:
        command = [str(venv / "bin/python"), "-c", "import open3d"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
        return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""

    if "libusb" in error():
        try:
            apt_install(list(OPEN3D_PACKAGES), why="open3d needs a system library:")
        except SystemExit as problem:
            return str(problem)
    return error()


def renders(venv: Path, backend: str) -> bool:
    """Try to draw one image without a display."""
    environment = {**os.environ, "MUJOCO_GL": backend}
    environment.pop("PYOPENGL_PLATFORM", None)
    command = [str(venv / "bin/python"), "-c", RENDER]
    try:
        done = subprocess.run(
            command, check=False, env=environment, capture_output=True, timeout=120
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def check_graphics(venv: Path, stamps: Stamps) -> None:
    """See to a GL library that renders the cameras without a display.

    Raises:
        SystemExit: There is none and it could not be installed.
    """
    if stamps.get("graphics"):
        return
    with step("checking that the cameras can be rendered"):
        backend = next((name for name in ("egl", "osmesa") if renders(venv, name)), None)
        if backend is None:
            apt_install(list(GL_PACKAGES), why="The cameras need GL libraries:")
            if not renders(venv, "egl"):
                raise SystemExit(
                    "EGL does not render here even with "
                    f"{', '.join(GL_PACKAGES)} installed; OSMesa may: "
                    "sudo apt-get install libosmesa6"
                )
            backend = "egl"
    stamps.set("graphics", backend)


def link_source_tree(venv: Path) -> None:
    """Let the environment's Python import this tree, and `malmm` run it from anywhere."""
    site = site_packages(venv)
    # Relative, so that a moved folder never runs the old one's code.
    (site / "malmm_ros_source.pth").write_text(os.path.relpath(ROOT, site) + "\n")
    launcher = venv / "bin/malmm"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)


def hash_files(names: tuple[str, ...], *, extra: str) -> str:
    """Hash the files and folders of this tree by name and content."""
    digest = hashlib.sha256(extra.encode())
    for name in names:
        path = ROOT / name
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            digest.update(f"{file.relative_to(ROOT)}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def build_interfaces(venv: Path, stamps: Stamps) -> None:
    """Build the messages, services and actions into the environment, if they changed.

    Raises:
        SystemExit: The build failed.
    """
    ros = [line for line in (ROOT / "requirements.txt").open() if line.startswith("ros-")]
    wanted = hash_files(INTERFACE_SOURCES, extra=f"{venv} {sys.version} {''.join(ros)}")
    if stamps.get("interfaces") == wanted:
        return
    with step("building the interfaces"):
        command = [str(venv / "bin/python"), str(ROOT / "tools/interfaces.py")]
        path = f"{venv / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        # Another ROS underlay in the environment would be found before the wheels.
        drop = ("CMAKE_PREFIX_PATH", "PYTHONPATH", "PYTHONHOME", "_ROS_WHEELS_BOOTSTRAP_COMPLETE")
        environment = {k: v for k, v in os.environ.items() if k not in drop} | {"PATH": path}
        if subprocess.run(command, check=False, env=environment).returncode:
            raise SystemExit("The interfaces were not built: see above, then run this again.")
    stamps.set("interfaces", wanted)


def main() -> None:
    """Set up, step by step; print nothing when all is done already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--extras", action="store_true", help="the optional packages, too")
    arguments = parser.parse_args()
    venv = arguments.venv.absolute()
    check_python()
    with one_at_a_time():
        stamps = Stamps(venv)
        if stamps.get("environment") is None or stamps.get("interfaces") is None:
            check_build_tools()
        make_environment(venv, stamps)
        install_requirements(venv, stamps)
        check_graphics(venv, stamps)
        build_interfaces(venv, stamps)
        link_source_tree(venv)
        if arguments.extras:
            install_extras(venv, stamps)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; the next `make install` continues from here.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"Set-up failed: `{' '.join(map(str, error.cmd))}` ended with {error.returncode}")
