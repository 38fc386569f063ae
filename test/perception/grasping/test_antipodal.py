from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose, Vector3, yaw_difference
from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import choose_grasp, completed_cloud
from malmm_ros.perception.grasping.antipodal import AntipodalConfig, AntipodalProposer
from malmm_ros.robots.fit import misfit
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Solid
from malmm_ros.simulation import MujocoWorld

NOTHING = PointCloud.empty()


def thing(
    size: Vector3, *, shape: str = "box", yaw: float = 0.3, solids: tuple[Solid, ...] = ()
) -> Detection:
    """Something that stands on the table."""
    if shape != "box":
        solids = (Solid(shape=shape, size=size),)  # type: ignore[arg-type]  # a test's literal
    pose = Pose.from_yaw((0.25, 0.1, TABLE_TOP_Z + 0.5 * size[2]), yaw)
    return Detection(category="thing", pose=pose, size=size, solids=solids, cloud=NOTHING)


def ring(edge: float, bar: float, height: float) -> Detection:
    side, inner = 0.5 * (edge - bar), edge - 2.0 * bar
    bars = [
        Solid(shape="box", size=(bar, edge, height), pose=Pose((sign * side, 0.0, 0.0)))
        for sign in (-1, 1)
    ] + [
        Solid(shape="box", size=(inner, bar, height), pose=Pose((0.0, sign * side, 0.0)))
        for sign in (-1, 1)
    ]
    return thing((edge, edge, height), solids=tuple(bars))


@pytest.mark.parametrize(
    ("detection", "width"),
    [
        (thing((0.058, 0.058, 0.058)), 0.058),
        (thing((0.05, 0.087, 0.034)), 0.05),
        (thing((0.04, 0.04, 0.09), shape="cylinder"), 0.04),
        (thing((0.03, 0.03, 0.02), shape="cylinder"), 0.03),
        (thing((0.066, 0.066, 0.066), shape="sphere"), 0.066),
        (ring(0.05, 0.01, 0.02), 0.05),
    ],
)
def test_small_things_are_taken_across_their_middle(detection: Detection, width: float) -> None:
    grasp = choose_grasp(AntipodalProposer().propose(completed_cloud(detection), NOTHING))
    assert grasp is not None
    offset = np.subtract(grasp.tcp.position, detection.pose.position)
    assert np.hypot(*offset[:2]) < 0.002
    assert grasp.width == pytest.approx(width, abs=0.003)
    assert math.pi - grasp.tcp.tilt < 1e-6


def test_a_box_is_taken_along_its_sides() -> None:
    detection = thing((0.05, 0.087, 0.034), yaw=0.7)
    grasp = choose_grasp(AntipodalProposer().propose(completed_cloud(detection), NOTHING))
    assert grasp is not None
    # Too long to close along: the fingers close along the box's x.
    assert yaw_difference(grasp.tcp.yaw, 0.7 + 0.5 * math.pi, symmetry=2) < math.radians(2.0)


def test_a_ball_is_taken_at_its_equator() -> None:
    detection = thing((0.06, 0.06, 0.06), shape="sphere")
    grasp = choose_grasp(AntipodalProposer().propose(completed_cloud(detection), NOTHING))
    assert grasp is not None
    assert abs(grasp.tcp.position[2] - detection.pose.position[2]) < 0.003


def test_a_wide_ring_is_taken_by_its_rim() -> None:
    detection = ring(0.16, 0.012, 0.03)
    grasps = AntipodalProposer().propose(completed_cloud(detection), NOTHING)
    grasp = choose_grasp(grasps)
    assert grasp is not None
    assert grasp.width == pytest.approx(0.012, abs=0.002)


def test_a_neck_is_taken_where_the_body_is_too_wide() -> None:
    body = Solid(shape="cylinder", size=(0.09, 0.09, 0.09), pose=Pose((0.0, 0.0, -0.01)))
    neck = Solid(shape="cylinder", size=(0.069, 0.069, 0.02), pose=Pose((0.0, 0.0, 0.045)))
    detection = thing((0.09, 0.09, 0.11), solids=(body, neck))
    grasp = choose_grasp(AntipodalProposer().propose(completed_cloud(detection), NOTHING))
    assert grasp is not None
    assert grasp.width == pytest.approx(0.069, abs=0.003)
    tip_z = grasp.tcp.position[2] - AntipodalConfig().tip_reach
    assert tip_z > detection.pose.position[2] + 0.035


