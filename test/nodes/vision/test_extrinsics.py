from __future__ import annotations

from pathlib import Path

import pytest

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.nodes.vision.extrinsics import Extrinsics


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_poses_are_read_with_their_parents(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cameras.yaml",
        "cameras:\n"
        "  front: {position: [1, 0, 1.5], orientation: [0, 0, 0, 1], views: 12}\n"
        "  wrist: {parent: panda_hand, position: [0, 0, 0.1], orientation: [1, 0, 0, 0]}\n",
    )
    extrinsics = Extrinsics(path, ("front", "wrist"))
    assert extrinsics.place("front") == ("world", Pose((1.0, 0.0, 1.5)))
    assert extrinsics.place("wrist")[0] == "panda_hand"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cameras: {left: {}}", "'front' is unknown; valid: left"),
        ("cameras: [1]", "a mapping 'cameras'"),
        ("{", "not valid YAML"),
        ("cameras: {front: 3}", "must be a mapping with position"),
        ("cameras: {front: {position: [0, 0], orientation: [0, 0, 0, 1]}}", "needs position"),
        (
            "cameras: {front: {position: [0, 0, .nan], orientation: [0, 0, 0, 1]}}",
            "needs position",
        ),
        ("cameras: {front: {position: [0, 0, 0], orientation: [0, 0, 0, 2]}}", "its norm is 2"),
        ("cameras: {front: {position: [0, 0, 0], orientation: [.nan, 0, 0, 1]}}", "norm is nan"),
    ],
)
def test_what_is_no_rigid_transform_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path / "cameras.yaml", text)
    with pytest.raises(ConfigurationError, match=words):
        Extrinsics(path, ("front",))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml: cannot be read"):
        Extrinsics(tmp_path / "nowhere.yaml", ("front",))
    assert issubclass(UnknownNameError, ConfigurationError)


def test_what_the_calibration_writes_is_what_the_node_reads(tmp_path: Path) -> None:
    result = pytest.importorskip("malmm_ros.perception.calibration.result")
    pose = Pose.from_yaw((0.3, -0.2, 1.4), 0.5)
    calibration = result.Calibration(world_from_camera=pose, view_errors_px={"1.png": 0.2})
    path = tmp_path / "cameras.yaml"
    result.write_extrinsics(path, "front", calibration)
    parent, read = Extrinsics(path, ("front",)).place("front")
    assert parent == "world"
    assert read.position == pytest.approx(pose.position)
    assert read.orientation == pytest.approx(pose.orientation)
