"""``malmm cooperate --ros``: episodes through running nodes, followed as they go."""

from __future__ import annotations

import argparse
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from malmm_ros.cli.conversation import printable
from malmm_ros.cli.interrupts import on_interrupts
from malmm_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from malmm_ros.nodes.cooperation.client import CooperationClient

# What has an effect on running nodes.
OPTIONS = ("episodes", "seeds", "horizon", "json", "ros")
_DISCOVERY_S = 20.0
_PLAYED = ("complete", "horizon")


def run_through_nodes(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run every episode with every seed; stop where the nodes cannot go on.

    Returns:
        The report as JSON values.

    Raises:
        NodeDiedError: The world node is not there, or died.
        UnknownNameError: There is no such episode.
    """
    from malmm_ros.bringup.domain import dds_environment

    if arguments.seeds < 1:
        raise ConfigurationError("--seeds", f"must be at least 1, got {arguments.seeds}")
    jobs = [
        (name, seed) for name in _episodes(arguments.episodes) for seed in range(arguments.seeds)
    ]
    os.environ.update(dds_environment())
    from malmm_ros.nodes.cooperation.client import CooperationClient

    view = _View()
    results: list[dict[str, Any]] = []
    with view, CooperationClient(on_message=view.show_message) as client, _interrupts(client):
        client.wait_for_world(timeout_s=_DISCOVERY_S)
        for name, seed in jobs:
            result = _run_one(client, view, name, seed, arguments.horizon)
            results.append(result)
            if result["reason"] not in _PLAYED:
                break
    rates = [item["record"]["transport_rate"] for item in results if item["record"]]
    return {
        "success": len(results) == len(jobs) and all(item["success"] for item in results),
        "transport_rate": sum(rates) / len(rates) if rates else None,
        "episodes": results,
    }


def _run_one(
    client: CooperationClient, view: _View, name: str, seed: int, horizon: int
) -> dict[str, Any]:
    own = "the nodes' own episode"
    view.begin(f"{name or own}, seed {seed}")
    result = client.run(name, seed=seed, horizon=horizon, on_feedback=view.show_progress)
    view.end(f"{result.episode}, seed {seed}: {result.message}")
    if result.transcript:
        view.say(f"transcript: {result.transcript}")
    return {
        "episode": result.episode,
        "seed": seed,
        "success": bool(result.success),
        "reason": result.reason,
        "message": result.message,
        "lost_agents": list(result.lost_agents),
        "delivered": result.delivered,
        "wanted": result.wanted,
        "record": json.loads(result.record) if result.record else None,
        "transcript": result.transcript,
    }


def _episodes(text: str) -> list[str]:
    """Names of episodes; the empty one is the nodes' own."""
    if not text:
        return [""]
    from malmm_ros.evaluation.cooperation.configuration import CooperationConfig

    config = CooperationConfig(agents=("rhp",), episodes=text)
    return [episode.name for episode in config.selected()]


class _View:
    """A bar of the episode under way; what agents say stands above it."""

    def __init__(self) -> None:
        self._console = Console()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("frame {task.completed} of {task.total}"),
            TextColumn("delivered {task.fields[delivered]}"),
            console=self._console,
            transient=True,
        )
        self._task: Any = None
        self._lost: set[str] = set()

    def __enter__(self) -> _View:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, title: str) -> None:
        """Another episode."""
        self._lost = set()
        self._task = self._bar.add_task(escape(title), total=None, delivered="0")

    def show_progress(self, feedback: Any) -> None:
        """How far it is, and who was lost."""
        self._bar.update(
            self._task,
            completed=feedback.frame,
            total=feedback.horizon,
            delivered=f"{feedback.delivered} of {feedback.wanted}",
        )
        for name in feedback.lost_agents:
            if name not in self._lost:
                self._lost.add(name)
                self.say(f"frame {feedback.frame}: {name} is lost; the others go on")

    def show_message(self, carried: Any) -> None:
        """What somebody said."""
        said = carried.message
        lost = f" (lost for {', '.join(carried.lost_for)})" if carried.lost_for else ""
        self.say(f"frame {said.frame}, {said.sender}: {printable(said.text)}{lost}")

    def end(self, text: str) -> None:
        """The episode is over."""
        self._bar.remove_task(self._task)
        self.say(text)

    def say(self, text: str) -> None:
        """A line of its own."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _interrupts(client: CooperationClient) -> Iterator[None]:
    """The first Ctrl-C cancels the episode; the second ends the program."""
    previous = on_interrupts(client.cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
