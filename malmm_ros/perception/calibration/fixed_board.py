"""From a board that lies at a known place to the camera."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.perception.calibration.lens import Lens
from malmm_ros.perception.calibration.result import Calibration, rms_px
from malmm_ros.perception.calibration.rotation_vectors import pose_from_vectors
from malmm_ros.perception.calibration.views import BoardView


def camera_from_board(view: BoardView, lens: Lens) -> Pose:
    """Where one image shows the board, in the optical frame.

    Raises:
        PerceptionError: The corners do not say.
    """
    return _solve(view.corners, view.pixels, lens, view.name)


def locate_by_fixed_board(
    views: Sequence[BoardView], lens: Lens, *, world_from_board: Pose
) -> Calibration:
    """Find a camera that stands still, and sees a board that does.

    Args:
        views: At least one; several average the noise of the corners.
        lens: Of the camera.
        world_from_board: Where the board lies.

    Raises:
        PerceptionError: The corners do not say where the camera is.
    """
    corners = np.concatenate([view.corners for view in views])
    pixels = np.concatenate([view.pixels for view in views])
    seen = _solve(corners, pixels, lens, "all images together")
    return Calibration(
        world_from_camera=world_from_board @ seen.inverse(),
        view_errors_px={
            view.name: rms_px(view.pixels, lens.project(view.corners, seen)) for view in views
        },
    )


def _solve(
    corners: NDArray[np.float64], pixels: NDArray[np.float64], lens: Lens, name: str
) -> Pose:
    """The flat board's pose: the better of the two that fit, then refined."""
    is_found, turn, shift = cv2.solvePnP(
        corners, pixels, lens.matrix, lens.coefficients, flags=cv2.SOLVEPNP_IPPE
    )
    if not is_found:
        raise PerceptionError(f"{name}: the corners do not say where the board is")
    turn, shift = cv2.solvePnPRefineLM(
        corners, pixels, lens.matrix, lens.coefficients, turn, shift
    )
    return pose_from_vectors(
        np.asarray(turn, np.float64).reshape(3), np.asarray(shift, np.float64).reshape(3)
    )
