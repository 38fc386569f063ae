"""The front door: ``malmm COMMAND``; each command is one file, imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from malmm_ros import __version__
from malmm_ros.errors import (
    ConfigurationError,
    MalmmError,
    MissingDependencyError,
    ModelError,
    suggest,
)

# A command's module offers EXAMPLE, add_arguments(parser) and run(arguments) -> exit code.
COMMANDS = {
    "run": ("malmm_ros.cli.run", "carry out one instruction"),
    "evaluate": ("malmm_ros.cli.evaluate", "success rates over seeded episodes"),
    "cooperate": ("malmm_ros.cli.cooperate", "teams of agents that share a task and talk"),
    "bench": ("malmm_ros.cli.bench", "how fast each part is on this machine"),
    "up": ("malmm_ros.cli.up", "start the nodes of a system: sim, real, cooperation"),
    "stop": ("malmm_ros.cli.stop", "brake the arm of a running system, or release it"),
    "record": ("malmm_ros.cli.record", "what a running system publishes, into an MCAP bag"),
    "replay": ("malmm_ros.cli.replay", "a recorded task again, with the recorded answers"),
    "calibrate": ("malmm_ros.cli.calibrate", "find where a camera is, from images of a board"),
    "doctor": ("malmm_ros.cli.doctor", "say what is installed, what works and what is missing"),
    "offline-model": (
        "malmm_ros.cli.offline_model",
        "serve the rule-based stand-in as an OpenAI-compatible endpoint",
    ),
}

USAGE_ERROR, FAILURE = 2, 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 for success, 2 for wrong usage or configuration, 1 for any other failure.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help", "help"):
        sys.stdout.write(overview())
        return 0 if words else USAGE_ERROR
    if words[0] == "--version":
        sys.stdout.write(f"malmm {__version__}\n")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        sys.stderr.write(f"malmm: command {name!r} is unknown; {suggest(name, COMMANDS)}\n")
        return USAGE_ERROR
    try:
        module = importlib.import_module(COMMANDS[name][0])
        return int(module.run(make_parser(name, module).parse_args(rest)))
    except (ConfigurationError, MissingDependencyError) as error:
        sys.stderr.write(f"malmm {name}: {error}\n")
        return USAGE_ERROR
    except MalmmError as error:
        sys.stderr.write(f"malmm {name}: {error}\n")
        is_missing_key = isinstance(error, ModelError) and error.category == "no_key"
        return USAGE_ERROR if is_missing_key else FAILURE
    except KeyboardInterrupt:
        sys.stderr.write(f"malmm {name}: interrupted\n")
        return FAILURE


def overview() -> str:
    """The list of commands, as ``malmm --help`` prints it."""
    lines = [f"  {name:<14} {summary}" for name, (_, summary) in COMMANDS.items()]
    return (
        "malmm: tell a robot arm in plain words what to do\n\n"
        "usage: malmm COMMAND [options]\n\n" + "\n".join(lines) + "\n\n"
        "`malmm COMMAND --help` says more, with an example.\n"
    )


def make_parser(name: str, module: ModuleType) -> argparse.ArgumentParser:
    """The parser of a command."""
    parser = argparse.ArgumentParser(
        prog=f"malmm {name}",
        description=COMMANDS[name][1],
        epilog=f"example: {module.EXAMPLE}",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    module.add_arguments(parser)
    return parser
