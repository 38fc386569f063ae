"""Scenes from the simulator's own poses."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from malmm_ros.msg import SceneState
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.perception.phrases import ObjectPhrase


class StateSource:
    """Passes ``ground_truth`` on.

    Args:
        node: Ours.
        on_scene: Called with each scene, whose message it may change.
    """

    def __init__(self, node: Node, *, on_scene: Callable[[SceneState], None]) -> None:
        self._on_scene = on_scene
        self._started_s = time.monotonic()
        self._heard_s: float | None = None
        node.create_subscription(
            SceneState,
            "ground_truth",
            self._on_truth,
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def close(self) -> None:
        """Nothing to end."""

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> None:
        """The simulator tells of everything anyway."""

    def missing(self, *, longer_than_s: float) -> list[str]:
        """Words about what keeps scenes away; empty when all is well."""
        waited_s = time.monotonic() - (self._heard_s or self._started_s)
        if waited_s < longer_than_s:
            return []
        return [f"ground_truth (silent for {waited_s:.0f} s); is the simulator running?"]

    def _on_truth(self, message: SceneState) -> None:
        self._heard_s = time.monotonic()
        self._on_scene(message)
