"""One recording from beginning to end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from malmm_ros.nodes.bags.recorder import Recorder
from malmm_ros.nodes.spinning import SpinThread, own_node


def record(
    folder: Path,
    *,
    wanted: Sequence[str],
    stop: threading.Event,
    duration_s: float | None = None,
    on_ready: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Record until told to stop, then finish the file.

    Args:
        folder: Of the bag; must not exist.
        wanted: Absolute names of topics, or patterns.
        stop: Ends it.
        duration_s: Wall time after which it ends anyway; ``None``: never.
        on_ready: Called when it has begun.

    Returns:
        Messages by topic.

    Raises:
        MissingDependencyError: ``rosbags`` is not installed.
        ConfigurationError: The folder exists or cannot be made.
    """
    with own_node(f"malmm_record_{os.getpid()}") as node:
        recorder = Recorder(node, folder, wanted=wanted)
        spinning = SpinThread(node, threads=2)
        on_ready()
        stop.wait(duration_s)
        spinning.close(timeout_s=2.0)
        recorder.close()
        return recorder.counts
