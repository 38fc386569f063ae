from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from malmm_ros.cli import main
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.geometry import Pose, rotate, top_down
from malmm_ros.perception.calibration import (
    BoardConfig,
    BoardView,
    CalibrationBoard,
    Lens,
    collect_views,
    load_arm_poses,
    load_lens,
    locate_by_fixed_board,
    locate_by_held_board,
)

Take = Callable[..., np.ndarray]
Look = Callable[[tuple[float, float, float], tuple[float, float, float]], Pose]
MIDDLE = (0.3, 0.05, 0.752)


def off(pose: Pose, truth: Pose) -> tuple[float, float]:
    """Metres and degrees between two poses."""
    rest = truth.inverse() @ pose
    turn = 2.0 * math.asin(min(1.0, float(np.linalg.norm(rest.orientation[:3]))))
    return float(np.linalg.norm(rest.position)), math.degrees(turn)


def turned(pose: Pose, axis: tuple[float, float, float], degrees: float) -> Pose:
    half = math.radians(0.5 * degrees)
    x, y, z = (math.sin(half) * value for value in axis)
    return pose @ Pose((0.0, 0.0, 0.0), (x, y, z, math.cos(half)))


HELD = Pose((-0.15, -0.02, 0.08), (math.sin(0.1), 0.0, 0.0, math.cos(0.1)))
TURNS = (
    ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0),
    ((0.05, 0.0, 0.05), (1.0, 0.0, 0.0), 25.0),
    ((0.0, 0.08, -0.03), (0.0, 1.0, 0.0), 20.0),
    ((-0.05, -0.06, 0.0), (0.0, 1.0, 0.0), -25.0),
    ((0.03, 0.05, 0.08), (0.0, 0.0, 1.0), 30.0),
    ((0.0, -0.05, 0.05), (1.0, 0.0, 0.0), -20.0),
    ((0.04, 0.0, -0.05), (0.0, 0.0, 1.0), -25.0),
    ((-0.04, 0.05, 0.02), (0.7, 0.7, 0.0), 25.0),
)


@pytest.fixture(scope="module")
def camera(looking_at: Look) -> Pose:
    """``world_from_camera``."""
    return looking_at((0.95, 0.15, 1.35), (0.3, 0.0, 0.8))


@pytest.fixture(scope="module")
def held_views(
    camera: Pose, board: CalibrationBoard, photographer: Take, facing: Pose
) -> tuple[list[BoardView], dict[str, Pose]]:
    """The hand shows the board to the camera, turned this way and that."""
    views, poses = [], {}
    for index, (shift, axis, degrees) in enumerate(TURNS):
        start = Pose(tuple(np.add(facing.position, shift)), facing.orientation)
        arm = turned(start, axis, degrees)
        corners, pixels = board.detect(photographer(camera.inverse() @ arm @ HELD))
        assert len(corners) > 12
        name = f"{index}.png"
        views.append(BoardView(name=name, corners=corners, pixels=pixels))
        poses[name] = arm
    return views, poses


@pytest.fixture(scope="module")
def facing(camera: Pose) -> Pose:
    """``world_from_tcp`` with which the held board looks into the camera from 0.8 m."""
    camera_from_board = Pose((-0.2, -0.13, 0.8))
    return camera @ camera_from_board @ HELD.inverse()


def test_a_board_on_the_table_gives_the_camera_to_two_millimetres(
    board: CalibrationBoard, lens: Lens, photographer: Take, camera: Pose
) -> None:
    place = board.lying_at(MIDDLE, 0.4)
    views = []
    for index in range(3):
        corners, pixels = board.detect(photographer(camera.inverse() @ place))
        views.append(BoardView(name=str(index), corners=corners, pixels=pixels))
    found = locate_by_fixed_board(views, lens, world_from_board=place)
    metres, degrees = off(found.world_from_camera, camera)
    assert metres < 0.002
    assert degrees < 0.15
    assert found.reprojection_px < 0.3


