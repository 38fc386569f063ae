"""``malmm replay``: a recorded task again, with the recorded answers and no network."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malmm_ros.cli.conversation import ConversationPrinter, printable
from malmm_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from malmm_ros.agents.replay import Recording, Replay

EXAMPLE = "malmm replay runs/1a2b3c4d5e6f.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which transcript."""
    parser.add_argument("transcript", type=Path, help="of a task in a simulated world")
    parser.add_argument("--quiet", action="store_true", help="print the outcome only")
    parser.add_argument("--images", type=Path, help="folder for a picture after each step")
    parser.add_argument("--json", type=Path, help="write the outcome here")


def run(arguments: argparse.Namespace) -> int:
    """Replay; 0 when everything was as recorded."""
    # Imported here, so that `malmm --help` stays quick.
    from malmm_ros.agents.replay import Recording, Replay

    recording = Recording.read(arguments.transcript)
    replay = Replay(recording)
    reason = _replay(recording, replay, arguments)
    divergence = replay.divergence
    if arguments.json is not None:
        values = {
            "is_equal": divergence is None,
            "end": replay.end,
            "matched": replay.matched,
            "divergence": None if divergence is None else asdict(divergence),
            "reason": reason,
        }
        arguments.json.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    if divergence is None:
        end = f"; {replay.end}" if replay.end else f" ({reason})"
        sys.stdout.write(f"\nas recorded: all {replay.matched} events{end}\n")
        return 0
    sys.stdout.write(
        f"\n{replay.matched} events as recorded; the first difference is at event "
        f"{divergence.index} of the transcript\n"
        f"--- recorded\n{printable(divergence.recorded) or '(ended)'}\n"
        f"+++ now\n{printable(divergence.now) or '(ended)'}\n"
    )
    return 1


def _replay(recording: Recording, replay: Replay, arguments: argparse.Namespace) -> str:
    """Run it again; how it ended."""
    from malmm_ros.cooperation.coela.replaying import is_episode, replay_episode

    if not is_episode(recording):
        return str(_replay_task(recording, replay, arguments).reason)
    if arguments.images is not None:
        raise ConfigurationError("--images", "episodes of several agents: malmm cooperate --film")
    printer = ConversationPrinter()

    def follow(event: Any) -> None:
        replay.compare(event)
        if not arguments.quiet:
            printer.show(event.kind, event.agent, event.text)

    record = replay_episode(recording, replay, on_event=follow)
    return f"transport rate {record.transport_rate:.2f}"


def _replay_task(recording: Recording, replay: Replay, arguments: argparse.Namespace) -> Any:
    from malmm_ros.agents import build_team
    from malmm_ros.simulation import MujocoWorld

    facts = recording.world
    if "task" not in facts or "seed" not in facts:
        raise ConfigurationError(
            str(arguments.transcript),
            "does not say in which simulated world it was recorded, so that cannot be made again",
        )
    if facts.get("simulator", "mujoco") != "mujoco":
        raise ConfigurationError(
            str(arguments.transcript),
            f"was recorded in {facts['simulator']}, whose worlds cannot be made again exactly",
        )
    if facts.get("disturb"):
        raise ConfigurationError(
            str(arguments.transcript), "was recorded with disturbances, which cannot be repeated"
        )
    world = MujocoWorld(appearance=str(facts.get("appearance", "default")))
    world.reset(facts["task"], facts["seed"], options=facts.get("options") or {})
    robot = _make_robot(world, recording, arguments.transcript)
    printer = ConversationPrinter()
    pictures = 0

    def follow(event: Any) -> None:
        nonlocal pictures
        replay.compare(event)
        # What the world does after the transcript's end was never recorded.
        if not arguments.quiet and not replay.end:
            printer.show(event.kind, event.agent, event.text)
        if event.kind == "scene" and arguments.images is not None:
            _save_image(world, arguments.images / f"{pictures:03d}.png")
            pictures += 1

    team = build_team(recording.team, replay.model, config=recording.config)
    try:
        return team.run(
            recording.instruction,
            robot,
            budget=recording.budget,
            on_event=follow,
            cancel=replay.cancel,
            operator=replay,
            world=facts,
        )
    finally:
        team.close()
        world.close()


def _make_robot(world: Any, recording: Recording, path: Path) -> Any:
    """The robot that the recording had, with the same eyes."""
    from malmm_ros.configuration import from_mapping
    from malmm_ros.perception.phrases import find_phrases
    from malmm_ros.robots.simulated import simulated_robot
    from malmm_ros.robots.vision import VisionConfig, seeing_robot

    facts = recording.world
    planner = facts.get("motion", "roboplan")
    observations = facts.get("observations", "state")
    if observations == "state":
        return simulated_robot(world, planner=planner)
    if observations != "vision":
        raise ConfigurationError(
            str(path), f"observations from {observations!r} cannot be replayed"
        )
    return seeing_robot(
        world,
        from_mapping(VisionConfig, facts.get("vision") or {}, where="recorded vision"),
        planner=planner,
        phrases=find_phrases(recording.instruction),
        seed=facts["seed"],
    )


def _save_image(world: Any, path: Path) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(world.render("front").rgb).save(path)
