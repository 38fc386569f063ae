"""The ChArUco board: a chessboard whose white squares carry markers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose, Vector3, top_down

DICTIONARIES = tuple(
    f"DICT_{bits}X{bits}_{count}" for bits in (4, 5, 6, 7) for count in (50, 100, 250, 1000)
)

# Narrower images are enlarged first: a 640 × 480 camera then still finds the default board at
# 1.5 m, and its place at 1.2 m is off by 0.5 mm instead of 3 mm (rendered boards).
_WIDE_PX = 1300
_FINER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardConfig:
    """Which board was printed; the default fills a sheet of A3.

    Attributes:
        columns: Squares along the board's x axis.
        rows: Squares along its y axis.
        square: Edge of a square as measured on the print, metres.
        marker: Edge of a marker, metres.
        dictionary: Name of OpenCV's marker dictionary.
    """

    columns: int = 7
    rows: int = 5
    square: float = 0.055
    marker: float = 0.041
    dictionary: str = "DICT_4X4_50"

    def __post_init__(self) -> None:
        if self.columns < 3 or self.rows < 3:
            raise ValueError(f"a board needs 3 × 3 squares, got {self.columns} × {self.rows}")
        if not 0.0 < self.marker < self.square:
            raise ValueError(
                f"a marker must be smaller than its square, got {self.marker} m in {self.square} m"
            )
        if self.dictionary not in DICTIONARIES:
            raise UnknownNameError("dictionary", self.dictionary, DICTIONARIES)

    @property
    def size(self) -> tuple[float, float]:
        """Of the whole chessboard, metres."""
        return self.columns * self.square, self.rows * self.square


class CalibrationBoard:
    """A board whose corners can be found in images.

    Its frame: origin at the outer corner of the first square, x along the first row, y along
    the first column, z into the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        self.config = config
        aruco = cv2.aruco
        self._board = aruco.CharucoBoard(
            (config.columns, config.rows),
            config.square,
            config.marker,
            aruco.getPredefinedDictionary(getattr(aruco, config.dictionary)),
        )
        self._detector = aruco.CharucoDetector(self._board)
        self._corners = np.asarray(self._board.getChessboardCorners(), np.float64)

    def detect(self, gray: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Find inner corners of squares.

        Args:
            gray: ``(H, W)``.

        Returns:
            Corners ``(N, 3)`` in the board's frame and their pixels ``(N, 2)``; N may be 0.
        """
        scale = _FINER if gray.shape[1] < _WIDE_PX else 1
        if scale > 1:
            gray = np.asarray(
                cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC),
                np.uint8,
            )
        pixels, ids, _, _ = self._detector.detectBoard(gray)
        if ids is None or len(ids) == 0:
            return np.empty((0, 3)), np.empty((0, 2))
        return (
            self._corners[np.asarray(ids).reshape(-1)],
            (np.asarray(pixels, np.float64).reshape(-1, 2) + 0.5) / scale - 0.5,
        )

    def draw(self, *, pixels_per_metre: float) -> NDArray[np.uint8]:
        """The board as a gray image ``(H, W)``, without a margin."""
        width, height = (round(length * pixels_per_metre) for length in self.config.size)
        return np.asarray(self._board.generateImage((width, height)), np.uint8)

    def lying_at(self, middle: Vector3, yaw: float) -> Pose:
        """``world_from_board`` of a board that lies face up.

        Args:
            middle: Of the whole chessboard, world frame.
            yaw: Direction of the first row, from its first square on, about world z.
        """
        width, height = self.config.size
        return top_down(middle, yaw) @ Pose((-0.5 * width, -0.5 * height, 0.0))
