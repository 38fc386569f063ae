"""Every display of config/malmm.rviz has its topic, its frames and sound values."""

from __future__ import annotations

import math
import queue
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import nav_msgs.msg
import numpy as np
import pytest
import rclpy
import yaml
from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import (
    DurabilityPolicy,
    LivelinessPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)
from sensor_msgs.msg import Image, PointCloud2
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.errors import PerceptionError
from malmm_ros.nodes.images import cloud_value
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.ros_robot import RosRobot
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.task_client import NODES
from malmm_ros.nodes.vision.frames import FrameBuffer

CONFIG = Path(__file__).parents[2] / "config" / "malmm.rviz"
MANAGER = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["Visualization Manager"]
FIXED_FRAME = MANAGER["Global Options"]["Fixed Frame"]
TYPES: dict[str, Any] = {
    "RobotModel": String,
    "PointCloud2": PointCloud2,
    "MarkerArray": MarkerArray,
    "Marker": Marker,
    "Path": nav_msgs.msg.Path,
    "Image": Image,
}
WITHOUT_TOPIC = {"Grid", "TF"}
# From a plan, a grasp, or a first look: it takes a while.
TIMEOUT_S = 40.0


def displays() -> dict[str, dict[str, Any]]:
    """By name; those with a topic of their own."""
    result = {}
    for item in MANAGER["Displays"]:
        kind = item["Class"].rpartition("/")[2]
        if kind in WITHOUT_TOPIC:
            continue
        topic = item.get("Topic") or item["Description Topic"]
        durability = {
            "Transient Local": DurabilityPolicy.TRANSIENT_LOCAL,
            "Volatile": DurabilityPolicy.VOLATILE,
        }[topic["Durability Policy"]]
        reliability = {
            "Reliable": ReliabilityPolicy.RELIABLE,
            "Best Effort": ReliabilityPolicy.BEST_EFFORT,
        }[topic["Reliability Policy"]]
        result[item["Name"]] = {
            "topic": topic["Value"],
            "type": TYPES[kind],
            "profile": QoSProfile(
                depth=topic["Depth"],
                durability=durability,
                reliability=reliability,
                liveliness=LivelinessPolicy.AUTOMATIC,
            ),
            "namespaces": set(item.get("Namespaces", {})),
        }
    return result


DISPLAYS = displays()


class Rviz:
    """Subscribes as RViz would, and keeps what came."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.frames = FrameBuffer(gap_s=math.inf)
        self.messages: dict[str, queue.Queue[Any]] = {name: queue.Queue() for name in DISPLAYS}
        for name, display in DISPLAYS.items():
            node.create_subscription(
                display["type"],
                display["topic"],
                self.messages[name].put,
                display["profile"],
            )
        for topic, profile, is_static in (
            ("/tf", QoSProfile(depth=100), False),
            ("/tf_static", LATCHED, True),
        ):
            node.create_subscription(
                TFMessage,
                topic,
                lambda message, is_static=is_static: self.frames.add(
                    message.transforms, is_static=is_static
                ),
                profile,
            )

    def next(self, display: str, accept: Callable[[Any], object] = lambda _: True) -> Any:
        """The next message of a display that is accepted."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            left_s = max(0.01, deadline - time.monotonic())
            message = self.messages[display].get(timeout=left_s)
            if accept(message):
                return message
            assert time.monotonic() < deadline, f"{display}: not within {TIMEOUT_S:g} s: {message}"

    def check_frame(self, header: Any) -> None:
        """The frame leads to the fixed frame."""
        stamp_s = header.stamp.sec + 1e-9 * header.stamp.nanosec
        self.frames.lookup(FIXED_FRAME, header.frame_id, stamp_s)


@pytest.fixture(scope="module")
def viewer(ros_context: rclpy.Context) -> Iterator[Node]:
    """RViz's node, on simulated time."""
    clock = Parameter("use_sim_time", value=True)
    node = Node("test_rviz", context=ros_context, parameter_overrides=[clock])
    spinning = SpinThread(node, threads=6)
    yield node
    spinning.close()
    node.destroy_node()


@pytest.fixture(scope="module")
def system(ros_environment: dict[str, str], viewer: Node) -> Iterator[NodeWatch]:
    """Everything, with cameras, as fast as possible."""
    values = {"observations": "vision", "task": "put_block", "seed": 3, "speed": 0.0}
    watch = NodeWatch(viewer, NODES)
    with ProcessGroup() as group:
        for node in SIM.resolve(values | {"rviz": "false"}):
            group.start(node.name, node_command(node), environment=ros_environment)
        assert watch.wait_for(timeout_s=60.0) == ()
        yield watch
    watch.destroy()


@pytest.fixture(scope="module")
def rviz(system: NodeWatch, viewer: Node) -> Rviz:
    return Rviz(viewer)


@pytest.fixture(scope="module")
def model(rviz: Rviz) -> ElementTree.Element:
    return ElementTree.fromstring(rviz.next("Robot").data)


def test_what_the_camera_sees_is_shown_from_the_start() -> None:
    (camera,) = [item for item in MANAGER["Displays"] if item["Class"].endswith("/Image")]
    assert camera["Enabled"]
    # A best-effort listener hears both kinds of cameras' drivers.
    assert camera["Topic"]["Reliability Policy"] == "Best Effort"


