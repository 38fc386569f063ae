from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from malmm_ros.evaluation.disturbing import DisturbanceEvent, DisturbedRobot
from malmm_ros.evaluation.film import thin
from malmm_ros.evaluation.witness import Witness
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import MujocoWorld


@pytest.fixture(scope="module")
def world() -> MujocoWorld:
    made = MujocoWorld()
    made.reset("put_block", 3)
    return made


@pytest.mark.parametrize(("offset", "is_noticed"), [(0.0, True), (0.02, True), (0.05, False)])
def test_going_to_where_the_object_lies_now_is_noticing(
    world: MujocoWorld, offset: float, is_noticed: bool
) -> None:
    disturbed = DisturbedRobot(
        simulated_robot(world), world, probabilities={}, rng=np.random.default_rng(0)
    )
    witness = Witness(disturbed, world)
    block = next(item for item in world.ground_truth().objects if not item.is_fixed)
    x, y, _ = block.pose.position
    above: list[Any] = [x + offset, y, 1.0]
    witness.execute_trajectory(above, 0.0)
    for kind, name in (("knock", block.name), ("noise", "")):
        disturbed.events.append(DisturbanceEvent(kind=kind, step=1, object=name, text=""))
    assert [item.is_noticed for item in witness.events()] == [False, None]
    witness.execute_trajectory(above, 0.0)
    assert [item.is_noticed for item in witness.events()] == [is_noticed, None]


def test_a_long_film_is_thinned_but_keeps_both_ends() -> None:
    chosen = thin(list(range(100)))  # type: ignore[arg-type]  # any sequence
    assert len(chosen) == 24
    assert (chosen[0], chosen[-1]) == (0, 99)
    assert thin([1, 2]) == [1, 2]  # type: ignore[list-item]
