"""Images of a board from a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.calibration.board import CalibrationBoard
from malmm_ros.perception.calibration.lens import Lens

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
FEWEST_CORNERS = 6
# Second largest spread of the corners as a share of the largest: below it they are a line.
_LINE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardView:
    """One image in which the board was found.

    Attributes:
        name: Of the image file.
        corners: ``(N, 3)``, board frame, metres.
        pixels: ``(N, 2)``.
    """

    name: str
    corners: NDArray[np.float64]
    pixels: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """What a folder of images gave.

    Attributes:
        found: In the order of the files' names.
        skipped: File names to reasons.
    """

    found: tuple[BoardView, ...]
    skipped: dict[str, str]


def collect_views(folder: Path, board: CalibrationBoard, lens: Lens) -> Views:
    """Look for the board in all images of a folder.

    Raises:
        ConfigurationError: The folder holds no images.
        PerceptionError: The board is in none of them, or their size is not the lens's.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
    if not paths:
        raise ConfigurationError(str(folder), f"holds no images ({', '.join(IMAGE_SUFFIXES)})")
    found: list[BoardView] = []
    skipped: dict[str, str] = {}
    for path in paths:
        view, reason = _view(path, board, lens)
        if view is None:
            skipped[path.name] = reason
        else:
            found.append(view)
    if not found:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(skipped.items())[:3])
        config = board.config
        raise PerceptionError(
            f"the board was found in none of {len(paths)} images ({reasons}). Is it the printed "
            f"one: {config.columns} × {config.rows} squares, {config.dictionary}?"
        )
    return Views(found=tuple(found), skipped=skipped)


def _view(path: Path, board: CalibrationBoard, lens: Lens) -> tuple[BoardView | None, str]:
    """A view, or why there is none."""
    gray = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if gray is None:
        return None, "is not an image that OpenCV reads"
    if gray.shape != (lens.height_px, lens.width_px):
        raise PerceptionError(
            f"{path.name} is {gray.shape[1]} × {gray.shape[0]} pixels, the intrinsics are for "
            f"{lens.width_px} × {lens.height_px}"
        )
    corners, pixels = board.detect(np.asarray(gray, np.uint8))
    if len(corners) < FEWEST_CORNERS:
        return None, f"{len(corners)} corners of the board, {FEWEST_CORNERS} are needed"
    spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    if spread[1] < _LINE * spread[0]:
        return None, "its corners lie on one line"
    return BoardView(name=path.name, corners=corners, pixels=pixels), ""
