from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensor_msgs.msg import CameraInfo

from malmm_ros.camera import Pinhole
from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.nodes.images import image_message
from malmm_ros.nodes.lens import Lens, camera_info_message, rgbd_value

cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")

CAMERA = Pinhole(width_px=64, height_px=48, fx=60.0, fy=61.0, cx=31.0, cy=24.0)


def info(distortion: tuple[float, ...] = (0.0,) * 5) -> CameraInfo:
    return camera_info_message(CAMERA, stamp_s=0.0, frame="camera", distortion=distortion)


def images() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (48, 64, 3), np.uint8), rng.uniform(1, 2, (48, 64)).astype("f4")


def test_intrinsics_survive() -> None:
    assert Lens(info()).camera == CAMERA


def test_without_distortion_images_stay_as_they_are() -> None:
    rgb, depth = images()
    straight = Lens(info()).undistort(rgb, depth)
    assert straight[0] is rgb
    assert straight[1] is depth


@settings(max_examples=25)
@given(
    st.tuples(
        st.floats(-0.15, 0.15), st.floats(-0.05, 0.05), st.floats(-0.01, 0.01),
        st.floats(-0.01, 0.01), st.floats(-0.02, 0.02),
    ),
    st.integers(8, 55),
    st.integers(8, 39),
)  # fmt: skip
def test_a_bent_dot_lands_where_a_straight_camera_sees_it(
    distortion: tuple[float, ...], column: int, row: int
) -> None:
    """The dot is drawn at the pixel that OpenCV's own forward model gives."""
    ray = np.array([[(column - CAMERA.cx) / CAMERA.fx, (row - CAMERA.cy) / CAMERA.fy, 1.0]])
    matrix = np.array([[60.0, 0.0, 31.0], [0.0, 61.0, 24.0], [0.0, 0.0, 1.0]])
    bent = cv2.projectPoints(ray, np.zeros(3), np.zeros(3), matrix, np.array(distortion))[0]
    bent_column, bent_row = np.rint(bent.reshape(2)).astype(int)
    depth = np.full((48, 64), 2.0, np.float32)
    depth[bent_row - 1 : bent_row + 2, bent_column - 1 : bent_column + 2] = 1.0
    rgb = np.zeros((48, 64, 3), np.uint8)
    rgb[depth == 1.0] = 200
    straight_rgb, straight = Lens(info(distortion)).undistort(rgb, depth)
    assert straight[row, column] == 1.0
    assert straight_rgb[row, column].min() > 100
    # Depths are taken over, never blended with what is beside them.
    assert set(np.unique(straight)) <= {0.0, 1.0, 2.0}


def test_rectified_images_are_described_by_the_projection_matrix() -> None:
    message = info((0.2, 0.0, 0.0, 0.0, 0.0))
    message.p[0] = 55.0
    rgb, depth = images()
    lens = Lens(message, is_rectified=True)
    assert lens.camera.fx == 55.0
    assert lens.undistort(rgb, depth)[0] is rgb


def test_a_lens_is_made_anew_only_for_other_numbers() -> None:
    lens = Lens(info())
    later = info()
    later.header.stamp.sec = 7
    assert lens.describes(later)
    assert not lens.describes(info((0.1, 0.0, 0.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": [0.0] * 9, "p": [0.0] * 12}, "is the camera calibrated"),
        ({"width": 0}, "0 × 48"),
        ({"binning_x": 2}, "binning"),
        ({"d": [0.1] * 4, "distortion_model": "equidistant"}, "'equidistant' with 4"),
        ({"d": [0.1] * 3}, "'plumb_bob' with 3"),
        ({"d": [float("nan")] * 5}, "not finite"),
    ],
)
def test_what_cannot_be_used_is_refused(change: dict[str, object], words: str) -> None:
    message = info()
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(PerceptionError, match=words):
        Lens(message)


def test_sizes_that_do_not_match_are_refused_by_name() -> None:
    rgb, depth = images()
    color = image_message(rgb, stamp_s=1.5, frame="camera")
    small = image_message(depth[::2, ::2].copy(), stamp_s=1.5, frame="camera")
    where = {"world_from_camera": Pose((0.0, 0.0, 1.0)), "camera_name": "front"}
    with pytest.raises(PerceptionError, match="'front': the depth image is 32 × 24"):
        rgbd_value(color, small, Lens(info()), **where)
    whole = image_message(depth, stamp_s=1.5, frame="camera")
    with pytest.raises(PerceptionError, match="'front': colour image of encoding '32FC1'"):
        rgbd_value(whole, whole, Lens(info()), **where)
    image = rgbd_value(color, whole, Lens(info()), **where)
    assert (image.stamp_s, image.camera_name) == (1.5, "front")
