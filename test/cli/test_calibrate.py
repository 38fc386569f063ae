"""``malmm calibrate``: from a folder of images to a file of extrinsics."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from PIL import Image

from malmm_ros.cli import FAILURE, USAGE_ERROR, main
from malmm_ros.geometry import Pose
from malmm_ros.nodes.vision.extrinsics import Extrinsics
from malmm_ros.perception.calibration import BoardConfig, CalibrationBoard

FOCAL = 600.0
CAMERA_FROM_BOARD = Pose((-0.19, -0.13, 0.7), (math.sin(0.2), 0.0, 0.0, math.cos(0.2)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One image of the board without distortion, by a homography."""
    board = CalibrationBoard(BoardConfig())
    picture = np.pad(board.draw(pixels_per_metre=4000.0), 80, constant_values=255)
    intrinsics = np.array([[FOCAL, 0.0, 320.0], [0.0, FOCAL, 240.0], [0.0, 0.0, 1.0]])
    matrix = CAMERA_FROM_BOARD.matrix()
    plane = intrinsics @ np.column_stack((matrix[:3, 0], matrix[:3, 1], matrix[:3, 3]))
    board_from_print = np.array(
        [[1 / 4000.0, 0.0, -79.5 / 4000.0], [0.0, 1 / 4000.0, -79.5 / 4000.0], [0.0, 0.0, 1.0]]
    )
    finer = np.array([[4.0, 0.0, 1.5], [0.0, 4.0, 1.5], [0.0, 0.0, 1.0]])
    fine = cv2.warpPerspective(
        picture, finer @ plane @ board_from_print, (2560, 1920), borderValue=120
    )
    images = tmp_path / "images"
    images.mkdir()
    image = cv2.resize(fine, (640, 480), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(images / "front.png"), image)
    content = {
        "image_width": 640,
        "image_height": 480,
        "camera_matrix": {"data": intrinsics.ravel().tolist()},
    }
    (tmp_path / "camera.yaml").write_text(yaml.safe_dump(content))
    return tmp_path


def calibrate(folder: Path, *more: str) -> int:
    return main(
        [
            "calibrate",
            str(folder / "images"),
            "--intrinsics",
            str(folder / "camera.yaml"),
            "--output",
            str(folder / "extrinsics.yaml"),
            *more,
        ]
    )


def test_a_board_on_the_table_ends_in_extrinsics_that_the_scene_node_loads(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = folder / "extrinsics.yaml"
    output.write_text("cameras: {left: {position: [1, 2, 3], orientation: [0, 0, 0, 1]}}\n")
    report = folder / "report.json"
    assert calibrate(folder, "--lies-at", "0.3,0.05,0.752,30", "--json", str(report)) == 0
    assert "corners 0." in capsys.readouterr().out
    board = CalibrationBoard(BoardConfig())
    expected = board.lying_at((0.3, 0.05, 0.752), math.radians(30)) @ CAMERA_FROM_BOARD.inverse()
    parent, pose = Extrinsics(output, ("front", "left")).place("front")
    assert parent == "world"
    assert pose.position == pytest.approx(expected.position, abs=0.002)
    assert abs(np.dot(pose.orientation, expected.orientation)) > 1.0 - 1e-6
    figures = json.loads(report.read_text())
    assert figures["reprojection_px"] < 0.3
    assert figures["suspicious"] == []


@pytest.mark.parametrize(
    ("more", "code", "problem"),
    [
        ((), USAGE_ERROR, "say one"),
        (("--lies-at", "0.3,0.05"), USAGE_ERROR, "must be X,Y,Z,YAW"),
        (("--lies-at", "0,0,0.75,0", "--marker", "0.06"), USAGE_ERROR, "smaller than its square"),
        (("--lies-at", "0,0,0.75,0", "--dictionary", "DICT_4X4"), USAGE_ERROR, "Did you mean"),
        (("--lies-at", "0,0,0.75,0", "--dictionary", "DICT_7X7_50"), FAILURE, "in none of 1"),
        (("--poses", "no.yaml"), USAGE_ERROR, "cannot be read"),
    ],
)
def test_wrong_wishes_are_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    code: int,
    problem: str,
) -> None:
    assert calibrate(folder, *more) == code
    assert problem in capsys.readouterr().err
    assert not (folder / "extrinsics.yaml").exists()


def test_one_image_of_a_held_board_is_too_few(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    poses = folder / "poses.yaml"
    poses.write_text("front.png: {position: [0.3, 0, 1], orientation: [1, 0, 0, 0]}\n")
    assert calibrate(folder, "--poses", str(poses)) == FAILURE
    assert "1 images show the board, 4 are needed" in capsys.readouterr().err


def test_the_board_can_be_printed_at_its_size(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    assert main(["calibrate", "--draw", str(path)]) == 0
    with Image.open(path) as image:
        millimetres = [25.4 * side / image.info["dpi"][0] for side in image.size]
    assert millimetres == pytest.approx((385.0, 275.0), abs=0.2)


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "--help"])
    assert ended.value.code == 0
    assert "malmm calibrate images/" in capsys.readouterr().out
