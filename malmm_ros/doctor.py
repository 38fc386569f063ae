"""What is installed here, what works, what is missing; the checks of ``malmm doctor``."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import malmm_ros
from malmm_ros.bringup.domain import DDS_SETTINGS, dds_environment

_KINDS = ("msg", "srv", "action")
_NEEDED_PACKAGES = ("mujoco", "roboplan", "pydantic-ai-slim", "pydantic-monty", "numpy", "scipy")
_FOREIGN_INTERFACES = ("control_msgs", "tf2_msgs", "sensor_msgs", "visualization_msgs")
_EXTRAS = {
    "torch": "learned segmenters",
    "transformers": "learned segmenters",
    "open3d": "cloud export and registration",
    "viser": "the browser view",
    "ray": "experiments on several machines",
    "coppeliasim_zmqremoteapi_client": "the world coppeliasim",
    "moveit": "MoveIt 2 as motion planner",
    "launch_ros": "ros2 launch",
}
_RENDER = (
    "from malmm_ros.simulation import MujocoWorld\n"
    "world = MujocoWorld(image_size=(64, 48))\n"
    "world.reset('put_block', 0)\n"
    "image = world.render('front')\n"
    "assert image.rgb.std() > 1.0, 'the image is blank'\n"
    "backend = type(world._renderer._gl).__module__\n"
    "world.close()\n"
    "print(backend)\n"
)
_RENDER_TIMEOUT_S = 60.0
_RECEIVE_BUFFER = Path("/proc/sys/net/core/rmem_max")
_IMAGE_BYTES = 640 * 480 * (3 + 4)
_WANTED_BUFFER_BYTES = 4 * 1024 * 1024  # as config/fastdds.xml asks for


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        is_needed: The demo does not run without it.
        detail: What was found, or what to do.
    """

    name: str
    is_ok: bool
    is_needed: bool
    detail: str


def examine() -> tuple[Finding, ...]:
    """Look at everything; takes a few seconds, mostly for a rendered frame."""
    checks: tuple[Callable[[], Finding | tuple[Finding, ...]], ...] = (
        _package,
        _python,
        _packages,
        _interfaces,
        _foreign_interfaces,
        _middleware,
        _graphics,
        _extras,
        _discovery,
        _socket_buffers,
    )
    findings: list[Finding] = []
    for check in checks:
        found = check()
        findings += found if isinstance(found, tuple) else (found,)
    return tuple(findings)


def _package() -> Finding:
    folder = Path(malmm_ros.__file__).parent
    kind = "source tree" if _sources() else "installed"
    return Finding(
        name="malmm_ros",
        is_ok=True,
        is_needed=True,
        detail=f"{malmm_ros.__version__}, {kind}: {folder}",
    )


def _python() -> Finding:
    return Finding(
        name="python",
        is_ok=sys.version_info >= (3, 11),
        is_needed=True,
        detail=f"{platform.python_version()}: {sys.executable}",
    )


def _packages() -> tuple[Finding, ...]:
    findings = []
    for name in _NEEDED_PACKAGES:
        try:
            detail, is_ok = importlib.metadata.version(name), True
        except importlib.metadata.PackageNotFoundError:
            detail, is_ok = "not installed: make install", False
        findings.append(Finding(name=name, is_ok=is_ok, is_needed=True, detail=detail))
    return tuple(findings)


def _sources() -> Path | None:
    """The folder of msg/, srv/ and action/ when the package runs from its source tree."""
    root = Path(malmm_ros.__file__).parents[1]
    return root if (root / "package.xml").exists() and (root / "msg").is_dir() else None


def installed_interfaces() -> Path | None:
    """The installed ``share/malmm_ros`` of the generated interfaces, or ``None``."""
    spec = importlib.util.find_spec("malmm_ros.msg")
    if spec is None or spec.origin is None:
        return None
    for prefix in Path(spec.origin).parents:
        share = prefix / "share" / "malmm_ros"
        if (share / "msg").is_dir():
            return share
    return None


def interface_hash(folder: Path) -> str:
    """One hash of all definitions below a folder."""
    digest = hashlib.sha256()
    for kind in _KINDS:
        for path in sorted((folder / kind).glob(f"*.{kind}")):
            digest.update(f"{kind}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _interfaces() -> Finding:
    share, sources = installed_interfaces(), _sources()
    if share is None:
        is_ok, detail = False, "not built: make install"
    elif sources is None:
        is_ok, detail = True, f"{interface_hash(share)}: {share}"
    elif interface_hash(share) == interface_hash(sources):
        is_ok, detail = True, f"{interface_hash(share)}, as in the sources: {share}"
    else:
        is_ok = False
        detail = f"built from other definitions than those of {sources}: make install"
    return Finding(name="interfaces", is_ok=is_ok, is_needed=True, detail=detail)


def _foreign_interfaces() -> Finding:
    missing = [name for name in _FOREIGN_INTERFACES if importlib.util.find_spec(name) is None]
    detail = f"missing: {', '.join(missing)}" if missing else ", ".join(_FOREIGN_INTERFACES)
    return Finding(name="ROS interfaces", is_ok=not missing, is_needed=True, detail=detail)


def _middleware() -> Finding:
    program = "import rclpy; print(rclpy.get_rmw_implementation_identifier())"
    is_ok, detail = _try(program, timeout_s=20.0)
    return Finding(name="middleware", is_ok=is_ok, is_needed=True, detail=detail)


def _graphics() -> Finding:
    """Render a frame, in another process: a broken driver may take its process with it."""
    is_ok, detail = _try(_RENDER, timeout_s=_RENDER_TIMEOUT_S)
    return Finding(
        name="rendering",
        is_ok=is_ok,
        is_needed=True,
        detail=f"a frame by {detail}" if is_ok else detail,
    )


def _try(program: str, *, timeout_s: float) -> tuple[bool, str]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            cwd=Path(malmm_ros.__file__).parents[1],
        )
    except subprocess.TimeoutExpired:
        return False, f"did not answer within {timeout_s:g} s"
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
        return False, lines[-1]
    return True, done.stdout.strip()


def _extras() -> tuple[Finding, ...]:
    return tuple(
        Finding(
            name=name,
            is_ok=importlib.util.find_spec(name) is not None,
            is_needed=False,
            detail=f"optional, for {purpose}",
        )
        for name, purpose in _EXTRAS.items()
    )


def _discovery() -> Finding:
    settings = dds_environment()
    words = [f"{name}={settings[name]}" for name in DDS_SETTINGS if name in settings]
    return Finding(name="discovery", is_ok=True, is_needed=False, detail=", ".join(words))


def _socket_buffers() -> tuple[Finding, ...]:
    """Whether the kernel lets a socket hold an image and its depths."""
    try:
        most = int(_RECEIVE_BUFFER.read_text())
    except OSError:  # not Linux
        return ()
    is_ok = most >= _IMAGE_BYTES
    detail = f"net.core.rmem_max={most}"
    if not is_ok:
        detail += (
            "; images may be lost between nodes: "
            f"sudo sysctl -w net.core.rmem_max={_WANTED_BUFFER_BYTES}"
        )
    return (Finding(name="socket buffers", is_ok=is_ok, is_needed=False, detail=detail),)
