"""Write the bag of camera images that tests and ``benchmarks/scene_rate.py`` play.

The simulator shows the world ``put_block`` to its front camera, 640 × 480, with the noise of real
sensors, depth in millimetres; the arm stands at its ready pose. Five frames fit into 5 MB.

    python benchmarks/write_camera_bag.py test/data/put_block_front
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

import rclpy
from rclpy.node import Node

from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.nodes.bags.recorder import Recorder
from malmm_ros.nodes.spinning import SpinThread

TOPICS = ("/tf", "/tf_static", "/joint_states", "/camera/front/*")
FRAMES, RATE_HZ, SEED = 5, 2.0, 3
TIMEOUT_S = 60.0


def main() -> int:
    """Do it; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the bag, new")
    folder = parser.parse_args().folder
    with DomainLease() as lease, ProcessGroup() as group:
        environment = lease.environment()
        os.environ.update(environment)
        parameters = {
            "task": "put_block",
            "seed": SEED,
            "sensor_noise": "true",
            "depth_encoding": "16UC1",
            "camera_rate_hz": RATE_HZ,
            "joint_state_rate_hz": 20.0,
        }
        command = [sys.executable, "-m", "malmm_ros.nodes.simulator", "--ros-args"]
        for name, value in parameters.items():
            command += ["-p", f"{name}:={value}"]
        group.start("simulator", command, environment=environment)
        counts = record(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    sys.stdout.write(f"{counts}\n{size / 1e6:.2f} MB in {folder}\n")
    return 0


def record(folder: Path) -> dict[str, int]:
    """Record until enough frames have come."""
    rclpy.init()
    node = Node("write_camera_bag")
    recorder = Recorder(node, folder, wanted=TOPICS)
    spinning = SpinThread(node, threads=2)
    deadline = time.monotonic() + TIMEOUT_S
    pause = threading.Event()
    while recorder.counts.get("/camera/front/depth/image_rect_raw", 0) < FRAMES:
        if time.monotonic() > deadline:
            raise SystemExit(f"no images within {TIMEOUT_S:g} s: {recorder.counts}")
        pause.wait(0.02)
    spinning.close()
    recorder.close()
    node.destroy_node()
    rclpy.shutdown()
    return recorder.counts


if __name__ == "__main__":
    sys.exit(main())
