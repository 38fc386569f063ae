"""The scene node: the one source of ``scene``, whatever it is sensed with."""

from __future__ import annotations

import threading
import time
from typing import Any, NoReturn

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.geometry import Pose
from malmm_ros.msg import GripperState, SceneObject, SceneState
from malmm_ros.nodes.conversions import pose_value, scene_message, seconds
from malmm_ros.nodes.moment import Moment
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.phrase_choice import choose
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.nodes.scene_configuration import SceneConfig
from malmm_ros.nodes.scene_display import SceneDisplay
from malmm_ros.nodes.state_source import StateSource
from malmm_ros.nodes.vision.perceiver import Perceived
from malmm_ros.nodes.vision.perception import PipelinePerceiver
from malmm_ros.nodes.vision.source import VisionSource
from malmm_ros.perception.phrases import read_phrase
from malmm_ros.srv import DetectObjects

# Scenes that are looked at while something that was asked for is missing.
_LOOKS = 4
# Beyond its box an object counts as between the fingers (metres): fingers reach past the tool
# point and grasps are proposed beside rims.
_AT_TOOL = 0.03


class SceneNode(Node):
    """Publishes ``scene``, markers and clouds; offers ``detect_objects``."""

    def __init__(self, **options: Any) -> None:
        super().__init__("scene", **options)
        self.config = declare_configuration(self, SceneConfig)
        self._display = SceneDisplay(self, rate_hz=self.config.marker_rate_hz)
        self._latest: SceneState | None = None
        self._held = ""
        self._sensed_s = float("-inf")
        self._count = 0
        self._arrived = threading.Condition()
        self._scene = self.create_publisher(SceneState, "scene", LATCHED)
        listening = MutuallyExclusiveCallbackGroup()
        self.create_subscription(
            GripperState, "gripper_state", self._on_gripper, LATCHED, callback_group=listening
        )
        self.create_service(
            DetectObjects, "detect_objects", self._on_detect,
            callback_group=ReentrantCallbackGroup(),
        )  # fmt: skip
        # Wall time: simulated time stands still while nothing is simulated.
        self._patience = self.create_timer(
            self.config.patience_s,
            self._say_what_is_missing,
            callback_group=listening,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._source: StateSource | VisionSource = self._make_source()

    def close(self) -> None:
        """End the source's threads."""
        self._source.close()

    def _make_source(self) -> StateSource | VisionSource:
        if self.config.observations == "state":
            return StateSource(self, on_scene=lambda message: self._publish(message, _now_s()))
        return VisionSource(
            self,
            self.config.vision,
            perceiver=PipelinePerceiver(
                self.config.pipeline, robot_name=self.config.vision.robot_name
            ),
            held=lambda: self._held,
            on_perceived=self._on_perceived,
        )

    def _on_gripper(self, message: GripperState) -> None:
        self._held = message.held_object

    def _on_perceived(self, perceived: Perceived, sensed_s: float) -> None:
        self._display.perceived(perceived)
        self._publish(scene_message(perceived.scene), sensed_s)

    def _publish(self, message: SceneState, sensed_s: float) -> None:
        """Publish a scene.

        Args:
            message: What it holds is marked here.
            sensed_s: Wall time from which on it was sensed.
        """
        mark_held(message, self._held)
        with self._arrived:
            self._latest, self._sensed_s = message, sensed_s
            self._count += 1
            self._arrived.notify_all()
        self._scene.publish(message)
        self._display.scene(message)

    def _on_detect(
        self, request: DetectObjects.Request, response: DetectObjects.Response
    ) -> DetectObjects.Response:
        phrases = [phrase for phrase in request.phrases if phrase.strip()]
        wanted = [read_phrase(phrase) for phrase in phrases]
        wanted += [read_phrase(text, is_implied=True) for text in request.implied if text.strip()]
        if wanted or request.is_new_task:
            self._source.look_for(wanted)
        message = self._wait_for(phrases)
        if message is None:
            silence_s = min(1.0, self.config.longest_detect_s)
            why = "; ".join(self._source.missing(longer_than_s=silence_s)) or "nothing fresh came"
            response.message = f"no scene within {self.config.longest_detect_s:g} s: {why}"
            return response
        chosen, missing = choose(message, phrases)
        response.scene = chosen
        response.success = not missing
        response.message = (
            f"not seen: {', '.join(missing)}; seen: "
            f"{', '.join(item.name for item in message.objects) or 'nothing'}"
            if missing
            else f"{len(chosen.objects)} objects"
        )
        return response

    def _wait_for(self, phrases: list[str]) -> SceneState | None:
        """A scene that was sensed after now, by our own ears and by the scene's clock.

        A newcomer is believed when it was seen several times: some more scenes are waited for
        while something that was asked for is missing.
        """
        asked_s, after = _now_s(), Moment(self)
        deadline_s = asked_s + self.config.longest_detect_s
        found: SceneState | None = None
        count = -1

        def is_fresh() -> bool:
            return (
                self._latest is not None
                and self._count != count
                and self._sensed_s >= asked_s
                and seconds(self._latest.header.stamp) >= after.stamp_s() - 1e-6
            )

        for _ in range(_LOOKS):
            with self._arrived:
                if not self._arrived.wait_for(is_fresh, deadline_s - _now_s()):
                    return found
                found, count = self._latest, self._count
            assert found is not None
            if not choose(found, phrases)[1]:
                break
        return found

    def _say_what_is_missing(self) -> None:
        words = self._source.missing(longer_than_s=self.config.patience_s)
        if words:
            self.get_logger().info(f"waiting for {', '.join(words)}")


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


def _now_s() -> float:
    return time.monotonic()


def main() -> NoReturn:
    """Run the node as this process."""
    run_main(SceneNode, threads=4)


if __name__ == "__main__":
    main()
