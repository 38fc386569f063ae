"""A node that does nothing, to be killed; ``hang`` makes it ignore polite requests."""

from __future__ import annotations

import sys
import threading

from rclpy.node import Node

from malmm_ros.errors import ConfigurationError
from malmm_ros.nodes.runner import main as run_main


class SleepyNode(Node):
    def __init__(self) -> None:
        super().__init__("sleepy")
        if "broken" in sys.argv:
            raise ConfigurationError("node 'sleepy'", "is broken on purpose")
        self._say("ready")

    @staticmethod
    def _say(word: str) -> None:
        sys.stdout.write(word + "\n")
        sys.stdout.flush()

    def close(self) -> None:
        if "hang" in sys.argv:
            threading.Event().wait(60.0)
        self._say("closed")


if __name__ == "__main__":
    run_main(SleepyNode)
