"""``malmm stop``: brake the arm of a running system, and let it move again."""

from __future__ import annotations

import argparse
import os
import sys

from malmm_ros.cli.argument_types import seconds

EXAMPLE = "malmm stop; malmm stop --release"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which way, and whom."""
    parser.add_argument("--release", action="store_true", help="let the arm move again")
    parser.add_argument("--namespace", default="", help="of the system")
    parser.add_argument(
        "--timeout", type=seconds, default=10.0, help="seconds to wait for the node motion"
    )


def run(arguments: argparse.Namespace) -> int:
    """Call the service; 0 when the node has answered."""
    # Imported here, so that `malmm --help` stays quick.
    from malmm_ros.bringup.domain import dds_environment
    from malmm_ros.nodes.stop_client import stop_arm

    os.environ.update(dds_environment())
    words = stop_arm(
        namespace=arguments.namespace,
        is_release=arguments.release,
        timeout_s=arguments.timeout,
    )
    sys.stdout.write(f"{words}\n")
    return 0
