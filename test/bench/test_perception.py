"""The time of a frame, and how scenes are judged."""

import math

import numpy as np
import pytest

from malmm_ros.bench import PARTS, measure_parts
from malmm_ros.bench.perception_scores import Scores, judge
from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.scene import SceneObject


@pytest.mark.slow
def test_the_bench_tells_how_long_a_frame_takes() -> None:
    report = measure_parts(["perception"], PARTS, progress=lambda _text: None)
    assert not report["failed_parts"]
    assert report["perception"]["frame_ms"] > 0.0
    assert "perception.frame_ms" not in report["missing"]


def _truth(name: str, x: float, color: str = "red") -> SceneObject:
    return SceneObject(
        name=name,
        category="block",
        color=color,
        pose=Pose((x, 0.0, 1.0)),
        size=(0.05, 0.05, 0.05),
        yaw_symmetry=4,
    )


def _found(
    x: float, *, category: str = "block", color: str = "red", yaw: float = 0.0
) -> Detection:
    return Detection(
        category=category,
        color=color,
        pose=Pose.from_yaw((x, 0.0, 1.0), yaw),
        size=(0.05, 0.05, 0.05),
        cloud=PointCloud.empty(),
    )


def _image(truth: list[SceneObject]) -> RgbdImage:
    """Looks along world z from the origin; every thing shows its front."""
    camera = Pinhole.from_field_of_view(math.radians(60.0), width_px=320, height_px=240)
    labels = np.full((240, 320), -1, np.int32)
    for index, item in enumerate(truth):
        u, v = camera.project(np.array([item.pose.position]))[0]
        labels[round(v) - 6 : round(v) + 6, round(u) - 6 : round(u) + 6] = index
    return RgbdImage(
        rgb=np.zeros((240, 320, 3), np.uint8),
        depth=np.ones((240, 320), np.float32),
        camera=camera,
        world_from_camera=Pose((0.0, 0.0, 0.0)),
        labels=labels,
        label_names=tuple(item.name for item in truth),
    )


def _verdicts(truth: list[SceneObject], found: list[Detection]) -> list[str]:
    return [item.verdict for item in judge(truth, found, _image(truth))]


def test_each_way_to_be_wrong_has_its_verdict() -> None:
    truth = [_truth("a", -0.2), _truth("b", 0.0), _truth("c", 0.2)]
    found = [_found(-0.2, color="maroon"), _found(0.0, category="lid"), _found(0.35)]
    assert _verdicts(truth, found) == ["wrong color", "wrong kind", "missed", "false"]


def test_the_nearer_of_two_is_paired() -> None:
    truth = [_truth("a", 0.0), _truth("b", 0.05, "blue")]
    assert _verdicts(truth, [_found(0.052, color="blue"), _found(0.002)]) == ["right", "right"]


def test_what_cannot_be_seen_is_not_missed() -> None:
    truth = [_truth("a", 0.0), _truth("b", 0.2)]
    image = _image(truth)
    hidden = image.labels == 1
    assert [item.name for item in judge(truth, [_found(0.0)], image, hidden=hidden)] == ["a"]


def test_figures_count_false_things_against_true_ones() -> None:
    truth = [_truth("a", 0.0), _truth("b", 0.2)]
    scores = Scores()
    scores.add(judge(truth, [_found(0.003, yaw=0.1), _found(0.2), _found(-0.2)], _image(truth)))
    summary = scores.summary()
    assert summary["wrong_rate"] == 0.5
    assert summary["pose_error_mm"]["median"] == pytest.approx(1.5)
    assert summary["verdicts"] == {"false": 1, "right": 2}
