"""The scene node with cameras: a bag of images is played to it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from malmm_ros.msg import SceneState
from malmm_ros.srv import DetectObjects
from rclpy.node import Node
from sensor_msgs.msg import Image

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.nodes.conversions import scene_value
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.waiting import call_service
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld

pytest.importorskip("rosbags", reason="the extra [bags] is not installed")

from malmm_ros.nodes.bags.player import BagPlayer

BAG = Path(__file__).parents[1] / "data" / "put_block_front"
COLOR, DEPTH = "/camera/front/color/image_raw", "/camera/front/depth/image_rect_raw"
RATE_HZ = 5.0
PATIENCE_S = 40.0


class Player:
    """Plays the bag in a thread, with what is left out changed as it goes."""

    def __init__(self, node: Node) -> None:
        self._bag = BagPlayer(node, BAG, frame_topic=COLOR)
        self.without: tuple[str, ...] = (COLOR, DEPTH)
        self.late_s = 0.0
        self._stop = threading.Event()
        self._bag.start()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        while not self._stop.wait(1.0 / RATE_HZ):
            self._bag.play_frame(time.time() - self.late_s, without=self.without)


class Eyes:
    """The scene node, what it says and what it sees."""

    def __init__(
        self,
        node: Node,
        environment: dict[str, str],
        group: ProcessGroup,
        *,
        cameras: tuple[str, ...] = ("front",),
    ) -> None:
        self.lines: list[str] = []
        self.scenes: list[Scene] = []
        self._watch = NodeWatch(node, ["scene"])
        self._detect = node.create_client(DetectObjects, "detect_objects")
        self._subscription = node.create_subscription(
            SceneState, "scene", lambda item: self.scenes.append(scene_value(item)), LATCHED
        )
        command = [sys.executable, "-m", "malmm_ros.nodes.scene", "--ros-args"]
        command += ["-p", "observations:=vision", "-p", "detect_timeout_s:=20"]
        command += ["-p", "patience_s:=1.5", "-p", f"vision.cameras:=[{','.join(cameras)}]"]
        group.start("scene", command, environment=environment)
        assert self._watch.wait_for(timeout_s=30.0) == ()

    def detect(self, *phrases: str, **fields: Any) -> Any:
        request = DetectObjects.Request(phrases=list(phrases), **fields)
        return call_service(self._detect, request, timeout_s=PATIENCE_S)

    def has_said(self, *words: str) -> bool:
        return any(all(word in line for word in words) for line in self.lines)


@pytest.fixture(scope="module")
def player(client: Node) -> Iterator[Player]:
    made = Player(client)
    yield made
    made.close()


@pytest.fixture(scope="module")
def eyes(client: Node, ros_environment: dict[str, str], player: Player) -> Iterator[Eyes]:
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        made = Eyes(client, ros_environment, group)
        made.lines = lines
        yield made


def test_silent_topics_are_named_every_few_seconds(
    eyes: Eyes, player: Player, wait_until: Callable[..., None]
) -> None:
    player.without = (DEPTH,)
    wait_until(
        lambda: eyes.has_said("waiting for", DEPTH.lstrip("/"), "silent for"), timeout_s=PATIENCE_S
    )
    assert not eyes.scenes


def test_scenes_come_from_the_images(
    eyes: Eyes, player: Player, wait_until: Callable[..., None]
) -> None:
    player.without = ()
    wait_until(lambda: len(eyes.scenes) >= 3, timeout_s=PATIENCE_S)
    scene = eyes.scenes[-1]
    assert scene.source == "vision"
    world = MujocoWorld()
    world.reset("put_block", 3)
    truth = world.ground_truth()
    for item in truth.objects:
        seen = [other for other in scene.objects if other.color == item.color]
        assert len(seen) == 1, scene.names
        offset = np.subtract(seen[0].pose.position, item.pose.position)
        assert np.linalg.norm(offset[:2]) < 0.015
    np.testing.assert_allclose(scene.gripper.tcp.position, truth.gripper.tcp.position, atol=0.005)
    assert scene.gripper.is_open
    assert any(item.grasp is not None for item in scene.objects)


def test_what_is_asked_for_is_looked_for_from_then_on(
    eyes: Eyes, player: Player, wait_until: Callable[..., None]
) -> None:
    player.without = ()
    found = eyes.detect("violet block")
    assert found.success, found.message
    assert [item.category for item in found.scene.objects] == ["block"]
    missing = eyes.detect("red jar")
    assert not missing.success
    assert "not seen: red jar; seen: " in missing.message
    wait_until(lambda: eyes.scenes[-1].missing == ("red jar",), timeout_s=PATIENCE_S)


def test_a_new_task_forgets_what_the_last_one_spoke_of(
    eyes: Eyes, player: Player, wait_until: Callable[..., None]
) -> None:
    player.without = ()
    eyes.detect("red jar")
    wait_until(lambda: eyes.scenes[-1].missing == ("red jar",), timeout_s=PATIENCE_S)
    assert eyes.detect().success  # looks again for the same
    assert eyes.scenes[-1].missing == ("red jar",)
    eyes.detect("banana", implied=["lid"], is_new_task=True)
    wait_until(lambda: eyes.scenes[-1].missing == ("banana",), timeout_s=PATIENCE_S)
    eyes.detect(is_new_task=True)
    wait_until(lambda: eyes.scenes[-1].missing == (), timeout_s=PATIENCE_S)


def test_images_that_cannot_be_used_are_told_of(
    client: Node, eyes: Eyes, player: Player, wait_until: Callable[..., None]
) -> None:
    player.without = (DEPTH,)
    publisher = client.create_publisher(Image, DEPTH, 10)
    wrong = Image(height=240, width=320, encoding="16UC1", step=640, data=bytes(320 * 480))

    def publish() -> None:
        now_s = time.time()
        wrong.header.stamp.sec = int(now_s)
        wrong.header.stamp.nanosec = int(now_s % 1.0 * 1e9)
        publisher.publish(wrong)

    timer = client.create_timer(0.02, publish)
    try:
        wait_until(
            lambda: eyes.has_said("depth image is 320 × 240", "camera_info says 640 × 480"),
            timeout_s=PATIENCE_S,
        )
    finally:
        client.destroy_timer(timer)
        client.destroy_publisher(publisher)


@pytest.mark.parametrize(
    ("late_s", "words"), [(60.0, "stale frame"), (-60.0, "ahead of our clock")]
)
def test_images_of_another_time_are_refused(
    eyes: Eyes, player: Player, wait_until: Callable[..., None], late_s: float, words: str
) -> None:
    player.without, player.late_s = (), late_s
    try:
        wait_until(lambda: eyes.has_said("waiting for", words), timeout_s=PATIENCE_S)
    finally:
        player.late_s = 0.0


def test_a_silent_camera_does_not_blind_the_other_and_is_named(
    client: Node,
    ros_environment: dict[str, str],
    player: Player,
    wait_until: Callable[..., None],
) -> None:
    player.without = ()
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        two_eyed = Eyes(client, ros_environment, group, cameras=("front", "overhead"))
        two_eyed.lines = lines
        wait_until(lambda: len(two_eyed.scenes) >= 3, timeout_s=PATIENCE_S)
        assert two_eyed.scenes[-1].objects
        wait_until(
            lambda: two_eyed.has_said("waiting for", "camera/overhead/", "silent for"),
            timeout_s=PATIENCE_S,
        )
