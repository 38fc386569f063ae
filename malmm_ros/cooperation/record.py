"""The transcript of one episode of the transport world: every action, message and result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from malmm_ros import __version__
from malmm_ros.agents.transcript import Transcript
from malmm_ros.closing import Closing
from malmm_ros.cooperation.transport.actions import Action
from malmm_ros.cooperation.transport.runner import EpisodeRecord
from malmm_ros.cooperation.transport.world import TransportWorld


class EpisodeLog(Closing):
    """Written as it happens.

    Args:
        folder: Of the transcripts; made if it is not there.
        world: At its start.
        run: Name of this run.
        seed: Of the agents.

    Raises:
        ConfigurationError: The file cannot be made.
    """

    def __init__(self, folder: str | Path, world: TransportWorld, *, run: str, seed: int) -> None:
        place = world.episode.name.replace("/", "_")
        self.path = Path(folder) / f"cooperation-{place}-seed{seed}-{run}.jsonl"
        self._transcript = Transcript(self.path)
        self._messages = 0
        header = {
            "task_id": run,
            "version": __version__,
            "episode": world.episode.name,
            "episode_hash": world.episode.sha256(),
            "agents": list(world.agents),
            "seed": seed,
            "rules": asdict(world.rules),
        }
        self._transcript.add("header", "team", "", header)

    def step(self, world: TransportWorld, actions: Mapping[str, Action]) -> None:
        """Write what was said since the last step, and what is done now."""
        self._write_messages(world)
        acts = {name: asdict(action) for name, action in actions.items()}
        text = ", ".join(f"{name}: {action.kind}" for name, action in actions.items())
        self._transcript.add("execution", "team", text, {"frame": world.frame, "actions": acts})

    def note(self, agent: str, text: str) -> None:
        """Write something that is no step."""
        self._transcript.add("note", agent, text)

    def result(self, world: TransportWorld, record: EpisodeRecord) -> None:
        """Write what came of it."""
        self._write_messages(world)
        done, wanted = world.progress.done, world.progress.goal
        text = f"{sum(done.values())} of {sum(wanted.values())} in {record.frames} frames"
        self._transcript.add("result", "team", text, json.loads(json.dumps(asdict(record))))

    def close(self) -> None:
        """Close the file."""
        self._transcript.close()

    def _write_messages(self, world: TransportWorld) -> None:
        for item in world.sent[self._messages :]:
            message, frames = item.message, item.frames
            data = {"frame": message.frame, "frames": frames}
            self._transcript.add("message", message.sender, message.text, data)
        self._messages = len(world.sent)
