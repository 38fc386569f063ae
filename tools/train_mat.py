"""Train the small policy behind MAT's interface: to choose, from the map, as RHP's rules do.

    .venv/bin/python tools/train_mat.py

lets two agents play training episodes under RHP's rules, a fifth of the choices drawn at random so
that other situations come up, and fits a softmax to what the rules chose. It writes
malmm_ros/cooperation/transport/mat_policy.json; equal seeds give equal weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malmm_ros.cooperation.transport.episode import load_episodes  # noqa: E402
from malmm_ros.cooperation.transport.mat import (  # noqa: E402
    FEATURES,
    MACRO_ACTIONS,
    MacroAction,
    MatSeat,
    MatTeam,
    Weights,
    features,
    save_weights,
)
from malmm_ros.cooperation.transport.plan import Plan  # noqa: E402
from malmm_ros.cooperation.transport.rhp import RulePlanner  # noqa: E402
from malmm_ros.cooperation.transport.runner import run_episode  # noqa: E402
from malmm_ros.cooperation.transport.world import TransportWorld  # noqa: E402

POLICY = ROOT / "malmm_ros/cooperation/transport/mat_policy.json"
STRAY = 0.2
ROUNDS, RATE, DECAY = 4000, 0.5, 1e-4


class TaughtTeam(MatTeam):
    """Does what the rules say, mostly, and writes down what they said."""

    def __init__(self, world: TransportWorld, rng: np.random.Generator) -> None:
        nothing = np.zeros((len(MACRO_ACTIONS), FEATURES))
        super().__init__(world, world.agents, rng=rng, weights=nothing)
        self.lessons: list[tuple[NDArray[np.float64], int]] = []

    def decide(self, seat: MatSeat) -> MacroAction:
        """The rules' choice, or now and then any."""
        planner = RulePlanner(seat.memory.briefing, rng=self.rng)
        planner.memory = seat.memory
        choice = self._macro(planner.choose(), seat)
        self.lessons.append((features(self.map_of(seat)), MACRO_ACTIONS.index(choice)))
        if self.rng.random() < STRAY:
            return super().decide(seat)
        return choice

    def _macro(self, plan: Plan | None, seat: MatSeat) -> MacroAction:
        if plan is not None and plan.kind == "transport":
            return "goal"
        if plan is not None and plan.kind == "grasp":
            is_container = seat.memory.objects[plan.object_id].category == "container"
            return "container" if is_container else "target"
        return "explore"


def collect(numbers: range, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """What the rules chose, ``(N, features)`` and ``(N,)``."""
    episodes, lessons = load_episodes("training"), []
    for number in numbers:
        world = TransportWorld(episodes[number])
        team = TaughtTeam(world, np.random.default_rng([seed, number]))
        run_episode(world, team.seats())
        lessons += team.lessons
    return np.array([x for x, _ in lessons]), np.array([y for _, y in lessons])


def fit(inputs: NDArray[np.float64], choices: NDArray[np.int64]) -> Weights:
    """Softmax regression by gradient descent."""
    weights = np.zeros((len(MACRO_ACTIONS), FEATURES))
    wanted = np.eye(len(MACRO_ACTIONS))[choices]
    for _ in range(ROUNDS):
        logits = inputs @ weights.T
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        slope = (chances - wanted).T @ inputs / len(inputs)
        weights -= RATE * (slope + DECAY * weights)
    return weights


def main() -> None:
    """Train and write the policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=24, help="of the training set, every nth")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    numbers = range(0, 24, max(1, 24 // arguments.episodes))
    inputs, choices = collect(numbers, arguments.seed)
    weights = fit(inputs, choices)
    agreement = float((np.argmax(inputs @ weights.T, axis=1) == choices).mean())
    save_weights(weights, POLICY, agreement=round(agreement, 3), **vars(arguments))
    print(f"{len(choices)} choices, agreement with the rules {agreement:.3f}")
    print(POLICY.relative_to(ROOT))


if __name__ == "__main__":
    main()
