"""Images of cameras that somebody listens to, drawn in one thread of their own."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import MalmmError
from malmm_ros.nodes.images import depth_message, image_message
from malmm_ros.nodes.lens import camera_info_message
from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.nodes.simulator.sensors import CameraSensors
from malmm_ros.nodes.simulator.transforms import optical_frame
from malmm_ros.simulation import MujocoWorld, World
from malmm_ros.simulation.rendering import CameraRenderer

# Reliable, so that subscribers of either kind match; shallow, since old images are of no use.
_PROFILE = QoSProfile(depth=2, reliability=ReliabilityPolicy.RELIABLE)
# Between attempts after a failure, seconds of wall time.
_RETRY_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topics:
    color: Any
    depth: Any
    info: Any

    @property
    def are_heard(self) -> bool:
        publishers = (self.color, self.depth, self.info)
        return any(publisher.get_subscription_count() for publisher in publishers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """What is to be published.

    Attributes:
        model: To draw it from; ``None``: it is drawn already.
        state: Of the model.
        images: Those that the world has drawn itself.
    """

    model: Any = None
    state: NDArray[np.float64] | None = None
    images: tuple[RgbdImage, ...] = ()
    stamp_s: float
    generation: int
    sensors: CameraSensors


class CameraPublishers:
    """Publishes colour, depth and intrinsics per camera.

    Args:
        node: Ours.
        config: Of the node.
        physics: Owns the world; gives a copy of its state per round.
        sensors: What is between the world and the images, as long as this world is loaded.
    """

    def __init__(
        self,
        node: Node,
        config: SimulatorConfig,
        *,
        physics: PhysicsThread,
        sensors: CameraSensors,
    ) -> None:
        self._node, self._config, self._physics = node, config, physics
        self._sensors = sensors
        self._topics = {
            camera: _Topics(
                color=node.create_publisher(Image, f"camera/{camera}/color/image_raw", _PROFILE),
                depth=node.create_publisher(
                    Image, f"camera/{camera}/depth/image_rect_raw", _PROFILE
                ),
                info=node.create_publisher(
                    CameraInfo, f"camera/{camera}/color/camera_info", _PROFILE
                ),
            )
            for camera in config.cameras
        }
        self._renderer: CameraRenderer | None = None
        self._generation = -1
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cameras", daemon=True)

    def start(self) -> None:
        """Begin to look for listeners."""
        self._thread.start()

    def use(self, sensors: CameraSensors) -> None:
        """Another world was loaded; called in the thread that steps it."""
        self._sensors = sensors

    def hurry(self) -> None:
        """A motion has ended, which somebody wants to see: look now, not at the next turn."""
        self._wake.set()

    def close(self) -> None:
        """End the thread, which frees its OpenGL context."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def _run(self) -> None:
        period_s = 1.0 / self._config.camera_rate_hz
        while not self._stop.is_set():
            started_s = time.monotonic()
            heard = [name for name, topics in self._topics.items() if topics.are_heard]
            if heard:
                self._try_to_publish(heard)
            self._wake.wait(max(0.001, period_s - (time.monotonic() - started_s)))
            self._wake.clear()
        self._close_renderer()

    def _try_to_publish(self, cameras: list[str]) -> None:
        """Publish; after a failure say why and begin anew with another renderer, later."""
        try:
            self._publish(cameras)
            return
        except MalmmError as error:
            reason = str(error)
        except Exception:  # noqa: BLE001  # the thread must live on
            reason = traceback.format_exc()
        if self._stop.is_set():
            return
        self._node.get_logger().error(f"no images: {reason}")
        self._close_renderer()
        self._stop.wait(_RETRY_S)

    def _close_renderer(self) -> None:
        renderer, self._renderer = self._renderer, None
        if renderer is None:
            return
        try:
            renderer.close()
        except Exception:  # noqa: BLE001  # a broken context is given up either way
            self._node.get_logger().warning(f"closing a renderer: {traceback.format_exc()}")

    def _publish(self, cameras: list[str]) -> None:
        """Draw the same moment by each camera."""
        moment = self._physics.call(lambda world: self._take(world, cameras))
        images: Iterable[RgbdImage] = moment.images
        if moment.state is not None:
            renderer, state = self._renderer_of(moment), moment.state
            images = (renderer.render(camera, state) for camera in cameras)
        for camera, image in zip(cameras, images, strict=True):
            self._publish_image(camera, moment.sensors.apply(image), moment.stamp_s)

    def _publish_image(self, camera: str, image: RgbdImage, stamp_s: float) -> None:
        topics, frame = self._topics[camera], optical_frame(camera)
        encoding = self._config.depth_encoding
        topics.color.publish(image_message(image.rgb, stamp_s=stamp_s, frame=frame))
        topics.depth.publish(
            depth_message(image.depth, encoding=encoding, stamp_s=stamp_s, frame=frame)
        )
        topics.info.publish(camera_info_message(image.camera, stamp_s=stamp_s, frame=frame))

    def _take(self, world: World, cameras: list[str]) -> _Moment:
        """Copy the state, to be drawn in our own thread; other simulators draw it at once."""
        stamp_s, generation = self._physics.now_s, self._physics.generation
        if isinstance(world, MujocoWorld):
            return _Moment(
                model=world.physics.model,
                state=world.snapshot(),
                stamp_s=stamp_s,
                generation=generation,
                sensors=self._sensors,
            )
        return _Moment(
            images=tuple(world.render(camera) for camera in cameras),
            stamp_s=stamp_s,
            generation=generation,
            sensors=self._sensors,
        )

    def _renderer_of(self, moment: _Moment) -> CameraRenderer:
        """The renderer of the present model, made anew when another world was loaded."""
        if self._renderer is None or self._generation != moment.generation:
            self._close_renderer()
            self._renderer = CameraRenderer(
                moment.model,
                width_px=self._config.image_width_px,
                height_px=self._config.image_height_px,
            )
            self._generation = moment.generation
        return self._renderer