def test_ignoring_the_distortion_would_show(
    board: CalibrationBoard, lens: Lens, photographer: Take, camera: Pose
) -> None:
    place = board.lying_at(MIDDLE, 0.4)
    corners, pixels = board.detect(photographer(camera.inverse() @ place))
    view = BoardView(name="a", corners=corners, pixels=pixels)
    straight = Lens(
        width_px=lens.width_px,
        height_px=lens.height_px,
        matrix=lens.matrix,
        coefficients=np.zeros(5),
    )
    with_it = locate_by_fixed_board([view], lens, world_from_board=place)
    without = locate_by_fixed_board([view], straight, world_from_board=place)
    assert (
        off(without.world_from_camera, camera)[0] > 2 * off(with_it.world_from_camera, camera)[0]
    )


def test_a_board_in_the_hand_gives_the_camera_and_how_it_is_held(
    held_views: tuple[list[BoardView], dict[str, Pose]], lens: Lens, camera: Pose
) -> None:
    views, poses = held_views
    found = locate_by_held_board(views, lens, world_from_tcp=poses)
    metres, degrees = off(found.world_from_camera, camera)
    assert metres < 0.003
    assert degrees < 0.2
    assert found.tcp_from_board is not None
    assert off(found.tcp_from_board, HELD)[0] < 0.003
    assert found.suspicious == ()


def test_an_image_with_a_wrong_arm_pose_is_named_and_bends_the_rest_little(
    held_views: tuple[list[BoardView], dict[str, Pose]], lens: Lens, camera: Pose
) -> None:
    views, poses = held_views
    x, y, z = poses["3.png"].position
    wrong = poses | {"3.png": Pose((x + 0.03, y, z), poses["3.png"].orientation)}
    found = locate_by_held_board(views, lens, world_from_tcp=wrong)
    assert found.suspicious == ("3.png",)
    assert off(found.world_from_camera, camera)[0] < 0.02


def test_a_hand_that_turns_about_one_axis_only_is_refused(
    held_views: tuple[list[BoardView], dict[str, Pose]], lens: Lens
) -> None:
    views, _ = held_views
    start = top_down((0.3, 0.0, 1.0), 0.0)
    for axis, problem in (((0.0, 0.0, 1.0), "one axis only"), ((0.0, 0.0, 0.0), "turned by 0.0")):
        poses = {view.name: turned(start, axis, 15.0 * index) for index, view in enumerate(views)}
        with pytest.raises(PerceptionError, match=problem):
            locate_by_held_board(views, lens, world_from_tcp=poses)


def test_too_few_views_and_views_without_a_pose_are_refused(
    held_views: tuple[list[BoardView], dict[str, Pose]], lens: Lens
) -> None:
    views, poses = held_views
    with pytest.raises(PerceptionError, match="3 images show the board, 4 are needed"):
        locate_by_held_board(views[:3], lens, world_from_tcp=poses)
    with pytest.raises(ConfigurationError, match=r"none for 1.png"):
        locate_by_held_board(
            views, lens, world_from_tcp={k: v for k, v in poses.items() if k != "1.png"}
        )


def test_images_without_the_board_are_named(
    board: CalibrationBoard, lens: Lens, photographer: Take, camera: Pose, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="holds no images"):
        collect_views(tmp_path, board, lens)
    cv2.imwrite(str(tmp_path / "empty.png"), np.full((480, 640), 90, np.uint8))
    with pytest.raises(PerceptionError, match="found in none of 1 images"):
        collect_views(tmp_path, board, lens)
    image = photographer(camera.inverse() @ board.lying_at(MIDDLE, 0.4))
    cv2.imwrite(str(tmp_path / "seen.png"), image)
    (tmp_path / "broken.png").write_bytes(b"no image")
    views = collect_views(tmp_path, board, lens)
    assert [view.name for view in views.found] == ["seen.png"]
    assert set(views.skipped) == {"broken.png", "empty.png"}


