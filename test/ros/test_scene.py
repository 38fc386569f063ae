from __future__ import annotations

import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import malmm_ros.msg
import pytest
from malmm_ros.msg import SceneState
from malmm_ros.srv import DetectObjects
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from visualization_msgs.msg import Marker, MarkerArray

from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.geometry import Pose
from malmm_ros.nodes.conversions import gripper_message, scene_message
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.scene import mark_held
from malmm_ros.nodes.waiting import call_service
from malmm_ros.scene import GripperState, Scene, SceneObject

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SCENE = [sys.executable, "-m", "malmm_ros.nodes.scene", "--ros-args"]


def scene(*names: str, stamp_s: float = 1.0) -> Scene:
    return Scene(
        stamp_s=stamp_s,
        objects=tuple(
            SceneObject(
                name=name,
                category="block",
                color=name.split()[0],
                pose=Pose((0.1 * index, 0.0, 0.78)),
                size=(0.05, 0.05, 0.05),
            )
            for index, name in enumerate(names)
        ),
        gripper=GripperState(tcp=Pose((0.0, 0.0, 1.0)), yaw=0.0, width=0.08, is_open=True),
    )


class Truth:
    """Publishes ground truth in the simulator's place, again and again, as it does."""

    def __init__(self, node: Node) -> None:
        self.value = scene("red block 1", "blue block 1")
        self._publisher = node.create_publisher(SceneState, "ground_truth", LATCHED)
        self._timer = node.create_timer(0.03, self.publish)

    def publish(self) -> None:
        self._publisher.publish(scene_message(self.value))


@pytest.fixture(scope="module")
def detect(client: Node, ros_environment: dict[str, str]) -> Iterator[Any]:
    watch = NodeWatch(client, ["scene"])
    service = client.create_client(DetectObjects, "detect_objects")
    with ProcessGroup() as group:
        parameters = ["-p", "use_sim_time:=true", "-p", "detect_timeout_s:=1"]
        parameters += ["-p", "marker_rate_hz:=20"]
        group.start("scene", [*SCENE, *parameters], environment=ros_environment)
        assert watch.wait_for(timeout_s=30.0) == ()

        def call(*phrases: str) -> Any:
            return call_service(
                service, DetectObjects.Request(phrases=list(phrases)), timeout_s=10.0
            )

        yield call
    watch.destroy()


def test_without_a_simulator_the_answer_says_so(detect: Any) -> None:
    answer = detect()
    assert not answer.success
    assert "is the simulator running?" in answer.message


@pytest.mark.parametrize(
    ("held", "tcp", "is_open", "expected"),
    [
        ("red block 1", (0.0, 0.0, 0.79), False, "red block 1"),
        ("red block 1", (0.0, 0.0, 0.79), True, ""),
        ("red block 1", (0.0, 0.0, 1.0), False, ""),
        ("blue block 1", (0.1, 0.02, 0.82), False, "blue block 1"),
        ("moon", (0.0, 0.0, 0.79), False, ""),
        ("", (0.0, 0.0, 0.79), False, ""),
    ],
)
def test_a_scene_says_what_is_held_when_that_can_be(
    held: str, tcp: tuple[float, float, float], is_open: bool, expected: str
) -> None:
    value = scene("red block 1", "blue block 1")
    gripper = replace(value.gripper, tcp=Pose(tcp, (1.0, 0.0, 0.0, 0.0)), is_open=is_open)
    message = scene_message(replace(value, gripper=gripper).with_held("blue block 1"))
    mark_held(message, held)
    assert message.gripper.held_object == expected
    assert message.gripper.is_holding == bool(expected)
    assert [item.name for item in message.objects if item.is_held] == [expected] * bool(expected)


def test_it_says_what_it_waits_for_and_ends_when_asked(
    ros_environment: dict[str, str], wait_until: Callable[..., None]
) -> None:
    lines: list[str] = []
    with ProcessGroup(on_line=lambda _, line: lines.append(line)) as group:
        command = [*SCENE, "-r", "__ns:=/alone", "-p", "use_sim_time:=true", "-p", "patience_s:=1"]
        pid = group.start("scene", command, environment=ros_environment)
        wait_until(
            lambda: any("waiting for ground_truth" in line for line in lines), timeout_s=25.0
        )
        os.kill(pid, signal.SIGINT)
        wait_until(group.dead, timeout_s=5.0)
        assert group.dead() == {"scene": 0}


def test_scenes_are_passed_on_detected_and_drawn(
    client: Node, detect: Any, wait_until: Callable[..., None]
) -> None:
    truth = Truth(client)
    scenes: queue.Queue[SceneState] = queue.Queue()
    markers: queue.Queue[MarkerArray] = queue.Queue()
    client.create_subscription(SceneState, "scene", scenes.put, LATCHED)
    client.create_subscription(MarkerArray, "scene_markers", markers.put, 10)
    assert [item.name for item in scenes.get(timeout=10.0).objects] == [
        "red block 1",
        "blue block 1",
    ]

    assert len(detect().scene.objects) == 2
    found = detect("red block")
    assert found.success
    assert [item.name for item in found.scene.objects] == ["red block 1"]
    missing = detect("green cup")
    assert not missing.success
    assert "not seen: green cup; seen: red block 1, blue block 1" in missing.message

    drawn = markers.get(timeout=10.0).markers
    assert {(marker.ns, marker.type) for marker in drawn} == {
        ("objects", Marker.CUBE),
        ("names", Marker.TEXT_VIEW_FACING),
    }
    number = next(marker.id for marker in drawn if marker.text == "blue block 1")

    truth.value = scene("red block 1", stamp_s=2.0)
    while True:
        gone = [
            marker
            for marker in markers.get(timeout=10.0).markers
            if marker.action == Marker.DELETE
        ]
        if gone:
            break
    assert {(marker.ns, marker.id) for marker in gone} == {("objects", number), ("names", number)}
    assert len(detect().scene.objects) == 1

    # What the node motion says to be in the hand is in the scene.
    gripper = replace(truth.value.gripper, tcp=Pose((0.0, 0.0, 0.78)), width=0.05, is_open=False)
    truth.value = replace(truth.value, gripper=gripper)
    hand = client.create_publisher(malmm_ros.msg.GripperState, "gripper_state", LATCHED)
    hand.publish(gripper_message(replace(gripper, held_object="red block 1"), stamp_s=2.0))
    wait_until(lambda: scenes.get(timeout=10.0).gripper.held_object, timeout_s=10.0)
    answer = detect()
    assert answer.scene.gripper.held_object == "red block 1"
    assert [item.is_held for item in answer.scene.objects] == [True]
