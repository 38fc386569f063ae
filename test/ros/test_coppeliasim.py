"""The whole system with CoppeliaSim as its world; its stand-in runs in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("coppeliasim_zmqremoteapi_client", reason="needs the extra coppeliasim")

from coppeliasim_scenes import BIN_SENSORS, write_description
from coppeliasim_server import CoppeliasimServer

from malmm_ros.bringup.running import RunningSystem
from malmm_ros.errors import NodeDiedError, SimulationError

SCENES: dict[str, dict[str, Any]] = {
    "put_block": {},
    "stack_blocks": {"count": 2},
    "close_jar": {},
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CoppeliasimServer]:
    made = CoppeliasimServer("put_block", 3, scenes=SCENES, sensors=BIN_SENSORS)
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="module")
def system(
    server: CoppeliasimServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSystem]:
    folder: Path = tmp_path_factory.mktemp("scenes")
    for task, options in SCENES.items():
        write_description(folder, task, 3, options=options, changes={"scene": f"{task}.ttt"})
    values = {
        "world": "coppeliasim",
        "coppeliasim_port": server.port,
        "coppeliasim_scenes": str(folder),
        "task": "put_block",
        "speed": 0.0,
    }
    with RunningSystem(
        values, parameters={"agents": {"transcripts": str(folder)}}, log=folder / "log"
    ) as running:
        yield running


@pytest.mark.parametrize("task", SCENES)
def test_a_task_succeeds_through_the_nodes(
    server: CoppeliasimServer, system: RunningSystem, task: str
) -> None:
    instruction = system.client.load_task(task, 0)
    assert not system.client.check_success()[0]
    result = system.client.run(instruction, timeout_s=100.0)
    assert result.success, result.message
    assert system.client.check_success()[0]
    assert server.world.success()[0]
    assert server.refusals == []


def test_images_come_over_the_usual_topics(system: RunningSystem) -> None:
    image = system.client.image("front")
    assert image.shape == (120, 160, 3)
    assert len(set(image.reshape(-1, 3).sum(axis=1).tolist())) > 10


def test_a_task_that_has_no_description_is_refused(system: RunningSystem) -> None:
    with pytest.raises(SimulationError, match="Did you mean 'close_jar'"):
        system.client.load_task("close_jr", 0)
    assert system.client.ground_truth().names  # the present world stays


def test_a_simulator_that_dies_is_named(server: CoppeliasimServer, system: RunningSystem) -> None:
    instruction = system.client.load_task("put_block", 0)
    server.close()
    try:
        result = system.client.run(instruction, timeout_s=60.0)
        words = "" if result.success else result.message
    except NodeDiedError as error:
        words = error.node
    assert "simulator" in words