@pytest.mark.parametrize(
    ("size", "shape"), [((0.11, 0.11, 0.08), "cylinder"), ((0.1, 0.1, 0.1), "box")]
)
def test_what_is_too_wide_gets_no_grasp(size: Vector3, shape: str) -> None:
    cloud = completed_cloud(thing(size, shape=shape))
    assert AntipodalProposer().propose(cloud, NOTHING) == []


def test_no_finger_of_any_grasp_would_stand_in_anything() -> None:
    detection = thing((0.05, 0.05, 0.05))
    x, y, z = detection.pose.position
    neighbors = [
        replace(detection, pose=Pose.from_yaw((x + dx, y + dy, z), yaw))
        for dx, dy, yaw in ((0.07, 0.02, 0.1), (-0.02, 0.095, 0.3))
    ]
    tall = replace(
        detection,
        size=(0.04, 0.04, 0.2),
        pose=Pose((x - 0.09, y - 0.03, TABLE_TOP_Z + 0.1)),
    )
    others = [*neighbors, tall]
    around = PointCloud.joined([completed_cloud(item) for item in others])
    grasps = AntipodalProposer().propose(completed_cloud(detection), around)
    assert grasps
    for grasp in grasps:
        for item in (detection, *others):
            body = SceneObject(name="it", category="", pose=item.pose, size=item.size)
            assert misfit(body, grasp.tcp, 0.08) == ""


def test_nothing_is_proposed_between_neighbors_that_leave_no_room() -> None:
    detection = thing((0.05, 0.05, 0.05), yaw=0.0)
    x, y, z = detection.pose.position
    around = PointCloud.joined(
        [
            completed_cloud(replace(detection, pose=Pose((x + dx, y + dy, z))))
            for dx in (-0.054, 0.0, 0.054)
            for dy in (-0.054, 0.0, 0.054)
            if (dx, dy) != (0.0, 0.0)
        ]
    )
    assert AntipodalProposer().propose(completed_cloud(detection), around) == []


def test_fingertips_stay_above_the_table() -> None:
    grasps = AntipodalProposer().propose(completed_cloud(thing((0.05, 0.03, 0.02))), NOTHING)
    lowest = min(grasp.tcp.position[2] for grasp in grasps)
    assert lowest - AntipodalConfig().tip_reach > TABLE_TOP_Z


def test_what_one_camera_sees_of_a_block_is_enough() -> None:
    world = MujocoWorld()
    world.reset("put_block", 1)
    image = world.render("front", with_labels=True)
    block = next(item for item in world.ground_truth().objects if item.category == "block")
    world.close()
    assert image.labels is not None
    seen = deproject(image, image.labels == image.label_names.index(block.name))
    grasp = choose_grasp(AntipodalProposer().propose(seen, NOTHING))
    assert grasp is not None
    assert np.hypot(*np.subtract(grasp.tcp.position, block.pose.position)[:2]) < 0.008
    assert yaw_difference(grasp.tcp.yaw, block.pose.yaw, symmetry=4) < math.radians(8.0)
    assert misfit(block, grasp.tcp, 0.08) == ""


@pytest.mark.parametrize("points", [np.zeros((3, 3)), np.full((50, 3), np.nan)])
def test_a_cloud_without_shape_is_refused(points: np.ndarray) -> None:
    cloud = PointCloud(points=points, colors=np.zeros(points.shape, np.uint8))
    with pytest.raises(PerceptionError):
        AntipodalProposer().propose(cloud, NOTHING)


def test_points_on_one_line_or_one_spot_do_no_harm() -> None:
    line = np.column_stack((np.linspace(0.0, 0.1, 40), np.zeros(40), np.full(40, 0.8)))
    for points in (line, np.full((40, 3), 0.8)):
        cloud = PointCloud(points=points, colors=np.zeros(points.shape, np.uint8))
        AntipodalProposer().propose(cloud, NOTHING)
