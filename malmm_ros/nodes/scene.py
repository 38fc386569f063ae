"""The scene node: the one source of ``scene``, whatever it is sensed with."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from malmm_ros.errors import ConfigurationError, MalmmError
from malmm_ros.geometry import Pose
from malmm_ros.msg import GripperState, SceneObject, SceneState
from malmm_ros.nodes.conversions import pose_value, scene_value, seconds
from malmm_ros.nodes.markers import SceneMarkers
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.srv import DetectObjects

# Between reminders that nothing is sensed, seconds of wall time.
_PATIENCE_S = 5.0
# Beyond its box an object counts as between the fingers (metres): fingers reach past the tool
# point and grasps are proposed beside rims.
_AT_TOOL = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneConfig:
    """Where scenes come from.

    Attributes:
        observations: state takes the simulator's own poses.
        detect_timeout_s: Longest wait for a fresh scene, seconds of wall time.
        marker_rate_hz: How often markers for RViz are renewed at most.
    """

    observations: Literal["state"] = "state"
    detect_timeout_s: float = 5.0
    marker_rate_hz: float = field(default=5.0, metadata={"range": (0.1, 50.0)})

    def __post_init__(self) -> None:
        for name in ("detect_timeout_s", "marker_rate_hz"):
            if getattr(self, name) <= 0.0:
                raise ConfigurationError(name, f"must be positive, got {getattr(self, name)}")


class SceneNode(Node):
    """Publishes ``scene`` and ``scene_markers``; offers ``detect_objects``."""

    def __init__(self, **options: Any) -> None:
        super().__init__("scene", **options)
        self.config = declare_configuration(self, SceneConfig)
        self._markers = SceneMarkers()
        self._latest: SceneState | None = None
        self._held = ""
        self._received_s = float("-inf")
        self._arrived = threading.Condition()
        self._scene = self.create_publisher(SceneState, "scene", LATCHED)
        self._marker_publisher = self.create_publisher(MarkerArray, "scene_markers", LATCHED)
        listening = MutuallyExclusiveCallbackGroup()
        self.create_subscription(
            SceneState, "ground_truth", self._on_truth, LATCHED, callback_group=listening
        )
        self.create_subscription(
            GripperState, "gripper_state", self._on_gripper, LATCHED, callback_group=listening
        )
        self.create_service(
            DetectObjects, "detect_objects", self._on_detect,
            callback_group=ReentrantCallbackGroup(),
        )  # fmt: skip
        # Wall time: simulated time stands still while nothing is simulated.
        self.create_timer(
            1.0 / self.config.marker_rate_hz,
            self._on_marker_time,
            callback_group=listening,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._waiting_since_s = time.monotonic()
        self._patience = self.create_timer(
            _PATIENCE_S,
            self._say_what_is_missing,
            callback_group=listening,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _on_gripper(self, message: GripperState) -> None:
        self._held = message.held_object

    def _on_truth(self, message: SceneState) -> None:
        mark_held(message, self._held)
        with self._arrived:
            self._latest, self._received_s = message, time.monotonic()
            self._arrived.notify_all()
        self._scene.publish(message)

    def _on_detect(
        self, request: DetectObjects.Request, response: DetectObjects.Response
    ) -> DetectObjects.Response:
        message = self._wait_for_fresh()
        if message is None:
            response.message = (
                f"no scene within {self.config.detect_timeout_s:g} s: nothing publishes "
                "ground_truth; is the simulator running?"
            )
            return response
        chosen, missing = choose(message, list(request.phrases))
        response.scene = chosen
        response.success = not missing
        response.message = (
            f"not seen: {', '.join(missing)}; seen: "
            f"{', '.join(item.name for item in message.objects) or 'nothing'}"
            if missing
            else f"{len(chosen.objects)} objects"
        )
        return response

    def _wait_for_fresh(self) -> SceneState | None:
        """A scene that was sensed after now, by our own ears and by the scene's clock."""
        asked_s, stamp_s = time.monotonic(), self.get_clock().now().nanoseconds * 1e-9

        def is_fresh() -> bool:
            return (
                self._latest is not None
                and self._received_s >= asked_s
                and seconds(self._latest.header.stamp) >= stamp_s - 1e-6
            )

        with self._arrived:
            if self._arrived.wait_for(is_fresh, self.config.detect_timeout_s):
                return self._latest
        return None

    def _on_marker_time(self) -> None:
        if self._latest is None or self._marker_publisher.get_subscription_count() == 0:
            return
        try:
            self._marker_publisher.publish(self._markers.update(scene_value(self._latest)))
        except MalmmError as error:
            self.get_logger().warning(f"no markers: {error}")

    def _say_what_is_missing(self) -> None:
        if self._latest is not None:
            self._patience.cancel()
            return
        waited = time.monotonic() - self._waiting_since_s
        self.get_logger().info(
            f"waiting for ground_truth from the simulator, {waited:.0f} s so far"
        )


def mark_held(message: SceneState, name: str) -> None:
    """Write into a scene what the hand holds.

    The node that moves the hand knows it, but may not know yet that the world was replaced: what
    is far from the tool point, or in an open hand, is not held.

    Args:
        message: Changed in place.
        name: Of the object; empty when nothing is held.
    """
    held = ""
    if name and not message.gripper.is_open:
        tcp = pose_value(message.gripper.tcp)
        held = next(
            (
                item.name
                for item in message.objects
                if item.name == name and _is_at_tool(item, tcp)
            ),
            "",
        )
    message.gripper.held_object, message.gripper.is_holding = held, bool(held)
    for item in message.objects:
        item.is_held = bool(held) and item.name == held


def _is_at_tool(item: SceneObject, tcp: Pose) -> bool:
    """Whether the tool point lies in an object's box, or at most a fingertip beside it."""
    x, y, z = (pose_value(item.pose).inverse() @ tcp).position
    size = item.size
    return all(
        abs(offset) <= 0.5 * extent + _AT_TOOL
        for offset, extent in ((x, size.x), (y, size.y), (z, size.z))
    )


def choose(message: SceneState, phrases: list[str]) -> tuple[SceneState, list[str]]:
    """Keep the objects that phrases speak of.

    A phrase speaks of an object when each of its words is in the object's name, colour or
    category.

    Returns:
        The scene with these objects (all, without phrases), and the phrases that fit none.
    """
    if not phrases:
        return message, []
    words = {
        item.name: f"{item.name} {item.color} {item.category}".lower().split()
        for item in message.objects
    }
    fits = {
        phrase: {
            name for name, known in words.items() if set(phrase.lower().split()) <= set(known)
        }
        for phrase in phrases
    }
    kept = set().union(*fits.values())
    chosen = SceneState(
        header=message.header,
        source=message.source,
        objects=[item for item in message.objects if item.name in kept],
        gripper=message.gripper,
    )
    return chosen, [phrase for phrase, names in fits.items() if not names]


def main() -> NoReturn:
    """Run the node as this process."""
    run_main(SceneNode, threads=4)


if __name__ == "__main__":
    main()
