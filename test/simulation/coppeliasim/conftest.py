from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")

from coppeliasim_scenes import BIN_SENSORS, write_description
from coppeliasim_server import CoppeliasimServer

from malmm_ros.simulation.coppeliasim.configuration import CoppeliasimConfig
from malmm_ros.simulation.coppeliasim.world import CoppeliasimWorld

Open = Callable[..., tuple[CoppeliasimServer, CoppeliasimWorld]]


@pytest.fixture
def open_scene(tmp_path: Path) -> Iterator[Open]:
    """A stand-in for CoppeliaSim with a task's scene, and a world that is not reset yet."""
    with ExitStack() as stack:

        def make(
            task: str = "put_block",
            *,
            options: dict[str, Any] | None = None,
            changes: dict[str, Any] | None = None,
            timeout_s: float = 20.0,
            **server_options: Any,
        ) -> tuple[CoppeliasimServer, CoppeliasimWorld]:
            write_description(tmp_path, task, 3, options=options, changes=changes)
            sensors = BIN_SENSORS if task == "put_rubbish_in_bin" else None
            server = CoppeliasimServer(task, 3, options=options, sensors=sensors, **server_options)
            stack.enter_context(server)
            config = CoppeliasimConfig(port=server.port, scenes=str(tmp_path), timeout_s=timeout_s)
            world = CoppeliasimWorld(config)
            stack.callback(world.close)
            return server, world

        yield make
