"""Camera infos to intrinsics, and images without distortion."""

from __future__ import annotations

from typing import Any

import numpy as np
import sensor_msgs.msg
from numpy.typing import NDArray

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.errors import MissingDependencyError, PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.nodes.conversions import header, seconds
from malmm_ros.nodes.images import color_value, depth_value

# Model to the numbers of coefficients it may have.
_MODELS = {"plumb_bob": (0, 4, 5), "rational_polynomial": (0, 8)}


def camera_info_message(
    camera: Pinhole, *, stamp_s: float, frame: str, distortion: tuple[float, ...] = (0.0,) * 5
) -> sensor_msgs.msg.CameraInfo:
    """Intrinsics as a message.

    Args:
        camera: Its focal lengths are those of the raw and the rectified image.
        stamp_s: When the image was taken.
        frame: The camera's optical frame: x right, y down, z into the image.
        distortion: Of ``plumb_bob``: k1, k2, p1, p2, k3.
    """
    matrix = intrinsic_matrix(camera)
    return sensor_msgs.msg.CameraInfo(
        header=header(stamp_s, frame),
        width=camera.width_px,
        height=camera.height_px,
        distortion_model="plumb_bob",
        d=list(distortion),
        k=matrix.reshape(-1).tolist(),
        r=np.eye(3).reshape(-1).tolist(),
        p=np.hstack([matrix, np.zeros((3, 1))]).reshape(-1).tolist(),
    )


def intrinsic_matrix(camera: Pinhole) -> NDArray[np.float64]:
    """``(3, 3)``, pixels."""
    return np.array([[camera.fx, 0.0, camera.cx], [0.0, camera.fy, camera.cy], [0.0, 0.0, 1.0]])


class Lens:
    """What a camera info says of its images; keep it, for its maps are costly.

    Args:
        message: Of images as they come from the sensor.
        is_rectified: The images are rectified already (``image_rect``): the projection matrix
            describes them, and there is nothing to undo.

    Raises:
        PerceptionError: The camera is not calibrated, or in a way that is not supported.
    """

    def __init__(self, message: sensor_msgs.msg.CameraInfo, *, is_rectified: bool = False) -> None:
        self._key = _key(message)
        _check(message)
        projection = np.asarray(message.p, dtype=np.float64).reshape(3, 4)[:, :3]
        raw = np.asarray(message.k, dtype=np.float64).reshape(3, 3)
        ideal = projection if _is_filled(projection) else raw
        seen = raw
        if is_rectified:
            seen = ideal
        if not _is_filled(seen):
            raise PerceptionError(
                f"camera info of {message.header.frame_id!r} lacks a focal length: "
                "is the camera calibrated?"
            )
        coefficients = np.asarray(message.d, dtype=np.float64)
        self._maps: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        size = (int(message.width), int(message.height))
        if not is_rectified and coefficients.any():
            self._maps = _undistortion(seen, coefficients, ideal, size)
            seen = ideal
        self.camera = Pinhole(
            width_px=size[0],
            height_px=size[1],
            fx=float(seen[0, 0]),
            fy=float(seen[1, 1]),
            cx=float(seen[0, 2]),
            cy=float(seen[1, 2]),
        )

    def describes(self, message: sensor_msgs.msg.CameraInfo) -> bool:
        """Whether it was made from a camera info of the same numbers."""
        return _key(message) == self._key

    def undistort(
        self, rgb: NDArray[np.uint8], depth: NDArray[np.float32]
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Straighten both images; depths are taken over, never blended.

        Args:
            rgb: ``(H, W, 3)``.
            depth: ``(H, W)``, as the colour camera sees it.
        """
        if self._maps is None:
            return rgb, depth
        cv2 = _opencv()
        return (
            cv2.remap(rgb, *self._maps, cv2.INTER_LINEAR, borderValue=0),
            cv2.remap(depth, *self._maps, cv2.INTER_NEAREST, borderValue=0),
        )


def rgbd_value(
    color: sensor_msgs.msg.Image,
    depth: sensor_msgs.msg.Image,
    lens: Lens,
    *,
    world_from_camera: Pose,
    camera_name: str,
) -> RgbdImage:
    """Colour and depth of one moment as one image.

    Raises:
        PerceptionError: An encoding or a size does not fit.
    """
    camera = lens.camera
    for what, message in (("colour", color), ("depth", depth)):
        if (message.width, message.height) != (camera.width_px, camera.height_px):
            raise PerceptionError(
                f"camera {camera_name!r}: the {what} image is {message.width} × {message.height} "
                f"but camera_info says {camera.width_px} × {camera.height_px}; depth must be "
                "aligned to colour, and camera_info must be the colour image's"
            )
    try:
        rgb, metres = lens.undistort(color_value(color), depth_value(depth))
    except PerceptionError as error:
        raise PerceptionError(f"camera {camera_name!r}: {error}") from error
    return RgbdImage(
        rgb=rgb,
        depth=metres,
        camera=camera,
        world_from_camera=world_from_camera,
        camera_name=camera_name,
        stamp_s=seconds(color.header.stamp),
    )


def _key(message: sensor_msgs.msg.CameraInfo) -> tuple[object, ...]:
    numbers = (message.k, message.d, message.p)
    return (message.width, message.height, *(np.asarray(item).tobytes() for item in numbers))


def _is_filled(matrix: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(matrix).all() and matrix[0, 0] > 0.0 and matrix[1, 1] > 0.0)


def _check(message: sensor_msgs.msg.CameraInfo) -> None:
    where = f"camera info of {message.header.frame_id!r}"
    if message.width == 0 or message.height == 0:
        raise PerceptionError(f"{where}: it is {message.width} × {message.height} pixels")
    if message.binning_x > 1 or message.binning_y > 1 or message.roi.width or message.roi.height:
        raise PerceptionError(f"{where}: binning and regions of interest are not supported")
    coefficients = np.asarray(message.d, dtype=np.float64)
    if not np.isfinite(coefficients).all():
        raise PerceptionError(f"{where}: its distortion is not finite")
    if not coefficients.any():
        return
    counts = _MODELS.get(message.distortion_model)
    if counts is None or len(coefficients) not in counts:
        raise PerceptionError(
            f"{where}: distortion {message.distortion_model!r} with {len(coefficients)} "
            f"coefficients; valid: {', '.join(_MODELS)}; or rectify the images before"
        )


def _undistortion(
    seen: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    ideal: NDArray[np.float64],
    size: tuple[int, int],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where each pixel of the straight image lies in the bent one."""
    cv2 = _opencv()
    columns, rows = cv2.initUndistortRectifyMap(
        seen, coefficients, None, ideal, size, cv2.CV_32FC1
    )
    return columns, rows


def _opencv() -> Any:
    try:
        import cv2
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "cv2",
            needed_for="a camera with distortion",
            install="pip install opencv-python-headless",
            instead="rectified images",
        ) from error
    return cv2
