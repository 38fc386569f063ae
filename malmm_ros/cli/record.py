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
    from malmm_ros.bringup.domain import dds_environment

    os.environ.update(dds_environment())
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    folder = arguments.output or Path("runs") / f"bag-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    counts = _record(folder, arguments, stop)
    total = sum(counts.values())
    for topic, count in sorted(counts.items()):
        sys.stdout.write(f"{count:8}  {topic}\n")
    sys.stdout.write(f"{total} messages in {folder}\n")
    if not total:
        sys.stderr.write("malmm record: nothing came; is a system running in this ROS domain?\n")
    return 0 if total else 1


def _record(folder: Path, arguments: argparse.Namespace, stop: threading.Event) -> dict[str, int]:
    import rclpy
    from rclpy.node import Node
    from rclpy.signals import SignalHandlerOptions

    from malmm_ros.nodes.bags.recorder import Recorder
    from malmm_ros.nodes.bags.topics import wanted_topics
    from malmm_ros.nodes.spinning import SpinThread

    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(f"malmm_record_{os.getpid()}", context=context)
    try:
        recorder = Recorder(
            node,
            folder,
            wanted=wanted_topics(
                cameras=_words(arguments.cameras),
                more=_words(arguments.topics),
                namespace=arguments.namespace,
            ),
        )
        sys.stdout.write(f"recording to {folder}; Ctrl-C ends it\n")
        sys.stdout.flush()
        spinning = SpinThread(node, threads=2)
        stop.wait(arguments.duration or None)
        spinning.close(timeout_s=2.0)
        recorder.close()
        return recorder.counts
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
