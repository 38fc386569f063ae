"""Scenes from the ``scene`` topic: fresh ones, after things have come to rest."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node

import malmm_ros.msg
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.conversions import scene_value
from malmm_ros.nodes.liveness import RETURN_S, NodeWatch
from malmm_ros.nodes.moment import Moment
from malmm_ros.nodes.waiting import call_service
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.robots.rehearsal import moved_objects
from malmm_ros.scene import Scene
from malmm_ros.srv import DetectObjects

_REST_SPEED = 0.005  # m/s, as the simulator's own settling
_REST_TURN_SPEED = 0.1  # rad/s
# What is seen scatters from frame to frame, though it rests.
_SEEN_SCATTER = 0.0015  # m
_SEEN_TURN_SCATTER = 0.03  # rad
_REST_INTERVAL_S = 0.08  # of the scene's own time between two scenes that are compared
_KEPT = 400  # scenes; at the lowest speeds many have about the same stamp
_DETECT_TIMEOUT_S = 120.0  # wall time; longer than the scene node looks with large models
_REST_PATIENCE_S = 4.0  # wall time; what never rests is reported as it is


class SceneClient:
    """Keeps the newest scene; the node's executor must spin in other threads than the caller's.

    Args:
        node: Ours.
        watch: Watches ``scene`` and ``simulator``-like nodes; a lost one ends a wait.
        needed: Names whose death ends a wait.
        timeout_s: Wall time to wait for a scene.
    """

    def __init__(
        self, node: Node, *, watch: NodeWatch, needed: tuple[str, ...], timeout_s: float = RETURN_S
    ) -> None:
        self._node = node
        self._watch = watch
        self._needed = needed
        self._timeout_s = timeout_s
        self._arrived = threading.Condition()
        # With the wall time of arrival: a world that was just replaced has the same stamps.
        self._recent: deque[tuple[float, Scene]] = deque(maxlen=_KEPT)
        self._count = 0
        group = ReentrantCallbackGroup()
        self._detect: Any = node.create_client(
            DetectObjects, "detect_objects", callback_group=group
        )
        self._subscription = node.create_subscription(
            malmm_ros.msg.SceneState,
            "scene",
            self._receive,
            10,
            # In several threads a scene could overtake a newer one.
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    @property
    def latest(self) -> Scene | None:
        """The newest scene, however old."""
        return self._recent[-1][1] if self._recent else None

    def destroy(self) -> None:
        """Stop listening."""
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_client(self._detect)

    def wait_for_any(self, *, timeout_s: float) -> Scene:
        """The next scene that arrives, at rest or not.

        Raises:
            NodeDiedError: None does.
        """
        with self._arrived:
            count = self._count
            if not self._arrived.wait_for(lambda: self._count > count, timeout_s):
                raise NodeDiedError(self._needed[0], f"no scene within {timeout_s:g} s")
            return self._recent[-1][1]

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> str:
        """Tell the scene node what a task speaks of, where it sees with cameras.

        It looks for that instead of what the task before spoke of, also when that is nothing.

        Returns:
            Its words when something is not seen, else an empty text.

        Raises:
            NodeDiedError: A needed node is gone, or no scene comes.
        """
        newest = self.latest or self.wait_for_any(timeout_s=self._timeout_s)
        if newest.source != "vision":
            return ""
        answer = call_service(
            self._detect,
            DetectObjects.Request(
                phrases=[item.text for item in phrases if not item.is_implied],
                implied=[item.text for item in phrases if item.is_implied],
                is_new_task=True,
            ),
            timeout_s=_DETECT_TIMEOUT_S,
            watch=self._watch,
            needed=self._needed[:1],
        )
        return "" if answer.success else str(answer.message)

    def observe(self) -> Scene:
        """Wait for a scene sensed from now on in which nothing moves any more.

        Raises:
            NodeDiedError: A needed node is gone, or no scene comes.
        """
        after = Moment(self._node)
        started = time.monotonic()
        with self._arrived:
            while True:
                waited = time.monotonic() - started
                scene = self._rested(started, after.stamp_s(), impatient=waited > _REST_PATIENCE_S)
                if scene is not None:
                    return scene
                self._check(waited)
                self._arrived.wait(0.05)

    def _receive(self, message: malmm_ros.msg.SceneState) -> None:
        scene = scene_value(message)
        with self._arrived:
            if self._recent and scene.stamp_s < self._recent[-1][1].stamp_s:
                self._recent.clear()  # the simulator was restarted, and its clock with it
            self._recent.append((time.monotonic(), scene))
            self._count += 1
            self._arrived.notify_all()

    def _rested(self, asked_at: float, after_s: float, *, impatient: bool) -> Scene | None:
        """The newest scene when it is fresh and equals an earlier one, else ``None``."""
        fresh = [
            scene
            for arrived_at, scene in self._recent
            if arrived_at >= asked_at and scene.stamp_s >= after_s - 1e-6
        ]
        if not fresh:
            return None
        newest = fresh[-1]
        for earlier in reversed(fresh[:-1]):
            passed_s = newest.stamp_s - earlier.stamp_s
            if passed_s and passed_s < _REST_INTERVAL_S:
                continue
            span_s = max(passed_s, _REST_INTERVAL_S)
            is_seen = newest.source == "vision"
            moved = moved_objects(
                earlier,
                newest,
                tolerance=_REST_SPEED * span_s + is_seen * _SEEN_SCATTER,
                yaw_tolerance=_REST_TURN_SPEED * span_s + is_seen * _SEEN_TURN_SCATTER,
            )
            return None if moved and not impatient else newest
        return newest if impatient else None

    def _check(self, waited_s: float) -> None:
        for name in filter(self._watch.is_lost, self._needed):
            raise NodeDiedError(name, f"node {name!r} is gone while we waited for a scene")
        if waited_s > self._timeout_s:
            missing = self._watch.missing(self._needed)
            name = missing[0] if missing else self._needed[0]
            raise NodeDiedError(
                name, f"no fresh scene within {self._timeout_s:g} s; check node {name!r}"
            )
