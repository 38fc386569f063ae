"""``malmm calibrate``: where a camera is, from images of a ChArUco board."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from malmm_ros.cli.argument_types import output_file
from malmm_ros.configuration import from_mapping
from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Vector3, vector3

if TYPE_CHECKING:
    from malmm_ros.perception.calibration import Calibration, CalibrationBoard, Views

EXAMPLE = (
    "malmm calibrate images/ --intrinsics camera.yaml --lies-at 0.25,0.0,0.752,90 "
    "--output extrinsics.yaml"
)
_PRINT_PIXELS_PER_METRE = 8000.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which images, which board, and how it was held."""
    parser.add_argument("images", type=Path, nargs="?", help="folder of the camera's images")
    parser.add_argument(
        "--intrinsics", type=Path, help="of the camera, as ROS's camera_calibration writes them"
    )
    parser.add_argument(
        "--lies-at",
        metavar="X,Y,Z,YAW",
        help="the board lies face up: its middle in metres, world frame, and the direction of "
        "its first row in degrees",
    )
    parser.add_argument(
        "--poses",
        type=Path,
        help="the hand holds the board: YAML of image names to poses of panda_hand_tcp, "
        "{a.png: {position: [x, y, z], orientation: [x, y, z, w]}}",
    )
    parser.add_argument("--camera", default="front", help="its name in the file of extrinsics")
    parser.add_argument(
        "--output",
        type=output_file,
        default=Path("extrinsics.yaml"),
        help="file of extrinsics; other cameras in it stay",
    )
    parser.add_argument("--json", type=output_file, help="write the figures here")
    board = parser.add_argument_group("the board")
    board.add_argument("--columns", type=int, default=7, help="squares along its first row")
    board.add_argument("--rows", type=int, default=5, help="squares along its first column")
    board.add_argument("--square", type=float, default=0.055, help="edge, metres, measured")
    board.add_argument("--marker", type=float, default=0.041, help="edge, metres")
    board.add_argument("--dictionary", default="DICT_4X4_50", help="of its markers")
    board.add_argument(
        "--draw", metavar="FILE.png", type=output_file, help="only write this board for printing"
    )


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, or draw the board; 0 when that went well."""
    from malmm_ros.perception.calibration import BoardConfig, CalibrationBoard

    names = ("columns", "rows", "square", "marker", "dictionary")
    values = {name: getattr(arguments, name) for name in names}
    board = CalibrationBoard(from_mapping(BoardConfig, values, where="board"))
    if arguments.draw is not None:
        _draw(board, arguments.draw)
        return 0
    _calibrate(arguments, board)
    return 0


def _calibrate(arguments: argparse.Namespace, board: CalibrationBoard) -> None:
    from malmm_ros.perception.calibration import (
        collect_views,
        load_arm_poses,
        load_lens,
        locate_by_fixed_board,
        locate_by_held_board,
        write_extrinsics,
    )

    _check(arguments)
    lens = load_lens(arguments.intrinsics)
    if arguments.poses is not None:
        poses = load_arm_poses(arguments.poses)
        views = collect_views(arguments.images, board, lens)
        found = locate_by_held_board(views.found, lens, world_from_tcp=poses)
    else:
        middle, yaw = read_place(arguments.lies_at)
        views = collect_views(arguments.images, board, lens)
        place = board.lying_at(middle, yaw)
        found = locate_by_fixed_board(views.found, lens, world_from_board=place)
    write_extrinsics(arguments.output, arguments.camera, found)
    _report(arguments, views, found)


def _check(arguments: argparse.Namespace) -> None:
    """See that the options go together.

    Raises:
        ConfigurationError: One is missing or one is too many.
    """
    if arguments.images is None or not arguments.images.is_dir():
        raise ConfigurationError("images", f"must be a folder of images, got {arguments.images}")
    if arguments.intrinsics is None:
        raise ConfigurationError("--intrinsics", "is needed: the camera's camera_info as YAML")
    if (arguments.lies_at is None) == (arguments.poses is None):
        raise ConfigurationError(
            "--lies-at, --poses",
            "say one: where the board lies, or the poses of the hand that holds it",
        )


def read_place(text: str) -> tuple[Vector3, float]:
    """Read ``X,Y,Z,YAW``; the yaw comes back in radians.

    Raises:
        ConfigurationError: It is not four numbers.
    """
    try:
        x, y, z, yaw = (float(part) for part in text.split(","))
        return vector3((x, y, z)), math.radians(yaw)
    except ValueError as error:
        raise ConfigurationError(
            "--lies-at", f"must be X,Y,Z,YAW (metres and degrees), got {text!r}"
        ) from error


def _draw(board: CalibrationBoard, path: Path) -> None:
    """Write the board as a PNG that prints at its true size."""
    from PIL import Image

    dpi = _PRINT_PIXELS_PER_METRE * 0.0254
    image = Image.fromarray(board.draw(pixels_per_metre=_PRINT_PIXELS_PER_METRE))
    try:
        image.save(path, format="PNG", dpi=(dpi, dpi))
    except OSError as error:
        raise ConfigurationError("--draw", f"{path} cannot be written: {error}") from error
    width, height = (1000.0 * length for length in board.config.size)
    sys.stdout.write(
        f"{path}: {width:.0f} × {height:.0f} mm; print it without scaling, leave white around "
        "it, and measure a square afterwards\n"
    )


def _report(arguments: argparse.Namespace, views: Views, found: Calibration) -> None:
    pose = found.world_from_camera
    place = ", ".join(f"{value:.4f}" for value in pose.position)
    turn = ", ".join(f"{value:.5f}" for value in pose.orientation)
    count, error = len(views.found), found.reprojection_px
    lines = [
        f"{arguments.camera}: position [{place}] m, orientation xyzw [{turn}]",
        f"{count} images, corners {error:.2f} px from where they should be seen",
        f"written to {arguments.output}",
    ]
    lines += [f"left out: {name}: {reason}" for name, reason in views.skipped.items()]
    lines += [
        f"worth a look: {name} fits with {found.view_errors_px[name]:.2f} px only"
        for name in found.suspicious
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    if arguments.json is None:
        return
    figures = {
        "camera": arguments.camera,
        "position": list(pose.position),
        "orientation": list(pose.orientation),
        "reprojection_px": found.reprojection_px,
        "view_errors_px": found.view_errors_px,
        "skipped": views.skipped,
        "suspicious": list(found.suspicious),
    }
    arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