def test_another_print_than_the_one_named_is_not_found(
    lens: Lens, photographer: Take, board: CalibrationBoard, camera: Pose, tmp_path: Path
) -> None:
    image = photographer(camera.inverse() @ board.lying_at(MIDDLE, 0.4))
    cv2.imwrite(str(tmp_path / "seen.png"), image)
    other = CalibrationBoard(BoardConfig(dictionary="DICT_6X6_250"))
    with pytest.raises(PerceptionError, match="DICT_6X6_250"):
        collect_views(tmp_path, other, lens)


def test_images_of_another_size_than_the_intrinsics_are_refused(
    board: CalibrationBoard, lens: Lens, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((240, 320), np.uint8))
    with pytest.raises(PerceptionError, match=r"320 × 240 .* 640 × 480"):
        collect_views(tmp_path, board, lens)


def test_a_board_lies_face_up_with_its_first_row_along_the_yaw() -> None:
    board = CalibrationBoard(BoardConfig())
    place = board.lying_at((0.3, 0.1, 0.752), 0.5 * math.pi)
    width, height = board.config.size
    middle = place.apply(np.array([[0.5 * width, 0.5 * height, 0.0]]))[0]
    assert middle == pytest.approx((0.3, 0.1, 0.752))
    assert rotate(place.orientation, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    # z goes into the board, as in OpenCV.
    assert rotate(place.orientation, (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)


def test_intrinsics_are_read_as_ros_writes_them(intrinsics_file: Path, lens: Lens) -> None:
    read = load_lens(intrinsics_file)
    assert read.matrix == pytest.approx(lens.matrix)
    assert read.coefficients == pytest.approx(lens.coefficients)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("image_width", "width", "must hold image_width"),
        ("plumb_bob", "equidistant", "'equidistant' with 5 coefficients is not supported"),
        ("610.0", ".nan", "not all finite"),
        ("610.0", "-610.0", "focal lengths"),
    ],
)
def test_wrong_intrinsics_say_what_is_wrong(
    intrinsics_file: Path, before: str, after: str, problem: str
) -> None:
    intrinsics_file.write_text(intrinsics_file.read_text().replace(before, after))
    with pytest.raises(ConfigurationError, match=problem):
        load_lens(intrinsics_file)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "mapping of image names"),
        ("a.png: {position: [0, 0, 0]}", "needs position"),
        ("a.png: {position: [0, 0, 0], orientation: [0, 0, 0, 2]}", "norm 2.000"),
        ("a: [", "not valid YAML"),
    ],
)
def test_wrong_arm_poses_say_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "poses.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=problem):
        load_arm_poses(path)


def test_the_command_reads_images_and_poses_and_writes_extrinsics(
    photographer: Take, camera: Pose, facing: Pose, intrinsics_file: Path, tmp_path: Path
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    poses = {}
    for index, (shift, axis, degrees) in enumerate(TURNS[:6]):
        start = Pose(tuple(np.add(facing.position, shift)), facing.orientation)
        arm = turned(start, axis, degrees)
        name = f"{index}.png"
        cv2.imwrite(str(images / name), photographer(camera.inverse() @ arm @ HELD))
        poses[name] = {
            "position": [float(value) for value in arm.position],
            "orientation": [float(value) for value in arm.orientation],
        }
    (tmp_path / "poses.yaml").write_text(yaml.safe_dump(poses))
    output = tmp_path / "extrinsics.yaml"
    arguments = ["calibrate", str(images), "--intrinsics", str(intrinsics_file)]
    arguments += ["--poses", str(tmp_path / "poses.yaml"), "--output", str(output)]
    assert main(arguments) == 0
    entry = yaml.safe_load(output.read_text())["cameras"]["front"]
    found = Pose(tuple(entry["position"]), tuple(entry["orientation"]))
    assert off(found, camera)[0] < 0.004
    assert entry["views"] == 6
    assert entry["reprojection_error_px"] < 0.4
