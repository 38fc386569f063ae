"""A camera that renders printed boards, distortion included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.perception.calibration import BoardConfig, CalibrationBoard, Lens

Place = tuple[float, float, float]
Take = Callable[..., NDArray[np.uint8]]
Look = Callable[[Place, Place], Pose]

PIXELS_PER_METRE = 4000.0
MARGIN_PX = 80  # the white rim of the print
BACKGROUND = 120
FINER = 2  # samples along a pixel's edge
CRITERIA = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-9)


@pytest.fixture(scope="module")
def board() -> CalibrationBoard:
    return CalibrationBoard(BoardConfig())


@pytest.fixture(scope="module")
def lens() -> Lens:
    return Lens(
        width_px=640,
        height_px=480,
        matrix=np.array([[610.0, 0.0, 323.0], [0.0, 612.0, 236.0], [0.0, 0.0, 1.0]]),
        coefficients=np.array([0.09, -0.16, 0.002, -0.001, 0.05]),
    )


@pytest.fixture
def intrinsics_file(lens: Lens, tmp_path: Path) -> Path:
    """The lens as ROS's camera_calibration writes it."""
    path = tmp_path / "camera.yaml"
    content = {
        "image_width": lens.width_px,
        "image_height": lens.height_px,
        "camera_name": "front",
        "camera_matrix": {"rows": 3, "cols": 3, "data": lens.matrix.ravel().tolist()},
        "distortion_model": "plumb_bob",
        "distortion_coefficients": {"rows": 1, "cols": 5, "data": lens.coefficients.tolist()},
    }
    path.write_text(yaml.safe_dump(content))
    return path


class BoardPhotographer:
    """Draws what a lens sees of a board."""

    def __init__(self, board: CalibrationBoard, lens: Lens, *, seed: int = 0) -> None:
        self._lens = lens
        self._print = np.pad(
            board.draw(pixels_per_metre=PIXELS_PER_METRE), MARGIN_PX, constant_values=255
        )
        self._rng = np.random.default_rng(seed)

    def take(self, camera_from_board: Pose, *, noise: float = 2.0) -> NDArray[np.uint8]:
        """A gray image ``(H, W)`` with noise of so many gray levels."""
        height, width = self._lens.height_px, self._lens.width_px
        image = np.full((height, width), float(BACKGROUND))
        (left, top), (right, bottom) = self._region(camera_from_board)
        image[top:bottom, left:right] = self._draw(
            camera_from_board, left=left, top=top, right=right, bottom=bottom
        )
        image += self._rng.normal(0.0, noise, image.shape)
        return np.clip(image, 0, 255).astype(np.uint8)

    def _region(self, camera_from_board: Pose) -> NDArray[np.int64]:
        """First and last column and row that the print reaches: ``((x, y), (x, y))``."""
        height, width = (length / PIXELS_PER_METRE for length in self._print.shape)
        rim = MARGIN_PX / PIXELS_PER_METRE
        corners = np.array([(x, y, 0.0) for x in (0.0, width) for y in (0.0, height)]) - (
            rim,
            rim,
            0.0,
        )
        pixels = self._lens.project(corners, camera_from_board)
        limits = (self._lens.width_px, self._lens.height_px)
        ends = np.array([np.floor(pixels.min(axis=0)) - 8, np.ceil(pixels.max(axis=0)) + 8])
        return np.clip(ends, 0, limits).astype(np.int64)

    def _draw(
        self, camera_from_board: Pose, *, left: int, top: int, right: int, bottom: int
    ) -> NDArray[np.float64]:
        samples = (np.arange(FINER) + 0.5) / FINER - 0.5
        columns = (np.arange(left, right)[:, None] + samples).ravel()
        rows = (np.arange(top, bottom)[:, None] + samples).ravel()
        grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 1, 2)
        rays = cv2.undistortPoints(
            grid, self._lens.matrix, self._lens.coefficients, criteria=CRITERIA
        ).reshape(-1, 2)
        board_from_camera = camera_from_board.inverse()
        origin = np.asarray(board_from_camera.position)
        directions = (
            np.column_stack((rays, np.ones(len(rays)))) @ board_from_camera.matrix()[:3, :3].T
        )
        hits = origin + directions * (-origin[2] / directions[:, 2])[:, None]
        places = (hits[:, :2] * PIXELS_PER_METRE - 0.5 + MARGIN_PX).astype(np.float32)
        shape = (len(rows), len(columns))
        fine = cv2.remap(
            self._print,
            places[:, 0].reshape(shape),
            places[:, 1].reshape(shape),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=BACKGROUND,
        )
        size = (right - left, bottom - top)
        return cv2.resize(fine, size, interpolation=cv2.INTER_AREA).astype(np.float64)


@pytest.fixture(scope="module")
def photographer(board: CalibrationBoard, lens: Lens) -> Take:
    """Takes an image of the board at ``camera_from_board``."""
    return BoardPhotographer(board, lens).take


@pytest.fixture(scope="module")
def looking_at() -> Look:
    """``world_from_camera`` of an upright camera at a place, towards a target."""

    def look(place: Place, target: Place) -> Pose:
        forward = np.subtract(target, place)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack((right, np.cross(forward, right), forward))
        matrix[:3, 3] = place
        return Pose.from_matrix(matrix)

    return look
