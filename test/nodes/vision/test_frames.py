from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.nodes.conversions import transform_message
from malmm_ros.nodes.vision.frames import FrameBuffer

coordinates = st.floats(-2.0, 2.0)
poses = st.builds(
    Pose.from_yaw, st.tuples(coordinates, coordinates, coordinates), st.floats(-3.0, 3.0)
)


def buffer_of(*links: tuple[str, str, Pose], stamp_s: float = 1.0) -> FrameBuffer:
    frames = FrameBuffer()
    for parent, child, pose in links:
        message = transform_message(pose, parent=parent, child=child, stamp_s=stamp_s)
        assert not frames.add([message], is_static=False)
    return frames


@given(poses, poses, poses)
def test_a_chain_is_the_product_of_its_links_whichever_way(a: Pose, b: Pose, c: Pose) -> None:
    frames = buffer_of(("world", "base", a), ("base", "hand", b), ("world", "camera", c))
    expected = c.inverse() @ a @ b
    for target, source, pose in (
        ("camera", "hand", expected),
        ("hand", "camera", expected.inverse()),
    ):
        found = frames.lookup(target, source, 1.0)
        np.testing.assert_allclose(found.matrix(), pose.matrix(), atol=1e-9)


def test_between_two_messages_a_frame_is_between_them() -> None:
    frames = FrameBuffer()
    for stamp_s, yaw in ((1.0, 3.1), (1.08, -3.1)):  # through half a turn
        pose = Pose.from_yaw((stamp_s, 0.0, 0.0), yaw)
        message = transform_message(pose, parent="world", child="hand", stamp_s=stamp_s)
        frames.add([message], is_static=False)
    found = frames.lookup("world", "hand", 1.04)
    assert found.position[0] == pytest.approx(1.04)
    assert yaw_difference(found.yaw, math.pi) < 1e-6


def test_a_static_frame_is_known_always_and_slashes_do_not_matter() -> None:
    frames = FrameBuffer()
    pose = Pose((0.0, 0.0, 1.0))
    message = transform_message(pose, parent="/world", child="/camera", stamp_s=0.0)
    frames.add([message], is_static=True)
    assert frames.lookup("world", "camera", 1e9) == pose
    assert frames.newest_s("camera") == math.inf


def test_frames_that_are_not_connected_are_named_with_those_that_are_known() -> None:
    frames = buffer_of(("world", "base", Pose((0.0, 0.0, 0.0))))
    with pytest.raises(PerceptionError, match="connects 'camera' to 'world'; known frames: base"):
        frames.lookup("world", "camera", 1.0)


def test_an_old_frame_is_refused_by_name() -> None:
    frames = buffer_of(("world", "hand", Pose((0.0, 0.0, 0.0))))
    assert frames.newest_s("hand") == 1.0
    with pytest.raises(PerceptionError, match=r"'world' to 'hand': the newest one is 4\.000 s"):
        frames.lookup("world", "hand", 5.0)


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 2.0), (math.nan,) * 4])
def test_what_is_no_rigid_transform_is_refused(turn: tuple[float, ...]) -> None:
    frames = FrameBuffer()
    message = transform_message(Pose((0.0, 0.0, 0.0)), parent="world", child="camera", stamp_s=0.0)
    rotation = message.transform.rotation
    rotation.x, rotation.y, rotation.z, rotation.w = turn
    (words,) = frames.add([message], is_static=True)
    assert "'camera': is not a rigid transform" in words
    with pytest.raises(PerceptionError, match="known frames: none"):
        frames.lookup("world", "camera", 0.0)


def test_a_ring_of_frames_does_not_hang() -> None:
    frames = buffer_of(("a", "b", Pose((0.0, 0.0, 0.0))), ("b", "a", Pose((0.0, 0.0, 0.0))))
    with pytest.raises(PerceptionError, match="form a ring"):
        frames.lookup("world", "a", 1.0)
