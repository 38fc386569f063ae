"""``malmm record``: what a running system publishes, into an MCAP bag."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from malmm_ros.cli.argument_types import seconds

EXAMPLE = "malmm record --cameras front --output runs/my_task"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and what beside the documented topics."""
    parser.add_argument(
        "--output", type=Path, help="folder of the bag, new; empty: runs/bag-DATE-TIME"
    )
    parser.add_argument(
        "--cameras",
        default="",
        metavar="NAME,…",
        help="record the images of these cameras, too (they are rendered for it)",
    )
    parser.add_argument(
        "--topics", default="", metavar="NAME,…", help="further topics; * stands for anything"
    )
    parser.add_argument("--namespace", default="", help="of the system")
    parser.add_argument(
        "--duration", type=seconds, default=0.0, help="seconds of wall time; 0: until Ctrl-C"
    )


def run(arguments: argparse.Namespace) -> int:
    """Record until Ctrl-C; 0 when something was recorded."""
    # Imported here, so that `malmm --help` stays quick.
    from malmm_ros.bringup.domain import dds_environment
    from malmm_ros.nodes.bags.session import record
    from malmm_ros.nodes.bags.topics import wanted_topics

    os.environ.update(dds_environment())
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    folder = arguments.output or Path("runs") / f"bag-{datetime.now(UTC):%Y%m%d-%H%M%S}"

    def say_so() -> None:
        sys.stdout.write(f"recording to {folder}; Ctrl-C ends it\n")
        sys.stdout.flush()

    counts = record(
        folder,
        wanted=wanted_topics(
            cameras=_words(arguments.cameras),
            more=_words(arguments.topics),
            namespace=arguments.namespace,
        ),
        stop=stop,
        duration_s=arguments.duration or None,
        on_ready=say_so,
    )
    total = sum(counts.values())
    for topic, count in sorted(counts.items()):
        sys.stdout.write(f"{count:8}  {topic}\n")
    sys.stdout.write(f"{total} messages in {folder}\n")
    if not total:
        sys.stderr.write("malmm record: nothing came; is a system running in this ROS domain?\n")
    return 0 if total else 1


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
