"""Image and cloud messages to arrays and back; pure functions."""

from __future__ import annotations

import array
from typing import Literal

import numpy as np
import sensor_msgs.msg
from numpy.typing import NDArray

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import WORLD
from malmm_ros.nodes.conversions import header
from malmm_ros.perception import PointCloud

DepthEncoding = Literal["32FC1", "16UC1"]

# Encoding to type and number of channels, see sensor_msgs/image_encodings.hpp.
_COLORS: dict[str, int] = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1}
_DEPTHS: dict[str, type[np.generic]] = {
    "32FC1": np.float32,
    "16UC1": np.uint16,
    "mono16": np.uint16,
}
_MILLIMETRE = 0.001
_CLOUD_POINT = np.dtype([("xyz", "<f4", 3), ("rgb", "<u4")])


def image_message(
    pixels: NDArray[np.uint8] | NDArray[np.float32] | NDArray[np.uint16],
    *,
    stamp_s: float,
    frame: str,
) -> sensor_msgs.msg.Image:
    """An image as a message.

    Args:
        pixels: ``(H, W, 3)`` uint8 (``rgb8``), ``(H, W)`` uint8 (``mono8``), float32
            (``32FC1``, metres) or uint16 (``16UC1``, millimetres).
        stamp_s: When it was taken.
        frame: The camera's optical frame.

    Raises:
        PerceptionError: It is none of these.
    """
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    encodings = {
        (np.dtype(np.uint8), 3): "rgb8",
        (np.dtype(np.uint8), 1): "mono8",
        (np.dtype(np.float32), 1): "32FC1",
        (np.dtype(np.uint16), 1): "16UC1",
    }
    encoding = encodings.get((pixels.dtype, channels))
    if encoding is None or pixels.ndim not in (2, 3):
        raise PerceptionError(f"image of {pixels.dtype} {pixels.shape} has no encoding here")
    height, width = pixels.shape[:2]
    message = sensor_msgs.msg.Image(
        header=header(stamp_s, frame),
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=width * channels * pixels.itemsize,
    )
    # An array.array is taken as it is; bytes would be checked number by number.
    message.data = array.array("B", np.ascontiguousarray(pixels).tobytes())
    return message


def depth_message(
    depth: NDArray[np.float32], *, encoding: DepthEncoding, stamp_s: float, frame: str
) -> sensor_msgs.msg.Image:
    """Depth in metres ``(H, W)`` as a message.

    In millimetres (``16UC1``) what is nearer than half a millimetre or farther than 65 m becomes
    0, no reading.
    """
    if encoding == "32FC1":
        return image_message(depth, stamp_s=stamp_s, frame=frame)
    farthest = np.iinfo(np.uint16).max * _MILLIMETRE
    readable = np.where((depth > 0.0) & (depth <= farthest), depth, 0.0)  # NaN is neither
    millimetres = np.rint(readable / _MILLIMETRE).astype(np.uint16)
    return image_message(millimetres, stamp_s=stamp_s, frame=frame)


def color_value(message: sensor_msgs.msg.Image) -> NDArray[np.uint8]:
    """Colours ``(H, W, 3)`` RGB of a message; alpha is dropped, gray is repeated.

    Raises:
        PerceptionError: The encoding is not a colour image's, or the bytes do not fit its size.
    """
    channels = _COLORS.get(message.encoding)
    if channels is None:
        raise PerceptionError(
            f"colour image of encoding {message.encoding!r}; valid: {', '.join(_COLORS)}."
        )
    pixels = _rows(message, channels).reshape(message.height, message.width, channels)
    if channels == 1:
        return np.repeat(pixels, 3, axis=2)
    if message.encoding.startswith("bgr"):
        return np.ascontiguousarray(pixels[:, :, 2::-1])
    return np.ascontiguousarray(pixels[:, :, :3])


def depth_value(message: sensor_msgs.msg.Image) -> NDArray[np.float32]:
    """Depth ``(H, W)`` in metres of a message; 0 where there is no reading.

    Metres in ``32FC1``, millimetres in ``16UC1`` (REP 118). NaN, infinite and negative numbers
    are no readings.

    Raises:
        PerceptionError: The encoding is not a depth image's, or the bytes do not fit its size.
    """
    kind = _DEPTHS.get(message.encoding)
    if kind is None:
        raise PerceptionError(
            f"depth image of encoding {message.encoding!r}; valid: {', '.join(_DEPTHS)}."
        )
    stored = np.dtype(kind).newbyteorder(">" if message.is_bigendian else "<")
    pixels = _rows(message, stored.itemsize).view(stored)
    if kind is np.uint16:
        return pixels.astype(np.float32) * np.float32(_MILLIMETRE)
    # A copy: the message's own bytes stay as they are.
    metres: NDArray[np.float32] = pixels.astype(np.float32)
    metres[~(np.isfinite(metres) & (metres > 0.0))] = 0.0
    return metres


def cloud_message(
    cloud: PointCloud, *, stamp_s: float, frame: str = WORLD
) -> sensor_msgs.msg.PointCloud2:
    """A coloured cloud as RViz and PCL read it: float32 x, y, z and packed ``rgb``."""
    fields = sensor_msgs.msg.PointField
    points = np.empty(len(cloud), _CLOUD_POINT)
    points["xyz"] = cloud.points
    points["rgb"] = cloud.colors.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    message = sensor_msgs.msg.PointCloud2(
        header=header(stamp_s, frame),
        height=1,
        width=len(cloud),
        fields=[
            fields(name=name, offset=4 * index, datatype=fields.FLOAT32, count=1)
            for index, name in enumerate(("x", "y", "z", "rgb"))
        ],
        is_bigendian=False,
        point_step=_CLOUD_POINT.itemsize,
        row_step=_CLOUD_POINT.itemsize * len(cloud),
        is_dense=bool(np.isfinite(cloud.points).all()),
    )
    message.data = array.array("B", points.tobytes())
    return message


def cloud_value(message: sensor_msgs.msg.PointCloud2) -> PointCloud:
    """A cloud that :func:`cloud_message` wrote.

    Raises:
        PerceptionError: Its points are laid out otherwise.
    """
    names = [item.name for item in message.fields]
    if names != ["x", "y", "z", "rgb"] or message.point_step != _CLOUD_POINT.itemsize:
        raise PerceptionError(f"cloud with fields {names}; only x, y, z, rgb are read here")
    points = np.frombuffer(message.data, _CLOUD_POINT)
    shifts = np.array([16, 8, 0], np.uint32)
    colors = (points["rgb"][:, None] >> shifts & 0xFF).astype(np.uint8)
    return PointCloud(points=points["xyz"].astype(np.float64), colors=colors)


def _rows(message: sensor_msgs.msg.Image, pixel_bytes: int) -> NDArray[np.uint8]:
    """Bytes ``(H, W · pixel_bytes)`` of an image, without what fills its rows up."""
    row = message.width * pixel_bytes
    if message.step < row or len(message.data) < message.step * message.height:
        raise PerceptionError(
            f"image of {message.width} × {message.height} {message.encoding} has "
            f"{len(message.data)} bytes in rows of {message.step}"
        )
    rows = np.frombuffer(message.data, np.uint8)[: message.step * message.height]
    packed: NDArray[np.uint8] = np.ascontiguousarray(
        rows.reshape(message.height, message.step)[:, :row]
    )
    return packed
