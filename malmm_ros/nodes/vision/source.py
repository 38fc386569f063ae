"""Scenes from cameras: waits for what belongs to one moment, and lets perception see it."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import sensor_msgs.msg
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import MalmmError, PerceptionError
from malmm_ros.geometry import WORLD, Pose
from malmm_ros.nodes.conversions import seconds
from malmm_ros.nodes.lens import Lens, rgbd_value
from malmm_ros.nodes.qos import LATCHED, STATIC_TRANSFORMS
from malmm_ros.nodes.vision.arm import ArmHistory
from malmm_ros.nodes.vision.cameras import CameraSubscriptions
from malmm_ros.nodes.vision.configuration import VisionSourceConfig
from malmm_ros.nodes.vision.extrinsics import Extrinsics
from malmm_ros.nodes.vision.frames import FrameBuffer
from malmm_ros.nodes.vision.matching import CameraFrame, FrameCollector, age_problem
from malmm_ros.nodes.vision.perceiver import Perceived, Perceiver
from malmm_ros.perception.phrases import ObjectPhrase, read_phrase

# Wall time that transforms and joint states have to catch up with an image.
_CATCH_UP_S = 0.3
_SLICE_S = 0.01
# Between repetitions of the same complaint, wall time.
_REPEAT_S = 5.0
_ADAPT_S = 1.0
_SAME_S = 1e-6


class VisionSource:
    """Sees in a thread of its own; the newest images win.

    Args:
        node: Ours.
        config: Which cameras.
        perceiver: Called in that thread only.
        held: What the hand holds by the node that moves it; empty: nothing.
        on_perceived: Called in that thread with each result, and the wall time at which the
            oldest of its images had arrived.
    """

    def __init__(
        self,
        node: Node,
        config: VisionSourceConfig,
        *,
        perceiver: Perceiver,
        held: Callable[[], str],
        on_perceived: Callable[[Perceived, float], None],
    ) -> None:
        self._node, self._config, self._perceiver = node, config, perceiver
        self._held, self._on_perceived = held, on_perceived
        self._extrinsics = (
            Extrinsics(Path(config.extrinsics), config.cameras) if config.extrinsics else None
        )
        self._lenses: dict[str, Lens] = {}
        self._frames = FrameBuffer(gap_s=config.transform_gap_s)
        self._arm = ArmHistory(config.robot_name, gap_s=config.transform_gap_s)
        self._collector: FrameCollector[CameraFrame] = FrameCollector(
            config.cameras, patience_s=config.camera_patience_s
        )
        self._changed = threading.Condition()
        # Before anybody asks, in each world.
        self._first_wanted = [read_phrase(text) for text in config.look_for]
        self._wanted: list[ObjectPhrase] | None = self._first_wanted
        # Images from before that show a world that was replaced since.
        self._reset_s = float("-inf")
        self._is_new_world = False
        self._complaints: dict[str, float] = {}
        self._problem, self._seen_s = "", time.monotonic()
        self._stop = threading.Event()
        self._subscribe()
        self._thread = threading.Thread(target=self._run, name="vision", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread after the images under way."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(timeout=1.0)

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> None:
        """From the next images on, instead of what was looked for before."""
        with self._changed:
            self._wanted = list(phrases)

    def missing(self, *, longer_than_s: float = 5.0) -> list[str]:
        """Words about what keeps us from seeing; empty when all is well."""
        words = self._cameras.silent(longer_than_s=longer_than_s)
        if words:
            return words
        # A motion faster than /tf tells of passes; what lasts has to be told of.
        lasts = time.monotonic() - self._seen_s >= longer_than_s
        return [self._problem] if self._problem and lasts else []

    def _subscribe(self) -> None:
        node, group = self._node, MutuallyExclusiveCallbackGroup()
        for topic, profile, is_static in (
            ("/tf", QoSProfile(depth=100), False),
            ("/tf_static", STATIC_TRANSFORMS, True),
        ):
            node.create_subscription(
                TFMessage,
                topic,
                lambda message, is_static=is_static: self._on_transforms(message, is_static),
                profile,
                callback_group=group,
            )
        for topic in dict.fromkeys((self._config.arm_states, self._config.gripper_states)):
            node.create_subscription(
                sensor_msgs.msg.JointState, topic, self._on_joints, 50, callback_group=group
            )
        node.create_subscription(
            Header, "world_reset", self._on_reset, LATCHED, callback_group=group
        )
        self._cameras = CameraSubscriptions(node, self._config, on_frame=self._on_frame)
        node.create_timer(
            _ADAPT_S,
            self._cameras.adapt,
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _on_transforms(self, message: TFMessage, is_static: bool) -> None:
        for words in self._frames.add(message.transforms, is_static=is_static):
            self._complain(words)

    def _on_joints(self, message: sensor_msgs.msg.JointState) -> None:
        try:
            self._arm.add(message)
        except MalmmError as error:
            self._complain(str(error))

    def _on_reset(self, message: Header) -> None:
        with self._changed:
            self._reset_s, self._is_new_world = seconds(message.stamp), True
        # Time may stand still over it: the arm of before would pass for the one of now.
        self._arm.begin(seconds(message.stamp))
        self._frames.begin(seconds(message.stamp))

    def _on_frame(self, frame: CameraFrame) -> None:
        with self._changed:
            self._collector.add(frame.camera, frame, frame.arrived_s)
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._stop.is_set():
            frames = self._next_frames()
            if not frames:
                continue
            try:
                self._see(frames)
            except MalmmError as error:
                self._problem = str(error)
            except Exception:  # noqa: BLE001  # top of the thread
                self._problem = "perception failed, see the log of the scene node"
                self._complain(f"perception failed:\n{traceback.format_exc()}")

    def _next_frames(self) -> list[CameraFrame]:
        with self._changed:
            due_s = self._collector.due_in(time.monotonic())
            if due_s == 0.0:
                return self._collector.take()
            self._changed.wait(0.5 if due_s is None else due_s)
        return []

    def _see(self, frames: list[CameraFrame]) -> None:
        frames = [frame for frame in frames if not self._is_outdated(frame.stamp_s)]
        if not frames:
            return
        frames, problems = self._of_now(frames)
        self._wait_for_the_arm(max(frame.stamp_s for frame in frames))
        images, unusable = self._images(frames)
        stamp_s = min(image.stamp_s for image in images)
        joints = self._arm.joints(stamp_s)
        gripper = self._arm.gripper(stamp_s, self._frames, held=self._held())
        with self._changed:
            wanted, self._wanted = self._wanted, None
            is_new_world, self._is_new_world = self._is_new_world, False
        if is_new_world:
            self._perceiver.forget()
            # What was asked for in the world before is not there to be missed.
            wanted = self._first_wanted if wanted is None else wanted
        if wanted is not None:
            self._perceiver.look_for(wanted)
        perceived = self._perceiver.update(images, joints=joints, gripper=gripper)
        self._problem, self._seen_s = "", time.monotonic()
        for words in (*problems, *unusable, *perceived.problems):
            self._complain(f"seeing without one camera: {words}")
        if perceived.is_settled:
            self._on_perceived(perceived, min(frame.arrived_s for frame in frames))

    def _of_now(self, frames: list[CameraFrame]) -> tuple[list[CameraFrame], list[str]]:
        """Those that were taken just now, and words about the others.

        Raises:
            PerceptionError: None was.
        """
        now_s = self._node.get_clock().now().nanoseconds * 1e-9
        words = [age_problem(frame, now_s, limit_s=self._config.max_age_s) for frame in frames]
        good = [frame for frame, problem in zip(frames, words, strict=True) if not problem]
        problems = [problem for problem in words if problem]
        if not good:
            raise PerceptionError("; ".join(problems))
        return good, problems

    def _is_outdated(self, stamp_s: float) -> bool:
        """Whether images show the world before it was replaced."""
        with self._changed:
            return stamp_s < self._reset_s - _SAME_S

    def _images(self, frames: list[CameraFrame]) -> tuple[list[RgbdImage], list[str]]:
        """The usable ones, and words about the others.

        Raises:
            PerceptionError: None is.
        """
        images, problems = [], []
        for frame in frames:
            try:
                images.append(self._image(frame))
            except PerceptionError as error:
                problems.append(str(error))
        if not images:
            raise PerceptionError("; ".join(problems))
        return images, problems

    def _image(self, frame: CameraFrame) -> RgbdImage:
        lens = self._lenses.get(frame.camera)
        if lens is None or not lens.describes(frame.info):
            lens = Lens(frame.info, is_rectified=self._config.are_rectified)
            self._lenses[frame.camera] = lens
        return rgbd_value(
            frame.color,
            frame.depth,
            lens,
            world_from_camera=self._place(frame),
            camera_name=frame.camera,
        )

    def _place(self, frame: CameraFrame) -> Pose:
        """``world_from_camera`` when the image was taken."""
        try:
            if self._extrinsics is None:
                optical = frame.color.header.frame_id.lstrip("/")
                return self._frames.lookup(WORLD, optical, frame.stamp_s)
            parent, pose = self._extrinsics.place(frame.camera)
            return self._frames.lookup(WORLD, parent, frame.stamp_s) @ pose
        except PerceptionError as error:
            raise PerceptionError(f"camera {frame.camera!r} has no pose: {error}") from error

    def _wait_for_the_arm(self, stamp_s: float) -> None:
        """Let joint states and transforms catch up with the images."""
        frame = f"{self._config.robot_name}_hand_tcp"
        deadline_s = time.monotonic() + _CATCH_UP_S
        while time.monotonic() < deadline_s and not self._stop.is_set():
            if min(self._arm.newest_s(), self._frames.newest_s(frame)) >= stamp_s:
                return
            self._stop.wait(_SLICE_S)

    def _complain(self, words: str) -> None:
        """Log, but the same words only now and then."""
        now_s = time.monotonic()
        if now_s - self._complaints.get(words[:60], float("-inf")) < _REPEAT_S:
            return
        self._complaints[words[:60]] = now_s
        self._node.get_logger().warning(words)
