from __future__ import annotations

import math

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose


def test_the_axis_meets_the_middle_of_the_image() -> None:
    camera = Pinhole.from_field_of_view(math.radians(40.0), width_px=640, height_px=480)
    assert camera.project(np.array([[0.0, 0.0, 2.0]]))[0] == pytest.approx((319.5, 239.5))


def test_the_field_of_view_is_the_full_height() -> None:
    camera = Pinhole.from_field_of_view(math.radians(40.0), width_px=640, height_px=480)
    edge = np.array([[0.0, math.tan(math.radians(20.0)), 1.0]])
    # Pixel centres are whole numbers, so the image ends half a pixel beyond the last one.
    assert camera.project(edge)[0, 1] == pytest.approx(479.5)


def test_image_sizes_must_agree() -> None:
    with pytest.raises(PerceptionError, match="sizes differ"):
        RgbdImage(
            rgb=np.zeros((3, 4, 3), np.uint8),
            depth=np.zeros((4, 3), np.float32),
            camera=Pinhole.from_field_of_view(1.0, width_px=4, height_px=3),
            world_from_camera=Pose((0.0, 0.0, 0.0)),
        )
