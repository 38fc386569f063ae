"""Find the frame scale at which a lone `rhp` transports half of the training episodes' targets.

    .venv/bin/python tools/calibrate_transport_frames.py --scales 0.9,1.0,1.1 --seeds 3

prints the mean transport rate for each scale, over the 24 training episodes with oracle sight. The
scale nearest to 0.50 was frozen as FRAME_SCALE in malmm_ros/cooperation/transport/rules.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malmm_ros.cooperation.transport.episode import load_episodes  # noqa: E402
from malmm_ros.cooperation.transport.rules import TransportRules  # noqa: E402
from malmm_ros.cooperation.transport.runner import run_episode  # noqa: E402
from malmm_ros.cooperation.transport.team import build_team  # noqa: E402
from malmm_ros.cooperation.transport.world import TransportWorld  # noqa: E402


def rate(scale: float, seed: int) -> float:
    """Mean transport rate of a lone rhp."""
    rates = []
    for episode in load_episodes("training"):
        world = TransportWorld(episode, agents=("Alice",), rules=TransportRules(frame_scale=scale))
        rates.append(run_episode(world, build_team(("rhp",), world, seed=seed)).transport_rate)
    return float(np.mean(rates))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", default="0.8,0.9,1.0,1.1,1.2")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    for text in arguments.scales.split(","):
        rates = [rate(float(text), seed) for seed in range(arguments.seeds)]
        print(f"{text}: {np.mean(rates):.3f}", *(f"{value:.3f}" for value in rates), flush=True)


if __name__ == "__main__":
    main()
