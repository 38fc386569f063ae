"""Stops and releases the arm of a running system, for who has no ``ros2 service call``."""

from __future__ import annotations

import os
from typing import Any

from std_srvs.srv import Trigger

from malmm_ros.nodes.emergency import OPERATOR, RELEASE
from malmm_ros.nodes.spinning import SpinThread, own_node
from malmm_ros.nodes.waiting import call_service


def stop_arm(*, namespace: str, is_release: bool, timeout_s: float) -> str:
    """Call ``motion/stop`` or ``motion/release_stop`` and wait for the answer.

    Args:
        namespace: Of the system; empty: none.
        is_release: Release instead of stopping.
        timeout_s: Wall time for the node to be found, and to answer.

    Returns:
        The node's words.

    Raises:
        NodeDiedError: Nobody answers.
    """
    with own_node(f"malmm_stop_{os.getpid()}", namespace=namespace) as node:
        spinning = SpinThread(node, threads=2)
        try:
            client: Any = node.create_client(Trigger, RELEASE if is_release else OPERATOR)
            answer = call_service(
                client, Trigger.Request(), timeout_s=timeout_s, needed=("motion",)
            )
            return str(answer.message)
        finally:
            spinning.close()
