"""An off-screen OpenGL context: EGL, or OSMesa where that fails."""

from __future__ import annotations

import importlib
import os
from typing import Any

from malmm_ros.errors import SimulationError

_ORDER = ("egl", "osmesa")
_PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri, or libosmesa6"


def create_context(width_px: int, height_px: int) -> Any:
    """Open a context for the calling thread; ``MUJOCO_GL`` (egl or osmesa) decides if set.

    Raises:
        SimulationError: None works; the text names the packages that are missing.
    """
    wanted = os.environ.get("MUJOCO_GL", "").lower()
    problems = []
    for name in (wanted,) if wanted in _ORDER else _ORDER:
        try:
            return importlib.import_module(f"mujoco.{name}").GLContext(width_px, height_px)
        except Exception as error:  # noqa: BLE001  # drivers fail with anything
            problems.append(f"{name}: {error}")
            if not wanted:
                os.environ.pop("PYOPENGL_PLATFORM", None)  # set by the failed import
    raise SimulationError(
        f"cameras cannot be rendered, no off-screen OpenGL works ({'; '.join(problems)}); "
        f"install {_PACKAGES} (apt-get install)"
    )
