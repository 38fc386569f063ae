from __future__ import annotations

import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sensor_msgs.msg import Image

from malmm_ros.errors import PerceptionError
from malmm_ros.nodes.images import (
    cloud_message,
    cloud_value,
    color_value,
    depth_message,
    depth_value,
    image_message,
)
from malmm_ros.perception import PointCloud

sizes = st.tuples(st.integers(1, 9), st.integers(1, 9))
seeds = st.integers(0, 2**32 - 1)


def raw(
    pixels: NDArray[np.generic], encoding: str, *, padding: int = 0, is_bigendian: bool = False
) -> Image:
    """A message as a foreign driver would write it."""
    height, width = pixels.shape[:2]
    stored = pixels.astype(pixels.dtype.newbyteorder(">" if is_bigendian else "<"))
    rows = np.ascontiguousarray(stored).view(np.uint8).reshape(height, -1)
    padded = np.pad(rows, ((0, 0), (0, padding)), constant_values=77)
    message = Image(
        height=height,
        width=width,
        encoding=encoding,
        step=padded.shape[1],
        is_bigendian=int(is_bigendian),
    )
    message.data = array.array("B", padded.tobytes())
    return message


@given(sizes, seeds, st.sampled_from(["rgb8", "bgr8", "rgba8", "bgra8"]), st.integers(0, 5))
def test_every_colour_encoding_gives_the_same_colours(
    size: tuple[int, int], seed: int, encoding: str, padding: int
) -> None:
    rgb = np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)
    stored = rgb[:, :, ::-1] if encoding.startswith("bgr") else rgb
    if encoding.endswith("a8"):
        stored = np.dstack([stored, np.full(size, 9, np.uint8)])
    back = color_value(raw(stored, encoding, padding=padding))
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, rgb)


def test_gray_is_a_colour_too() -> None:
    gray = np.arange(6, dtype=np.uint8).reshape(2, 3)
    np.testing.assert_array_equal(color_value(raw(gray, "mono8"))[:, :, 2], gray)


@given(sizes, seeds, st.booleans(), st.integers(0, 5))
def test_depth_in_millimetres_and_in_metres_is_the_same_depth(
    size: tuple[int, int], seed: int, is_bigendian: bool, padding: int
) -> None:
    millimetres = np.random.default_rng(seed).integers(0, 2**16, size, np.uint16)
    metres = millimetres.astype(np.float32) * np.float32(0.001)
    for pixels, encoding in ((millimetres, "16UC1"), (metres, "32FC1")):
        message = raw(pixels, encoding, padding=padding, is_bigendian=is_bigendian)
        back = depth_value(message)
        assert back.dtype == np.float32
        np.testing.assert_array_equal(back, metres)


@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_what_is_no_reading_is_zero_whatever_the_encoding(values: list[float]) -> None:
    depth = np.array([values], np.float32)
    back = depth_value(raw(depth, "32FC1"))
    assert np.isfinite(back).all()
    assert (back >= 0.0).all()
    good = np.isfinite(depth) & (depth > 0.0)
    np.testing.assert_array_equal(back[good], depth[good])
    assert not back[~good].any()
    in_millimetres = depth_message(depth, encoding="16UC1", stamp_s=0.0, frame="")
    near = good & (depth < 65.0)
    np.testing.assert_allclose(depth_value(in_millimetres)[near], depth[near], atol=5.1e-4)
    assert not depth_value(in_millimetres)[~good].any()


def test_reading_depth_leaves_the_message_as_it_is() -> None:
    message = raw(np.array([[np.nan, 1.0]], np.float32), "32FC1")
    before = bytes(message.data)
    depth_value(message)
    assert bytes(message.data) == before


@pytest.mark.parametrize(
    ("dtype", "shape", "encoding"),
    [
        (np.uint8, (3, 5, 3), "rgb8"),
        (np.uint8, (3, 5), "mono8"),
        (np.float32, (3, 5), "32FC1"),
        (np.uint16, (3, 5), "16UC1"),
    ],
)
def test_images_are_written_row_by_row(
    dtype: type[np.generic], shape: tuple[int, ...], encoding: str
) -> None:
    pixels = np.random.default_rng(0).uniform(1, 255, shape).astype(dtype)
    message = image_message(pixels, stamp_s=2.0, frame="camera")
    assert (message.encoding, message.header.frame_id) == (encoding, "camera")
    assert bytes(message.data) == pixels.tobytes()


def test_images_that_do_not_fit_are_refused() -> None:
    message = Image(height=2, width=3, encoding="rgb8", step=9)
    message.data = array.array("B", bytes(9))
    with pytest.raises(PerceptionError, match="9 bytes"):
        color_value(message)
    message.step = 8
    with pytest.raises(PerceptionError, match="rows of 8"):
        color_value(message)
    message.encoding = "bayer_rggb8"
    with pytest.raises(PerceptionError, match="valid: rgb8"):
        color_value(message)
    with pytest.raises(PerceptionError, match="valid: 32FC1"):
        depth_value(message)
    with pytest.raises(PerceptionError, match="no encoding"):
        image_message(np.zeros((2, 2, 4), np.uint8), stamp_s=0.0, frame="")


@given(st.integers(0, 20), seeds)
def test_clouds_survive_with_their_colours(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cloud = PointCloud(
        points=rng.normal(size=(count, 3)).astype(np.float32).astype(np.float64),
        colors=rng.integers(0, 256, (count, 3), np.uint8),
    )
    message = cloud_message(cloud, stamp_s=1.0)
    assert message.header.frame_id == "world"
    assert len(message.data) == message.row_step * message.height
    back = cloud_value(message)
    np.testing.assert_array_equal(back.points, cloud.points)
    np.testing.assert_array_equal(back.colors, cloud.colors)


def test_a_cloud_of_other_fields_is_refused() -> None:
    message = cloud_message(PointCloud.empty(), stamp_s=0.0)
    message.fields[3].name = "intensity"
    with pytest.raises(PerceptionError, match="intensity"):
        cloud_value(message)
