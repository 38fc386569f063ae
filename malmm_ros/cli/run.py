"""``malmm run``: one instruction, from words to motion."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malmm_ros.cancellation import CancelToken
from malmm_ros.cli.argument_types import natural, output_file, output_folder, seconds
from malmm_ros.cli.conversation import ConversationPrinter, printable
from malmm_ros.cli.interrupts import on_interrupts
from malmm_ros.cli.model_arguments import add_model_arguments, read_model
from malmm_ros.cli.operator import HELP, TerminalOperator
from malmm_ros.cli.vision_arguments import add_vision_arguments, read_vision
from malmm_ros.cli.world_arguments import add_world_arguments, read_coppeliasim
from malmm_ros.cli.worlds import choose_world
from malmm_ros.configuration import parse_mapping
from malmm_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from malmm_ros.agents import TaskResult
    from malmm_ros.robots import PlannedRobot
    from malmm_ros.robots.vision import VisionConfig
    from malmm_ros.simulation import World

# What running nodes were started with; see `malmm up sim --help`.
_OF_NODES = (
    "world",
    "coppeliasim_host",
    "coppeliasim_port",
    "coppeliasim_scenes",
    "task",
    "seed",
    "options",
    "model",
    "base_url",
    "model_options",
    "role_model",
    "prices",
    "history",
    "approve",
    "inject",
    "motion",
    "observations",
    "cameras",
    "segmenter",
    "segmenter_options",
    "grasps",
    "grasp_options",
    "noise",
    "transcripts",
    "images",
)
EXAMPLE = 'malmm run "stack 3 red blocks on the green target area" --seed 3'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, where, and who thinks."""
    parser.add_argument("instruction", help="what to do, in plain words")
    parser.add_argument(
        "--task", default="", help="the world to build; empty: what the instruction names"
    )
    add_world_arguments(parser)
    parser.add_argument("--seed", type=natural, default=0, help="of the world's layout")
    parser.add_argument(
        "--options", default="", help="of the world, a YAML mapping: {color: red, count: 3}"
    )
    parser.add_argument(
        "--team", default="", help="the team of agents; empty: malmm, or the agents node's own"
    )
    add_model_arguments(parser)
    parser.add_argument(
        "--approve",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="show each step and wait for yes, no or a correction in words "
        "(with --ros the agents node's parameter decides)",
    )
    parser.add_argument(
        "--inject", type=float, default=0.0, metavar="P", help="spoil answers, for each step"
    )
    parser.add_argument("--motion", default="roboplan", help="the motion planner")
    add_vision_arguments(parser)
    parser.add_argument("--timeout", type=seconds, default=0.0, help="0: the budget's own")
    parser.add_argument(
        "--transcripts", type=output_folder, default=Path("runs"), help="folder for them"
    )
    parser.add_argument(
        "--images", type=output_folder, help="folder for pictures before and after"
    )
    parser.add_argument("--scenes", action="store_true", help="print the scene after each step")
    parser.add_argument("--json", type=output_file, help="write the result here")
    parser.add_argument(
        "--ros", action="store_true", help="through running nodes, in the world that is loaded"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the task; 0 when it succeeded."""
    if not arguments.instruction.strip():
        raise ConfigurationError("instruction", "is empty; say what the robot is to do")
    if arguments.ros:
        _refuse_node_settings(arguments)
    result = _through_ros(arguments) if arguments.ros else _in_process(arguments)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(result, indent=2, default=str) + "\n")
    words = "succeeded" if result["success"] else "failed"
    sys.stdout.write(f"\n{words} ({result['reason']}): {printable(result['message'])}\n")
    if result["transcript"]:
        sys.stdout.write(f"transcript: {result['transcript']}\n")
    return 0 if result["success"] else 1


def _refuse_node_settings(arguments: argparse.Namespace) -> None:
    """Refuse what only the nodes can be told, rather than ignore it.

    Raises:
        ConfigurationError: Such an option was given.
    """
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = [name for name in _OF_NODES if getattr(arguments, name) != parser.get_default(name)]
    if given:
        from malmm_ros.bringup import SYSTEMS

        arguments_of = {item.name for item in SYSTEMS["sim"].arguments}
        raise ConfigurationError(
            f"--{given[0].replace('_', '-')}",
            "is the nodes' own setting and has no effect with --ros; "
            + (
                "give it to `malmm up sim` or `ros2 launch`"
                if given[0] in arguments_of
                else "what nodes have of it is among their parameters: see config/sim.yaml"
            ),
        )


def _in_process(arguments: argparse.Namespace) -> dict[str, Any]:
    # Imported here, so that `malmm --help` stays quick.
    from malmm_ros.simulation import make_world

    world = make_world(arguments.world, coppeliasim=read_coppeliasim(arguments))
    try:
        return _run_in(world, arguments)
    finally:
        world.close()


def _run_in(world: World, arguments: argparse.Namespace) -> dict[str, Any]:
    from malmm_ros.agents import Budget, Desk, InjectionConfig, TeamConfig, build_team
    from malmm_ros.agents.role_models import read_role_models

    model, vision = read_model(arguments), read_vision(arguments)
    team = build_team(
        arguments.team or "malmm",
        model,
        config=TeamConfig(history=arguments.history),
        role_models=read_role_models(arguments.role_model, model),
        inject=InjectionConfig(probability=arguments.inject, seed=arguments.seed),
    )
    budget = Budget(wall_s=arguments.timeout) if arguments.timeout > 0.0 else Budget()
    task, options = _world(arguments)
    world.reset(task, arguments.seed, options=options)
    cancel = _cancel_on_interrupt()
    desk = Desk(
        approves_steps=arguments.approve,
        on_ask=lambda request: operator.show(request.summary, request.code),
    )
    operator = TerminalOperator(desk, cancel=cancel.cancel)
    _listen(operator, arguments)
    robot = _make_robot(world, vision, arguments)
    printer = ConversationPrinter(with_scenes=arguments.scenes)
    arguments.transcripts.mkdir(parents=True, exist_ok=True)
    _save_image(world, arguments.images, "before")
    outcome = team.run(
        arguments.instruction,
        robot,
        budget=budget,
        on_event=lambda event: printer.show(event.kind, event.agent, event.text),
        cancel=cancel,
        transcript=arguments.transcripts,
        operator=desk,
        world={
            "task": task,
            **({} if arguments.world == "mujoco" else {"simulator": arguments.world}),
            "seed": arguments.seed,
            "options": options,
            "motion": arguments.motion,
            "observations": arguments.observations,
            **({"vision": asdict(vision)} if arguments.observations == "vision" else {}),
        },
    )
    _save_image(world, arguments.images, "after")
    is_done, text = world.success()
    sys.stdout.write(f"\n{_describe_use(outcome)}\n")
    if arguments.inject > 0.0:
        sys.stdout.write(_describe_injections(outcome))
    sys.stdout.write(f"\nthe simulator's own condition for {task}: {text}\n")
    return {
        "success": outcome.is_success,
        "task_condition": is_done,
        **{key: value for key, value in asdict(outcome).items() if key != "is_success"},
    }


def _make_robot(world: World, vision: VisionConfig, arguments: argparse.Namespace) -> PlannedRobot:
    """The robot, sensing as the options say."""
    from malmm_ros.perception.phrases import find_phrases
    from malmm_ros.robots.simulated import simulated_robot
    from malmm_ros.robots.vision import seeing_robot

    if arguments.observations == "state":
        return simulated_robot(world, planner=arguments.motion)
    return seeing_robot(
        world,
        vision,
        planner=arguments.motion,
        phrases=find_phrases(arguments.instruction),
        seed=arguments.seed,
    )


def _world(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The task and options that were given, or those that the instruction needs."""
    options = parse_mapping(arguments.options, where="--options")
    if arguments.task:
        return arguments.task, options
    needed = choose_world(arguments.instruction)
    options = options or needed.options
    sys.stdout.write(f"world: {needed.task}, options {options} (choose with --task, --options)\n")
    return needed.task, options


def _through_ros(arguments: argparse.Namespace) -> dict[str, Any]:
    from malmm_ros.bringup.domain import dds_environment
    from malmm_ros.nodes.task_client import TaskClient

    os.environ.update(dds_environment())
    printer = ConversationPrinter(with_scenes=arguments.scenes)
    with TaskClient() as client:
        client.wait_for_nodes(timeout_s=10.0)
        operator = TerminalOperator(client, cancel=lambda _reason: client.cancel())
        _listen(operator, arguments)

        def show(event: Any) -> None:
            printer.show(event.kind, event.agent, event.text)
            if event.kind == "approval":
                step = json.loads(event.data)["data"]
                operator.show(step["summary"], step["code"])

        previous = on_interrupts(client.cancel)
        try:
            result = client.run(
                arguments.instruction,
                team=arguments.team,
                timeout_s=arguments.timeout,
                on_event=show,
            )
        finally:
            signal.signal(signal.SIGINT, previous)
    return {
        "success": result.success,
        "reason": result.reason,
        "message": result.message,
        "task_id": result.task_id,
        "transcript": result.transcript,
    }


def _describe_use(outcome: TaskResult) -> str:
    """What a run cost, in calls, tokens and, where the price is known, money."""
    usage = outcome.usage
    text = usage.describe()
    if outcome.unpriced_models:
        return f"{text}; no price is known for {', '.join(outcome.unpriced_models)} (see --prices)"
    return f"{text}, cost {usage.cost:.4f}"


def _describe_injections(outcome: TaskResult) -> str:
    """A line for each error that was put into the answers, and what became of it."""
    lines = [
        f"  {item.kind.replace('_', ' ')}, {item.role}, step {item.step + 1}: "
        f"{'detected' if item.is_detected else 'not detected'}, "
        f"{'recovered' if item.is_recovered else 'not recovered'}\n"
        for item in outcome.injections
    ]
    return f"injected errors: {len(lines) or 'none'}\n{''.join(lines)}"


def _listen(operator: TerminalOperator, arguments: argparse.Namespace) -> None:
    """Read what a person types, where there is one."""
    if arguments.approve or sys.stdin.isatty():
        sys.stdout.write(f"{HELP}\n")
        operator.start()


def _cancel_on_interrupt() -> CancelToken:
    token = CancelToken()
    on_interrupts(lambda: token.cancel("interrupted"))
    return token


def _save_image(world: Any, folder: Path | None, name: str) -> None:
    if folder is None:
        return
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(world.render("front").rgb).save(folder / f"{name}.png")
