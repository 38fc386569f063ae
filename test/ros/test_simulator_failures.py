"""What fails inside the simulator node is told, and goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from malmm_ros.srv import CheckSuccess
from rclpy.node import Node
from sensor_msgs.msg import Image

from malmm_ros.nodes.simulator import SimulatorConfig, cameras
from malmm_ros.nodes.simulator.cameras import CameraPublishers
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.nodes.simulator.sensors import CameraSensors
from malmm_ros.nodes.simulator.tasks import TaskServices
from malmm_ros.nodes.waiting import call_service
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.rendering import CameraRenderer

CONFIG = SimulatorConfig(cameras=("front",), image_width_px=64, image_height_px=48)
SENSORS = CameraSensors(CONFIG.cameras, seed=0, config=None)


@pytest.fixture
def physics() -> Iterator[PhysicsThread]:
    world = MujocoWorld()
    world.reset("stack_blocks", seed=3)
    thread = PhysicsThread(world, speed=0.0, on_batch=lambda *_: None, on_failure=lambda _: None)
    thread.start()
    yield thread
    thread.close()


def test_an_error_that_nobody_expected_is_an_answer_too(
    client: Node, physics: PhysicsThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: MujocoWorld) -> Any:
        raise ZeroDivisionError("a bug in a task")

    monkeypatch.setattr(MujocoWorld, "success", broken)
    TaskServices(client, CONFIG, physics=physics, on_load=lambda _: None)
    service = client.create_client(CheckSuccess, "check_success")
    answer = call_service(service, CheckSuccess.Request(), timeout_s=10.0)
    assert not answer.success
    assert "ZeroDivisionError: a bug in a task" in answer.message


def test_images_come_again_after_the_renderer_broke(
    client: Node, physics: PhysicsThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cameras, "_RETRY_S", 0.1)
    is_broken = threading.Event()

    class Fragile(CameraRenderer):
        made = 0

        def __init__(self, *arguments: Any, **options: Any) -> None:
            Fragile.made += 1
            super().__init__(*arguments, **options)

        def render(self, *arguments: Any, **options: Any) -> Any:
            if is_broken.is_set():
                is_broken.clear()
                raise RuntimeError("the context is lost")
            return super().render(*arguments, **options)

    monkeypatch.setattr(cameras, "CameraRenderer", Fragile)
    images: queue.Queue[Image] = queue.Queue()
    subscription = client.create_subscription(
        Image, "camera/front/color/image_raw", images.put, 10
    )
    publishers = CameraPublishers(client, CONFIG, physics=physics, sensors=SENSORS)
    publishers.start()
    try:
        images.get(timeout=20.0)
        is_broken.set()
        while is_broken.is_set():
            images.get(timeout=20.0)
        images.get(timeout=20.0)
        images.get(timeout=20.0)
        assert Fragile.made == 2
    finally:
        publishers.close()
        client.destroy_subscription(subscription)
