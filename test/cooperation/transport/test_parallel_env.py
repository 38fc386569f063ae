from __future__ import annotations

import pytest

from malmm_ros.cooperation.transport import make_parallel_env
from malmm_ros.cooperation.transport.actions import ACTION_KINDS
from malmm_ros.cooperation.transport.rules import TransportRules

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")
pytest.importorskip("gymnasium", reason="gymnasium is not installed")


def test_the_world_passes_pettingzoos_own_test() -> None:
    from pettingzoo.test import parallel_api_test

    parallel_api_test(make_parallel_env(rules=TransportRules(horizon_frames=150)), num_cycles=60)


def test_a_seed_draws_the_episode_and_all_get_the_teams_reward() -> None:
    env = make_parallel_env(agents=3)
    first, _ = env.reset(seed=5)
    again, _ = env.reset(seed=5)
    assert (first["Alice"]["pose"] == again["Alice"]["pose"]).all()
    send = {"kind": ACTION_KINDS.index("send"), "text": "hello"}
    idle = {"kind": ACTION_KINDS.index("ongoing")}
    _, rewards, *_, infos = env.step({"Alice": send, "Bob": idle, "Carol": idle})
    assert len(set(rewards.values())) == 1
    assert infos["Bob"]["messages"] == [("Alice", "hello")]
