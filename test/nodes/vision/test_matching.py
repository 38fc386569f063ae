from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import CameraInfo, Image

from malmm_ros.nodes.conversions import header, seconds
from malmm_ros.nodes.vision.matching import (
    CameraFrame,
    FrameCollector,
    FrameMatcher,
    age_problem,
)


def image(stamp_s: float, step: int = 0) -> Image:
    return Image(header=header(stamp_s), step=step)


def matcher() -> FrameMatcher:
    made = FrameMatcher("front", tolerance_s=0.02)
    made.add_info(CameraInfo(), 0.0)
    return made


@given(st.permutations(range(6)), st.floats(-0.015, 0.015))
def test_pairs_have_about_the_same_stamp_in_whatever_order_they_come(
    order: list[int], offset_s: float
) -> None:
    """Three colour images and three depth images, 0.1 s apart."""
    pairs = matcher()
    frames: list[CameraFrame] = []
    for number in order:
        moment_s = 1.0 + 0.1 * (number // 2)
        if number % 2:
            frame = pairs.add_depth(image(moment_s + offset_s), 0.0)
        else:
            frame = pairs.add_color(image(moment_s), 0.0)
        if frame is not None:
            frames.append(frame)
    assert frames
    for frame in frames:
        depth_s = seconds(frame.depth.header.stamp)
        assert depth_s == pytest.approx(frame.stamp_s + offset_s, abs=1e-6)


def test_nothing_is_paired_beyond_the_tolerance_or_without_intrinsics() -> None:
    pairs = FrameMatcher("front", tolerance_s=0.02)
    assert pairs.add_color(image(1.0), 0.0) is None
    assert pairs.add_depth(image(1.0), 0.0) is None
    frame = pairs.add_info(CameraInfo(), 7.0)
    assert frame is not None
    assert (frame.stamp_s, frame.arrived_s) == (1.0, 7.0)
    assert pairs.add_color(image(2.0), 0.0) is None
    assert pairs.add_depth(image(2.03), 0.0) is None


def test_where_the_clock_stands_each_image_is_used_once_and_the_newest_wins() -> None:
    pairs = matcher()
    pairs.add_color(image(1.0, step=1), 0.0)
    assert pairs.add_depth(image(1.0, step=1), 0.0) is not None
    assert pairs.add_color(image(1.0, step=2), 0.0) is None
    frame = pairs.add_depth(image(1.0, step=2), 0.0)
    assert frame is not None
    assert (frame.color.step, frame.depth.step) == (2, 2)


def test_after_a_restart_of_the_clock_old_images_do_not_linger() -> None:
    pairs = matcher()
    for stamp_s in (50.0, 50.1):
        pairs.add_color(image(stamp_s), 0.0)
    pairs.add_color(image(0.1), 0.0)
    frame = pairs.add_depth(image(0.1), 0.0)
    assert frame is not None
    assert frame.stamp_s == pytest.approx(0.1)


def test_a_set_waits_for_all_cameras_but_not_for_ever() -> None:
    collector: FrameCollector[str] = FrameCollector(("front", "wrist"), patience_s=0.3)
    assert collector.due_in(0.0) is None
    collector.add("wrist", "w1", 10.0)
    collector.add("wrist", "w2", 10.1)
    assert collector.due_in(10.1) == pytest.approx(0.2)
    collector.add("front", "f1", 10.2)
    assert collector.due_in(10.2) == 0.0
    assert collector.take() == ["f1", "w2"]
    assert collector.due_in(10.2) is None
    collector.add("front", "f2", 11.0)
    assert collector.due_in(11.4) == 0.0
    assert collector.take() == ["f2"]


def test_a_camera_that_fell_silent_is_waited_for_a_few_times_and_then_until_it_is_back() -> None:
    collector: FrameCollector[str] = FrameCollector(("front", "wrist"), patience_s=0.3)
    for number in range(3):
        collector.add("front", f"f{number}", float(number))
        assert collector.due_in(float(number)) == pytest.approx(0.3)
        assert collector.take() == [f"f{number}"]
    collector.add("front", "f3", 3.0)
    assert collector.due_in(3.0) == 0.0
    collector.add("wrist", "w0", 3.1)
    assert collector.take() == ["f3", "w0"]
    collector.add("front", "f4", 4.0)
    assert collector.due_in(4.0) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("now_s", "words"), [(10.0, ""), (16.0, "6.0 s old"), (4.0, "6.0 s ahead of our clock")]
)
def test_stamps_far_from_our_clock_are_told_of(now_s: float, words: str) -> None:
    frame = CameraFrame(
        camera="front", color=image(10.0), depth=image(10.0), info=CameraInfo(), arrived_s=0.0
    )
    told = age_problem(frame, now_s, limit_s=5.0)
    assert words in told
    assert bool(told) == bool(words)
