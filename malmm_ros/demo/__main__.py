"""Run the demo: ``python -m malmm_ros.demo --instruction "…" --seed N``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import yaml
from PIL import Image

from malmm_ros.bringup import SIM
from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup, describe_end, node_command
from malmm_ros.cli.conversation import ConversationPrinter
from malmm_ros.cli.worlds import NeededWorld, choose_world
from malmm_ros.demo.judge import judge
from malmm_ros.demo.own_instruction import is_own_instruction
from malmm_ros.errors import MalmmError, NodeDiedError

if TYPE_CHECKING:
    from malmm_ros.nodes.task_client import TaskClient

_START_TIMEOUT_S = 60.0
_TASK_TIMEOUT_S = 600.0


def main() -> int:
    """Start the nodes, run the sentence, judge the poses; 0 only for success."""
    arguments = build_parser().parse_args()
    if not arguments.instruction.strip():
        sys.stderr.write("demo: the instruction is empty; say what the robot is to do\n")
        return 2
    signal.signal(signal.SIGTERM, _interrupt)
    world = choose_world(arguments.instruction)
    try:
        is_success = _run(arguments, world)
    except MalmmError as error:
        sys.stderr.write(f"demo: {error}\n")
        is_success = False
    except KeyboardInterrupt:
        sys.stderr.write("demo: interrupted\n")
        is_success = False
    sys.stdout.write(f"demo: {'success' if is_success else 'failure'}\n")
    return 0 if is_success else 1


def build_parser() -> argparse.ArgumentParser:
    """The command line, with its defaults."""
    parser = argparse.ArgumentParser(prog="malmm_ros.demo", description=__doc__)
    parser.add_argument(
        "--instruction",
        default="stack 3 red blocks on the green target area",
        help="what to do, in plain words",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the world's layout")
    parser.add_argument(
        "--speed", type=float, default=2.0, help="simulated seconds per second; 0: at most"
    )
    parser.add_argument("--model", default="offline", help="the language model's name")
    parser.add_argument("--base-url", default="", help="of an OpenAI-compatible endpoint")
    parser.add_argument("--output", type=Path, default=Path("runs/demo"), help="for pictures")
    return parser


def _run(arguments: argparse.Namespace, world: NeededWorld) -> bool:
    started = time.monotonic()
    values = {
        "task": world.task,
        "seed": arguments.seed,
        "options": yaml.safe_dump(world.options, default_flow_style=True).strip(),
        "speed": arguments.speed,
        "model": arguments.model,
        "base_url": arguments.base_url,
        "rviz": "false",
    }
    nodes = [node for node in SIM.resolve(values) if node.module]
    with DomainLease() as lease, ProcessGroup() as group:
        environment = lease.environment()
        os.environ.update(environment)
        _say(
            f"starting {', '.join(node.name for node in nodes)}; world {world.task}, "
            f"seed {arguments.seed}, options {values['options']}"
        )
        for node in nodes:
            group.start(node.name, node_command(node), environment=environment)
        is_success = _converse(arguments, world, group)
    _say(f"{time.monotonic() - started:.0f} s in all")
    return is_success


def _converse(arguments: argparse.Namespace, world: NeededWorld, group: ProcessGroup) -> bool:
    # Imported once the ROS domain is set.
    from malmm_ros.nodes.task_client import TaskClient

    printer = ConversationPrinter()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with TaskClient("malmm_demo") as client:
        _wait_for_nodes(client, group)
        before = client.ground_truth()
        _save(client, arguments.output / "before.png")
        result = client.run(
            arguments.instruction,
            timeout_s=_TASK_TIMEOUT_S,
            on_event=lambda event: printer.show(event.kind, event.agent, event.text),
        )
        after = client.ground_truth()
        _save(client, arguments.output / "after.png")
        condition, text = client.check_success()
    _say(f"the team says: {result.reason}: {result.message}")
    _say(f"transcript: {result.transcript}")
    judgement = judge(arguments.instruction, before, after)
    for line in judgement.lines:
        _say(f"the poses say: {line}")
    is_own = is_own_instruction(arguments.instruction, world)
    if not (is_own or judgement.needs_condition):
        return judgement.is_success
    _say(f"the task's own condition: {text}")
    return judgement.is_success and condition


def _wait_for_nodes(client: TaskClient, group: ProcessGroup) -> None:
    """Wait until all nodes live; a process that ended at once is named at once."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    while True:
        try:
            client.wait_for_nodes(timeout_s=1.0)
        except NodeDiedError:
            for name, code in group.dead().items():
                raise NodeDiedError(name, f"node {name!r} {describe_end(code)}") from None
            if time.monotonic() > deadline:
                raise
        else:
            return


def _save(client: TaskClient, path: Path) -> None:
    Image.fromarray(client.image("front")).save(path)
    _say(f"picture: {path}")


def _say(text: str) -> None:
    sys.stdout.write(f"demo: {text}\n")
    sys.stdout.flush()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
