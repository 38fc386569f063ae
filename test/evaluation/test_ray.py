from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from malmm_ros.errors import MissingDependencyError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import run_episode
from malmm_ros.evaluation.ray import run_on_ray

CONFIG = EvaluationConfig(tasks=("put_block",), episodes=2, seed=4)
HAS_RAY = importlib.util.find_spec("ray") is not None


@pytest.mark.skipif(HAS_RAY, reason="ray is installed")
def test_without_ray_the_error_says_what_to_install() -> None:
    with pytest.raises(MissingDependencyError, match="pip install ray"):
        list(run_on_ray(CONFIG, CONFIG.jobs(), address="local"))


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.filterwarnings("ignore")  # ray's own
@pytest.mark.skipif(not HAS_RAY, reason="needs ray: pip install ray")
def test_a_cluster_gives_the_same_results_for_the_same_seeds() -> None:
    results = sorted(
        run_on_ray(CONFIG, CONFIG.jobs(), address="local"), key=lambda item: item.index
    )
    alone = [run_episode(CONFIG, *job) for job in CONFIG.jobs()]
    assert [replace(item, wall_s=0.0) for item in results] == [
        replace(item, wall_s=0.0) for item in alone
    ]
