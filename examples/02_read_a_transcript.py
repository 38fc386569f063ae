"""Run a task, then read who said what from its transcript."""

import tempfile
from pathlib import Path

from malmm_ros.agents import ModelConfig, build_team, read_transcript
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import MujocoWorld

world = MujocoWorld()
world.reset("put_block", seed=2)
team = build_team("malmm", ModelConfig(name="offline"))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "task.jsonl"
    result = team.run("put the block in the target area", simulated_robot(world), transcript=path)
    for event in read_transcript(path):
        if event.kind in ("message", "execution"):
            print(f"{event.agent}: {event.text.splitlines()[0]}")

print(result.reason, "after", result.steps, "steps and", result.usage.calls, "model calls")