@pytest.mark.parametrize("name", DISPLAYS)
def test_each_displays_topic_exists_with_its_type_and_a_fitting_service(
    rviz: Rviz, wait_until: Callable[..., None], name: str
) -> None:
    display = DISPLAYS[name]
    topic = rviz.node.resolve_topic_name(display["topic"])
    wait_until(lambda: rviz.node.count_publishers(topic), timeout_s=20.0, what=topic)
    (publisher,) = rviz.node.get_publishers_info_by_topic(topic)
    kind = display["type"]
    package = kind.__module__.partition(".")[0]
    assert publisher.topic_type == f"{package}/msg/{kind.__name__}"
    compatibility, reason = qos_check_compatible(publisher.qos_profile, display["profile"])
    assert compatibility == QoSCompatibility.OK, reason


def test_the_models_meshes_are_where_it_says(model: ElementTree.Element) -> None:
    meshes = {mesh.get("filename", "") for mesh in model.iter("mesh")}
    assert meshes
    for uri in meshes:
        parts = urlparse(uri)
        if parts.scheme == "package":
            path = Path(get_package_share_directory(parts.netloc)) / parts.path.lstrip("/")
        else:
            assert parts.scheme == "file"
            path = Path(unquote(parts.path))
        assert path.is_file(), uri


def test_every_link_of_the_model_has_a_frame(
    rviz: Rviz, model: ElementTree.Element, wait_until: Callable[..., None]
) -> None:
    links = [link.get("name", "") for link in model.iter("link")]

    def all_lead_to_the_fixed_frame() -> bool:
        try:
            for link in links:
                newest_s = rviz.frames.newest_s(link)
                rviz.frames.lookup(FIXED_FRAME, link, min(newest_s, 1e9))
        except PerceptionError:
            return False
        return True

    wait_until(all_lead_to_the_fixed_frame, timeout_s=20.0)


def test_objects_grasps_points_and_the_conversation_are_shown(rviz: Rviz) -> None:
    objects = rviz.next("Objects and their names", lambda message: len(message.markers) >= 4)
    check_markers(rviz, objects.markers)
    texts = {marker.text for marker in objects.markers}
    assert "green target area" in texts
    grasps = rviz.next("Grasps, the chosen one thick", lambda message: message.markers)
    check_markers(rviz, grasps.markers)
    assert {marker.ns for marker in grasps.markers} == {"grasps", "chosen grasp"}
    cloud = rviz.next("Points of objects", lambda message: message.width)
    rviz.check_frame(cloud.header)
    points = cloud_value(cloud).points
    assert len(points) > 100
    assert np.isfinite(points).all()
    image = rviz.next("Front camera")
    rviz.check_frame(image.header)
    check_markers(rviz, [rviz.next("Conversation")])


def test_a_plan_and_what_is_held_are_shown_and_what_is_let_go_is_deleted(
    system: NodeWatch, rviz: Rviz
) -> None:
    robot = RosRobot(rviz.node, watch=system)
    block = next(item for item in robot.observe().objects if item.grasp is not None)
    assert block.grasp is not None
    x, y, z = block.grasp.position
    yaw = block.grasp.yaw
    for height in (0.12, 0.0):
        result = robot.execute_trajectory((x, y, z + height), yaw)
        assert result.is_success, result.message
    path = rviz.next("Planned path")
    rviz.check_frame(path.header)
    assert len(path.poses) > 1
    for pose in path.poses:
        assert all(map(math.isfinite, numbers(pose.pose)))
    grip = robot.close_gripper(block.name)
    assert grip.is_success, grip.message
    held = rviz.next("Held object", lambda message: message.markers)
    check_markers(rviz, held.markers)
    assert [marker.ns for marker in held.markers] == ["held object"]
    robot.open_gripper()
    gone = rviz.next(
        "Held object",
        lambda message: any(marker.action == Marker.DELETE for marker in message.markers),
    )
    assert {marker.ns for marker in gone.markers} == {"held object"}


def check_markers(rviz: Rviz, markers: list[Marker]) -> None:
    """Frames resolve, namespaces are in the configuration, every value is finite."""
    shown = set().union(*(display["namespaces"] for display in DISPLAYS.values()))
    for marker in markers:
        rviz.check_frame(marker.header)
        assert marker.ns in shown | {"transcript"}
        if marker.action == Marker.DELETE:
            continue
        assert all(map(math.isfinite, numbers(marker)))
        scale = marker.scale
        needed = {
            Marker.CUBE: (scale.x, scale.y, scale.z),
            Marker.LINE_LIST: (scale.x,),
            Marker.TEXT_VIEW_FACING: (scale.z,),
        }[marker.type]
        assert min(needed) > 0.0
        assert marker.color.a > 0.0
        turn = marker.pose.orientation
        assert math.hypot(turn.x, turn.y, turn.z, turn.w) == pytest.approx(1.0, abs=1e-3)
        if marker.type == Marker.TEXT_VIEW_FACING:
            assert marker.text
        if marker.type == Marker.LINE_LIST:
            assert marker.points
            assert len(marker.points) % 2 == 0


def numbers(message: Any) -> Iterator[float]:
    """All floating-point numbers of a message, at any depth."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        for item in value if isinstance(value, list | tuple) else [value]:
            if isinstance(item, float):
                yield item
            elif hasattr(item, "get_fields_and_field_types"):
                yield from numbers(item)
