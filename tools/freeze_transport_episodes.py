"""Freeze the transport world's episodes: 24 for tests, 24 for training, with their hashes.

    .venv/bin/python tools/freeze_transport_episodes.py

writes malmm_ros/cooperation/transport/episodes/{test,training}.json anew: for each of a set's two
floor plans three furnishings, two settings of containers and two tasks. What it writes depends on
this program only, so that it leaves the files as they are unless the generator was changed; then
every figure measured on them must be measured again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malmm_ros.cooperation.transport.catalog import TASKS  # noqa: E402
from malmm_ros.cooperation.transport.episode import Episode, write_episodes  # noqa: E402
from malmm_ros.cooperation.transport.floorplans import (  # noqa: E402
    FLOOR_PLANS,
    TEST_PLANS,
    TRAINING_PLANS,
)
from malmm_ros.cooperation.transport.furnishing import furnish  # noqa: E402
from malmm_ros.cooperation.transport.placement import generate_episode  # noqa: E402
from malmm_ros.cooperation.transport.reachability import find_unreachable  # noqa: E402
from malmm_ros.errors import SimulationError  # noqa: E402

LAYOUTS = 3
SETTINGS: tuple[Literal[0], Literal[1]] = (0, 1)
SEEDS = {"test": 20_001, "training": 10_001}
TRIES = 100


def make_episodes(name: str, plans: tuple[str, ...]) -> list[Episode]:
    """All episodes of a set."""
    rng = np.random.default_rng(SEEDS[name])
    episodes: list[Episode] = []
    for plan in plans:
        for number in range(LAYOUTS):
            layout = furnish(FLOOR_PLANS[plan], f"{plan}/{number}", rng)
            for setting in SETTINGS:
                for task in TASKS:
                    for _ in range(TRIES):
                        try:
                            episode = generate_episode(
                                layout,
                                name=f"{name}/{len(episodes):02d}",
                                task=task,
                                containers=setting,
                                rng=rng,
                            )
                        except SimulationError:
                            continue
                        if not find_unreachable(episode):
                            episodes.append(episode)
                            break
                    else:
                        raise SystemExit(f"{plan}/{number} cannot be filled")
    return episodes


def main() -> None:
    """Write both files."""
    for name, plans in (("test", TEST_PLANS), ("training", TRAINING_PLANS)):
        path = ROOT / "malmm_ros/cooperation/transport/episodes" / f"{name}.json"
        path.write_text(write_episodes(make_episodes(name, plans)), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
