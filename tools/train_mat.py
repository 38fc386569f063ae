"""Train the small policy behind MAT's interface on the 24 training episodes.

    .venv/bin/python tools/train_mat.py

draws populations of weights, lets two agents play with each, keeps the best quarter and draws
again around them (cross-entropy method); about ten minutes. It writes
malmm_ros/cooperation/transport/mat_policy.json. Equal seeds give equal weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malmm_ros.cooperation.transport.episode import load_episodes  # noqa: E402
from malmm_ros.cooperation.transport.mat import (  # noqa: E402
    FEATURES,
    MACRO_ACTIONS,
    Weights,
    save_weights,
)
from malmm_ros.cooperation.transport.runner import run_episode  # noqa: E402
from malmm_ros.cooperation.transport.team import build_team  # noqa: E402
from malmm_ros.cooperation.transport.world import TransportWorld  # noqa: E402

POLICY = ROOT / "malmm_ros/cooperation/transport/mat_policy.json"
KEPT = 0.25
SPREAD = 2.0
LEAST_SPREAD = 0.2


def play(weights: Weights, numbers: list[int], seed: int) -> float:
    """Mean transport rate of two agents over some training episodes."""
    episodes = load_episodes("training")
    rates = []
    for number in numbers:
        world = TransportWorld(episodes[number])
        team = build_team(("mat", "mat"), world, seed=seed, options={"mat": {"weights": weights}})
        rates.append(run_episode(world, team).transport_rate)
    return float(np.mean(rates))


def train(*, generations: int, population: int, episodes: int, seed: int) -> Weights:
    """Cross-entropy method; the mean of the last generation's best."""
    rng = np.random.default_rng(seed)
    shape = (len(MACRO_ACTIONS), FEATURES)
    mean, spread = np.zeros(shape), np.full(shape, SPREAD)
    for generation in range(generations):
        numbers = [int(n) for n in rng.choice(24, size=episodes, replace=False)]
        drawn = [mean + spread * rng.normal(size=shape) for _ in range(population)]
        scores = np.array([play(weights, numbers, seed + generation) for weights in drawn])
        best = np.argsort(-scores, kind="stable")[: max(2, round(KEPT * population))]
        kept = np.array([drawn[int(index)] for index in best])
        mean, spread = kept.mean(axis=0), np.maximum(kept.std(axis=0), LEAST_SPREAD)
        print(f"generation {generation}: mean {scores.mean():.3f}, best {scores.max():.3f}")
    return mean


def main() -> None:
    """Train and write the policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--population", type=int, default=16)
    parser.add_argument("--episodes", type=int, default=3, help="of each trial")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    weights = train(**vars(arguments))
    save_weights(weights, POLICY, **vars(arguments))
    print(POLICY.relative_to(ROOT))


if __name__ == "__main__":
    main()
