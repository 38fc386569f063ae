from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from malmm_ros.msg import SceneState
from rclpy.serialization import serialize_message

from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose
from malmm_ros.nodes.conversions import scene_message
from malmm_ros.scene import GripperState, Scene, SceneObject

pytest.importorskip("rosbags", reason="the extra [bags] is not installed")

from malmm_ros.nodes.bags import bag_types, open_bag

BAG = Path(__file__).parents[2] / "data" / "put_block_front"


def test_our_messages_are_read_as_they_were_written() -> None:
    item = SceneObject(
        name="red block", category="block", pose=Pose((0.1, 0.2, 0.8)), size=(0.05, 0.05, 0.05)
    )
    gripper = GripperState(tcp=Pose((0.0, 0.0, 1.0)), yaw=0.0, width=0.08, is_open=True)
    scene = Scene(stamp_s=1.5, objects=(item,), gripper=gripper, missing=("red lid",))
    data = serialize_message(scene_message(scene))
    message = bag_types().deserialize_cdr(data, "malmm_ros/msg/SceneState")
    assert message.objects[0].name == "red block"
    assert message.objects[0].pose.position.y == 0.2
    assert list(message.missing) == ["red lid"]
    assert SceneState().source == ""


def test_the_bag_with_the_tests_holds_what_it_says() -> None:
    assert sum(path.stat().st_size for path in BAG.iterdir()) <= 5_000_000
    with open_bag(BAG) as bag:
        counts = {item.topic: item.msgcount for item in bag.connections}
        assert counts["/camera/front/color/image_raw"] == 5
        depth = [item for item in bag.connections if item.topic.endswith("image_rect_raw")]
        for connection, _, data in bag.messages(depth):
            image = bag.deserialize(data, connection.msgtype)
            assert (image.width, image.height, image.encoding) == (640, 480, "16UC1")
            readings = np.frombuffer(image.data, "<u2")
            assert 0.02 < (readings == 0).mean() < 0.6  # beside edges, and the sky


def test_what_is_no_bag_is_refused_in_words(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigurationError, match="no such bag"),
        open_bag(tmp_path / "missing"),
    ):
        pass
    (tmp_path / "file.mcap").write_bytes(b"hello")
    with pytest.raises(ConfigurationError, match="not a bag"), open_bag(tmp_path / "file.mcap"):
        pass
