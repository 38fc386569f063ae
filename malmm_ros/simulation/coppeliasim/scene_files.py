"""Files of scenes and models that the simulator is told to open."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from malmm_ros.errors import MissingDependencyError, SimulationError

_RLBENCH = "rlbench:"


def scene_file(text: str) -> str:
    """A path as the simulator gets it; ``rlbench:NAME`` is of the installed RLBench.

    RLBench itself is not imported: it would load a simulator of its own into this process.

    Raises:
        MissingDependencyError: RLBench is not installed.
        SimulationError: It does not have that file.
    """
    if not text.startswith(_RLBENCH):
        return text
    found = importlib.util.find_spec("rlbench")
    if found is None or not found.submodule_search_locations:
        raise MissingDependencyError(
            "rlbench",
            needed_for=f"the scene {text}",
            install="pip install git+https://github.com/stepjam/RLBench.git",
            instead="a description of a scene of your own (--coppeliasim-scenes)",
        )
    path = Path(next(iter(found.submodule_search_locations))) / text.removeprefix(_RLBENCH)
    if not path.is_file():
        raise SimulationError(f"the installed RLBench does not have {path}")
    return str(path)
