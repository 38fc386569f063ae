"""What RViz is shown of scenes, at its own pace."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

from malmm_ros.errors import MalmmError
from malmm_ros.msg import SceneState
from malmm_ros.nodes.conversions import scene_value
from malmm_ros.nodes.images import cloud_message
from malmm_ros.nodes.markers import MarkerBoard, grasp_markers, held_markers, object_markers
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.vision.perceiver import Perceived


class SceneDisplay:
    """Publishes markers and clouds of the newest scene, when somebody listens.

    Args:
        node: Ours.
        rate_hz: How often at most, wall time.
    """

    def __init__(self, node: Node, *, rate_hz: float) -> None:
        self._node = node
        self._scene: SceneState | None = None
        self._perceived: Perceived | None = None
        self._boards = {
            topic: (node.create_publisher(MarkerArray, topic, LATCHED), MarkerBoard())
            for topic in ("scene_markers", "grasp_markers", "held_markers")
        }
        self._cloud = node.create_publisher(PointCloud2, "object_cloud", LATCHED)
        node.create_timer(
            1.0 / rate_hz,
            self._on_time,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def scene(self, message: SceneState) -> None:
        """Show this scene from now on."""
        self._scene = message

    def perceived(self, perceived: Perceived) -> None:
        """Show these points and grasps from now on."""
        self._perceived = perceived

    def _on_time(self) -> None:
        message, perceived = self._scene, self._perceived
        if message is None:
            return
        try:
            self._show_markers(message, perceived)
            self._show_cloud(perceived)
        except MalmmError as error:
            self._node.get_logger().warning(f"nothing to show: {error}")

    def _show_markers(self, message: SceneState, perceived: Perceived | None) -> None:
        heard = [topic for topic, (item, _) in self._boards.items() if _is_heard(item)]
        if not heard:
            return
        scene = scene_value(message)
        for topic in heard:
            if topic == "scene_markers":
                markers = object_markers(scene)
            elif topic == "held_markers":
                markers = held_markers(scene)
            else:
                markers = grasp_markers(scene, {} if perceived is None else perceived.grasps)
            publisher, board = self._boards[topic]
            publisher.publish(board.show(markers, scene.stamp_s))

    def _show_cloud(self, perceived: Perceived | None) -> None:
        if perceived is not None and _is_heard(self._cloud):
            stamp_s = perceived.scene.stamp_s
            self._cloud.publish(cloud_message(perceived.cloud(), stamp_s=stamp_s))


def _is_heard(publisher: Any) -> bool:
    return bool(publisher.get_subscription_count())
