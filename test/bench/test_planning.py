from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.bench.planning import FreeMove, length, measure
from malmm_ros.models import READY_POSITIONS
from malmm_ros.motion import PlanningScene


def test_a_path_is_as_long_as_its_steps() -> None:
    path = np.zeros((3, 7))
    path[1, 0], path[2] = 1.0, [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert length(path) == pytest.approx(3.0)


def test_our_planner_and_the_peer_solve_the_same_moves() -> None:
    pytest.importorskip("ompl")
    measurement = measure(lambda _text: None, queries=2)
    values = measurement.values
    assert measurement.is_success
    assert values["planning.success_rate"] == 1.0
    assert values["planning.peers.ompl.refused"] == 0
    assert values["planning.peers.ompl.success_rate"] == 1.0
    assert 0.0 < values["planning.median_ms"] <= values["planning.p95_ms"]


def test_the_peer_finds_the_ready_arm_free_and_an_arm_in_the_table_not() -> None:
    pytest.importorskip("ompl")
    from malmm_ros.bench.ompl_peer import OmplPeer

    ready = np.array(READY_POSITIONS)
    low = ready + np.array([0.0, 1.8, 0.0, 0.0, 0.0, 0.0, 0.0])
    scene = PlanningScene()
    move = FreeMove(start=ready, goal=ready + 0.1, scene=scene, path=np.stack([ready, low]))
    plan = OmplPeer().plan(move)
    assert plan.path is not None
    assert np.allclose(plan.path[0], ready)
    into_table = FreeMove(start=ready, goal=low, scene=scene, path=move.path)
    assert OmplPeer().plan(into_table).is_refused
