"""How many scenes a second the scene node makes of 640 × 480 images, on one core.

Plays a bag of camera frames faster than the node can see, and counts what it publishes.

    python benchmarks/scene_rate.py test/data/put_block_front --json scene_rate.json
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import threading
import time
from pathlib import Path

import psutil
import rclpy
from malmm_ros.msg import SceneState
from rclpy.node import Node

from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.nodes.bags.player import BagPlayer
from malmm_ros.nodes.spinning import SpinThread

COLOR = "/camera/front/color/image_raw"


def main() -> int:
    """Do it; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bag", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0, help="of measuring")
    parser.add_argument("--rate", type=float, default=20.0, help="frames a second that are played")
    parser.add_argument("--phrases", default="", help="to look for, with commas between")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with DomainLease() as lease, ProcessGroup() as group:
        environment = lease.environment()
        os.environ.update(environment)
        command = [sys.executable, "-m", "malmm_ros.nodes.scene", "--ros-args"]
        command += ["-p", "observations:=vision"]
        words = [word.strip() for word in arguments.phrases.split(",") if word.strip()]
        if words:
            command += ["-p", f"vision.look_for:={json.dumps(words)}"]
        # On one core, with one thread for numbers.
        limits = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        pid = group.start("scene", command, environment=environment | limits)
        os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})
        result = measure(pid, arguments)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


def measure(pid: int, arguments: argparse.Namespace) -> dict[str, object]:
    """Play, and count from the first scene on."""
    rclpy.init()
    node = Node("scene_rate")
    arrived: list[float] = []
    scenes: list[SceneState] = []

    def receive(message: SceneState) -> None:
        arrived.append(time.monotonic())
        scenes.append(message)

    node.create_subscription(SceneState, "scene", receive, 10)
    player = BagPlayer(node, arguments.bag, frame_topic=COLOR)
    spinning = SpinThread(node, threads=2)
    player.start()
    process = psutil.Process(pid)
    pause = threading.Event()
    deadline = time.monotonic() + 60.0
    start, cpu_s, before, played = 0.0, 0.0, 0, 0
    due_s = time.monotonic()
    while not start or time.monotonic() < start + arguments.seconds:
        if not start and len(arrived) >= 5:  # warm
            start, cpu_s, before = time.monotonic(), process_s(process), len(arrived)
            played = 0
        if not start and time.monotonic() > deadline:
            raise SystemExit("no scene within 60 s")
        player.play_frame(time.time())
        played += 1
        # What cannot be played in time is left out, not made up for in a burst.
        due_s = max(due_s + 1.0 / arguments.rate, time.monotonic())
        pause.wait(due_s - time.monotonic())
    elapsed_s, made = time.monotonic() - start, len(arrived) - before
    used_s = process_s(process) - cpu_s
    gaps_s = [b - a for a, b in zip(arrived[before:-1], arrived[before + 1 :], strict=True)]
    spinning.close()
    node.destroy_node()
    rclpy.shutdown()
    return {
        "frames_per_s": round(played / elapsed_s, 2),
        "scenes_per_s": round(made / elapsed_s, 2),
        "median_gap_ms": round(1e3 * statistics.median(gaps_s), 1),
        "cpu_ms_per_scene": round(1e3 * used_s / made, 1),
        "cpu_share": round(used_s / elapsed_s, 2),
        "objects": [item.name for item in scenes[-1].objects],
        "load": os.getloadavg()[0],
    }


def process_s(process: psutil.Process) -> float:
    """CPU time of a process until now."""
    times = process.cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    sys.exit(main())
